"""Labels and timelines of orders, whoever carries them."""

import asyncio
from base64 import b64encode

from haulier.contexts.orders.public import load_label_contents
from haulier.contexts.shipping.labels.contract.papers import LabelDocument
from haulier.contexts.shipping.labels.operations.rates import SHIPPERS
from haulier.contexts.shipping.labels.queries import get_visible_shipment, list_labels
from haulier.contexts.shipping.labels.rules.lifecycle import LABEL_NOT_BOUGHT
from haulier.contexts.shipping.labels.serializers.documents import MEDIA_TYPES, label_document, printed_label
from haulier.contexts.shipping.uniorder.contract.orders import (
    GetUniorderLabel,
    UniorderLabels,
    UniorderParcelTracking,
    UniorderRef,
    UniorderTracking,
)
from haulier.contexts.shipping.uniorder.queries import carry, get_visible_uniorder
from haulier.contexts.shipping.uniorder.serializers.orders import status_of, tracking_numbers
from haulier.contexts.tracking.public import list_visible_timelines
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Mcp, Representation, Representations, Rest, reads
from haulier.kernel.operations.enums import Scope
from haulier.kernel.operations.errors import NOT_FOUND, record_not_found
from haulier.rendering.labels import LabelContent, render_label_pdf, render_label_zpl, render_labels_png

LABEL_FORMS = Representations(
    tuple(Representation(media_type, form) for form, media_type in MEDIA_TYPES.items()),
    data_field="document",
    media_type_field="media_type",
)


@reads(
    "uniorder_label",
    audience=SHIPPERS,
    scopes={Scope.UNIORDER_READ},
    doors=(
        Rest("GET", "/v1/uniorder/{orderId}/label", representations=LABEL_FORMS),
        GraphQL("uniorderLabel"),
        Mcp("uniorder_label", title="Print the label of an order"),
    ),
    errors=(NOT_FOUND, LABEL_NOT_BOUGHT),
)
async def uniorder_label(call: Call, request: GetUniorderLabel) -> UniorderLabels:
    """The label of each parcel: of local delivery in the form that is asked for, of a carrier as it printed them."""
    row = await get_visible_uniorder(call, request.order_id)
    if row.local_order_id is not None:
        return await _local_labels(call, request, row.id, row.local_order_id)
    shipment = await get_visible_shipment(call, row.shipment_id or 0)
    labels = [label_document(label) for label in await list_labels(call, shipment, request.parcel)]
    return UniorderLabels(order_id=row.id, media_type=labels[0].media_type, document=labels[0].document, labels=labels)


async def _local_labels(call: Call, request: GetUniorderLabel, id: int, local_order_id: int) -> UniorderLabels:
    contents = await load_label_contents(call, [local_order_id])
    chosen = [each for each in contents if request.parcel in (None, each.piece)]
    if not chosen:
        raise record_not_found(parcel=request.parcel) if request.parcel else record_not_found(orderId=id)
    # Why a thread: an order has up to 50 parcels, and a picture takes ten milliseconds.
    document, labels = await asyncio.to_thread(_print, request.format, chosen)
    return UniorderLabels(
        order_id=id, media_type=MEDIA_TYPES[request.format], document=b64encode(document).decode(), labels=labels
    )


def _print(form: str, contents: list[LabelContent]) -> tuple[bytes, list[LabelDocument]]:
    labels = [printed_label(each.piece, each.tracking_number, form, _render(form, [each])) for each in contents]
    return _render(form, contents), labels


def _render(form: str, contents: list[LabelContent]) -> bytes:
    if form == "zpl":
        return b"\n".join(map(render_label_zpl, contents))
    return render_label_pdf(contents) if form == "pdf" else render_labels_png(contents)


@reads(
    "uniorder_tracking",
    audience=SHIPPERS,
    scopes={Scope.UNIORDER_READ},
    doors=(
        Rest("GET", "/v1/uniorder/{orderId}/tracking"),
        GraphQL("uniorderTracking"),
        Mcp("uniorder_tracking", title="Track an order by whichever carrier"),
    ),
    errors=(NOT_FOUND,),
)
async def uniorder_tracking(call: Call, request: UniorderRef) -> UniorderTracking:
    """What happened to the parcels of an order: the same timelines as everywhere, whoever carries them."""
    (order,) = await carry(call, [await get_visible_uniorder(call, request.order_id)])
    numbers = tracking_numbers(order)
    timelines = await list_visible_timelines(call, numbers) if numbers else {}
    trackings = [
        UniorderParcelTracking(tracking_number=number, timeline=timelines[number])
        for number in numbers
        if number in timelines
    ]
    return UniorderTracking(order_id=order.row.id, status=status_of(order), trackings=trackings)
