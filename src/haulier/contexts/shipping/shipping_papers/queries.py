"""Commercial invoices, manifests and carrier labels as verifiable documents."""

from collections.abc import Collection, Sequence

from haulier.contexts.documents.public import (
    CUSTOMS_ITEMS_MISSING,
    DocumentDraft,
    DocumentKind,
    DocumentPlan,
    DocumentSubject,
    paper_head,
    register_document_maker,
)
from haulier.contexts.identity.public import require_client
from haulier.contexts.orders.public import to_label_party
from haulier.contexts.shipping.accounts.contract import ShippingAddress
from haulier.contexts.shipping.accounts.queries import CarrierAccountRow, get_account_of_shipment
from haulier.contexts.shipping.labels.actions.carrier_rates import sender_of
from haulier.contexts.shipping.labels.contract import ShipmentTerms
from haulier.contexts.shipping.labels.queries import (
    ShipmentRow,
    find_unprintable_ids,
    get_manifest,
    get_visible_shipments,
    list_labels_of,
    list_manifest_shipment_ids,
    list_shipments,
)
from haulier.contexts.shipping.ports import LabelFormat
from haulier.contexts.shipping.shipping_papers.rules import (
    DECLARED_STATES,
    add_up,
    can_draw_labels,
    draw_label_pages,
    invoice_lines,
)
from haulier.kernel.call import Call
from haulier.kernel.foreign_files import read_foreign_file
from haulier.kernel.operations.enums import OFFICE, Account
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError, record_not_found
from haulier.rendering.labels import HEIGHT, WIDTH, LabelParty
from haulier.rendering.page import Page, Picture
from haulier.rendering.papers import (
    CommercialInvoice,
    ManifestPaper,
    ManifestStop,
    lay_out_commercial_invoice,
    lay_out_manifest,
)


async def plan_invoices(call: Call, shipment_ids: Sequence[int]) -> DocumentPlan:
    """Plan invoices of visible shipments.

    Raises `NOT_FOUND`, `CUSTOMS_ITEMS_MISSING` for one without goods.
    """
    for row in await get_visible_shipments(call, shipment_ids):
        if row.state not in DECLARED_STATES or not ShipmentTerms.model_validate(row.terms).customs_items:
            raise CUSTOMS_ITEMS_MISSING(shipment_id=row.id)
    return DocumentPlan(record_ids=shipment_ids, issuer=(await require_client(call.work, call.client_id)).name)


async def draw_invoices(call: Call, draft: DocumentDraft) -> list[Page]:
    """Draw an invoice for each shipment."""
    rows = await list_shipments(call, draft.record_ids)
    accounts = await _load_accounts(call, rows)
    return [page for row in rows for page in lay_out_commercial_invoice(_invoice(call, draft, row, accounts))]


def _invoice(
    call: Call, draft: DocumentDraft, row: ShipmentRow, accounts: dict[int, CarrierAccountRow]
) -> CommercialInvoice:
    terms = ShipmentTerms.model_validate(row.terms)
    currency = terms.currency or call.business.currency
    sender = sender_of(terms, accounts[row.account_id]) if row.account_id else terms.shipper
    return CommercialInvoice(
        head=paper_head(call, draft),
        tracking_number=row.tracking_number or row.reference,
        seller=_party(sender, draft.issuer),
        buyer=_party(terms.consignee, ""),
        lines=invoice_lines(terms, currency),
        total=str(add_up(terms, currency).major),
        currency=currency,
        reason=call.translate(f"customs_reason_{terms.customs_reason}"),
        invoice_date=row.ship_date.isoformat(),
        incoterm=terms.incoterm,
        reference=row.order_ref,
        declarant=sender.name if sender else draft.issuer,
    )


async def plan_labels(call: Call, shipment_ids: Sequence[int]) -> DocumentPlan:
    """Plan labels of visible shipments of any carrier.

    Raises `NOT_FOUND`, `INVALID_REQUEST` for ZPL labels.
    """
    if not can_draw_labels():
        raise INVALID_REQUEST.for_fields(FieldError("shipment_ids", "field.labels_not_drawn"))
    rows = await get_visible_shipments(call, shipment_ids)
    if unprintable := await find_unprintable_ids(call, rows):
        shown = ", ".join(map(str, unprintable))
        raise INVALID_REQUEST.for_fields(FieldError("shipment_ids", "field.labels_not_printable", {"shipments": shown}))
    return DocumentPlan(record_ids=shipment_ids, issuer=(await require_client(call.work, call.client_id)).name)


async def draw_carrier_labels(call: Call, draft: DocumentDraft) -> list[Page]:
    """Draw carriers' labels, a page of 4 by 6 inches each."""
    pages: list[Page] = []
    for label in await list_labels_of(call, draft.record_ids):
        pictures = [label.content] if label.label_format == LabelFormat.PNG else await _pictures(call, label.content)
        pages += [Page(WIDTH, HEIGHT, [Picture(0, 0, WIDTH, HEIGHT, each, "image/png")]) for each in pictures]
    return pages


async def _pictures(call: Call, pdf: bytes) -> list[bytes]:
    return await read_foreign_file(call.app, draw_label_pages, pdf, "application/pdf", field="shipment_ids")


async def plan_manifest(call: Call, manifest_ids: Sequence[int]) -> DocumentPlan:
    """Plan a carrier manifest. Raises `NOT_FOUND`, also for an empty manifest."""
    manifest = await get_manifest(call, manifest_ids[0])
    shipment_ids = await list_manifest_shipment_ids(call, manifest.id)
    if not shipment_ids:
        raise record_not_found(manifest_id=manifest.id)
    return DocumentPlan(record_ids=shipment_ids, issuer=(await require_client(call.work, call.client_id)).name)


async def draw_carrier_manifest(call: Call, draft: DocumentDraft) -> list[Page]:
    """Draw the parcels of a manifest, with space to sign."""
    manifest = await get_manifest(call, draft.subject_id or 0)
    place = ShippingAddress.model_validate(manifest.place) if manifest.place else None
    rows = await list_shipments(call, draft.record_ids)
    paper = ManifestPaper(
        head=paper_head(call, draft),
        day=manifest.ship_date.isoformat(),
        carrier=" ".join(filter(None, (manifest.carrier, manifest.carrier_manifest_id))),
        depot=_where(_party(place, draft.issuer)),
        stops=[_parcel(number, row) for number, row in enumerate(rows, 1)],
    )
    return lay_out_manifest(paper)


def _parcel(number: int, row: ShipmentRow) -> ManifestStop:
    terms = ShipmentTerms.model_validate(row.terms)
    return ManifestStop(
        position=number,
        kind=row.service_name or row.service or "",
        name=terms.consignee.name,
        address=_where(_party(terms.consignee, "")),
        tracking_number=row.tracking_number or row.reference,
        reference=row.order_ref,
        pieces=len(terms.parcels),
        weight_g=sum(parcel.weight_g for parcel in terms.parcels),
    )


async def _load_accounts(call: Call, rows: Collection[ShipmentRow]) -> dict[int, CarrierAccountRow]:
    """Return the accounts of shipments: a client has few."""
    ids = sorted({row.account_id for row in rows if row.account_id is not None})
    return {id: await get_account_of_shipment(call.work, id) for id in ids}


def _party(address: ShippingAddress | None, otherwise: str) -> LabelParty:
    return to_label_party(address.model_dump() if address else None, otherwise)


def _where(party: LabelParty) -> str:
    return ", ".join(filter(None, (*party.address, party.place, party.country))) or party.name


register_document_maker(
    DocumentKind.COMMERCIAL_INVOICE,
    DocumentSubject.SHIPMENTS,
    plan=plan_invoices,
    draw=draw_invoices,
    each=True,
    audience=OFFICE | {Account.CUSTOMER},
)
register_document_maker(
    DocumentKind.LABELS,
    DocumentSubject.SHIPMENTS,
    plan=plan_labels,
    draw=draw_carrier_labels,
    each=True,
    audience=OFFICE | {Account.CUSTOMER},
)
register_document_maker(
    DocumentKind.MANIFEST,
    DocumentSubject.CARRIER_MANIFEST,
    plan=plan_manifest,
    draw=draw_carrier_manifest,
    each=False,
    audience=OFFICE,
)
