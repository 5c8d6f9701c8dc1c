"""Labels as documents."""

from base64 import b64encode

from haulier.contexts.shipping.labels.contract.papers import GetLabel, LabelAnswer, LabelDocument
from haulier.contexts.shipping.labels.operations.rates import SHIPPERS
from haulier.contexts.shipping.labels.queries import find_visible_shipment
from haulier.contexts.shipping.labels.rules.lifecycle import BOUGHT_STATES, LABEL_NOT_BOUGHT, ShipmentState
from haulier.contexts.shipping.labels.store import shipments as store
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Mcp, Rest, reads
from haulier.kernel.operations.enums import Area, McpServer, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND, record_not_found

MEDIA_TYPES = {"pdf": "application/pdf", "zpl": "application/zpl", "png": "image/png"}


@reads(
    "download_shipping_label",
    audience=SHIPPERS,
    scopes={Scope.LABELS_WRITE},
    risk=Risk.HIGH,
    confirm=True,
    doors=(
        Rest("POST", "/v1/shipping/getShippingLabel", area=Area.SHIPPING),
        GraphQL("shippingLabelWithBase64"),
        Mcp("download_shipping_label", title="Download a label"),
    ),
    errors=(NOT_FOUND, LABEL_NOT_BOUGHT),
)
async def download_shipping_label(call: Call, request: GetLabel) -> LabelAnswer:
    """The labels of a shipment in base64, as its carrier printed them."""
    return await _labels(call, request)


@reads(
    "get_shipping_label",
    audience=SHIPPERS,
    scopes={Scope.LABELS_READ},
    doors=(
        Rest("POST", "/v2/shipping/getShippingLabel", area=Area.SHIPPING),
        GraphQL("shippingLabel"),
        Mcp("get_shipping_label", servers=frozenset({McpServer.DEVELOPER}), title="Get a label"),
    ),
    errors=(NOT_FOUND, LABEL_NOT_BOUGHT),
)
async def get_shipping_label(call: Call, request: GetLabel) -> LabelAnswer:
    """The labels of a shipment, as its carrier printed them."""
    return await _labels(call, request)


async def _labels(call: Call, request: GetLabel) -> LabelAnswer:
    row = await find_visible_shipment(call, request)
    if ShipmentState(row.state) not in BOUGHT_STATES:
        raise LABEL_NOT_BOUGHT(state=row.state)
    kept = await store.list_label_rows(call.work, row.id)
    wanted = [label for label in kept if request.parcel in (None, label.number)]
    if not wanted:
        raise record_not_found(parcel=request.parcel)
    documents = [_document(label) for label in wanted]
    return LabelAnswer(
        shipment_id=row.id, media_type=documents[0].media_type, document=documents[0].document, labels=documents
    )


def _document(label: store.LabelRow) -> LabelDocument:
    return LabelDocument(
        number=label.number,
        tracking_number=label.tracking_number,
        format=label.label_format,  # type: ignore[arg-type]
        media_type=MEDIA_TYPES[label.label_format],
        document=b64encode(label.content).decode(),
    )
