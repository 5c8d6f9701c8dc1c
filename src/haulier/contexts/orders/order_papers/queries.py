"""Content of labels and packing slips. Routes print the same, in stop order."""

from collections import defaultdict
from collections.abc import Sequence

from msgspec import structs

from haulier.contexts.documents.public import (
    DocumentDraft,
    DocumentKind,
    DocumentPlan,
    DocumentSubject,
    paper_head,
    register_document_maker,
)
from haulier.contexts.identity.public import require_client
from haulier.contexts.orders.delivery_orders.queries.order_papers import (
    PaperItem,
    PaperOrder,
    PaperPiece,
    load_label_contents,
    load_paper_items,
    load_paper_orders,
)
from haulier.contexts.orders.delivery_orders.queries.visible_orders import require_visible_orders
from haulier.kernel.call import Call
from haulier.kernel.operations.enums import OFFICE, Account
from haulier.rendering.labels import LabelBarcode, LabelContent, lay_out_label
from haulier.rendering.page import Page, Symbology
from haulier.rendering.papers import PackedItem, PackedPiece, PackingSlip, lay_out_packing_slip
from haulier.rendering.sheets import PaperHead


async def plan_order_document(call: Call, order_ids: Sequence[int]) -> DocumentPlan:
    """A document about orders that the caller sees. Raises `NOT_FOUND`."""
    await require_visible_orders(call, order_ids)
    return DocumentPlan(record_ids=order_ids, issuer=(await require_client(call.work, call.client_id)).name)


async def draw_labels(call: Call, draft: DocumentDraft) -> list[Page]:
    """A label for each piece, with the QR code of the document."""
    labels = await load_label_contents(call, draft.record_ids)
    return [lay_out_label(_with_code(label, draft)) for label in labels]


def _with_code(label: LabelContent, draft: DocumentDraft) -> LabelContent:
    code = LabelBarcode(symbology=Symbology.QR, data=draft.verify_url)
    return structs.replace(label, barcodes=[*label.barcodes, code])


async def draw_packing_slips(call: Call, draft: DocumentDraft) -> list[Page]:
    """A packing slip for each order. It has no prices."""
    orders, pieces = await load_paper_orders(call, draft.record_ids)
    of_order: defaultdict[int, list[PaperPiece]] = defaultdict(list)
    for piece in pieces:
        of_order[piece.order_id].append(piece)
    head = paper_head(call, draft)
    items = await load_paper_items(call, draft.record_ids)
    slips = [_slip(head, order, of_order[order.id], items.get(order.id, ())) for order in orders]
    return [page for slip in slips for page in lay_out_packing_slip(slip)]


def _slip(head: PaperHead, order: PaperOrder, pieces: Sequence[PaperPiece], items: Sequence[PaperItem]) -> PackingSlip:
    packed = [
        PackedPiece(
            tracking_number=piece.tracking_number,
            description=piece.description,
            weight_g=piece.weight_g,
            size_mm=piece.size_mm,
        )
        for piece in pieces
    ]
    return PackingSlip(
        head=head,
        tracking_number=order.tracking_number,
        sender=order.sender,
        recipient=order.recipient,
        reference=order.order_ref,
        ship_date=order.scheduled_date.isoformat() if order.scheduled_date else None,
        notes=order.delivery_instruction,
        pieces=packed,
        items=[PackedItem(sku=item.sku, description=item.description, quantity=item.quantity) for item in items],
    )


register_document_maker(
    DocumentKind.LABELS,
    DocumentSubject.ORDERS,
    plan=plan_order_document,
    draw=draw_labels,
    each=True,
    audience=OFFICE | {Account.CONTRACTOR},
)
register_document_maker(
    DocumentKind.PACKING_SLIP,
    DocumentSubject.ORDERS,
    plan=plan_order_document,
    draw=draw_packing_slips,
    each=True,
    audience=OFFICE | {Account.CONTRACTOR, Account.CUSTOMER},
)
