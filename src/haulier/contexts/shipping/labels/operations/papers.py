"""Labels as documents."""

from haulier.contexts.shipping.labels.contract.papers import GetLabel, LabelAnswer
from haulier.contexts.shipping.labels.operations.rates import SHIPPERS
from haulier.contexts.shipping.labels.queries import find_visible_shipment, list_labels
from haulier.contexts.shipping.labels.rules.lifecycle import LABEL_NOT_BOUGHT
from haulier.contexts.shipping.labels.serializers.documents import label_document
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Mcp, Rest, reads
from haulier.kernel.operations.enums import Area, McpServer, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND


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
    documents = [label_document(label) for label in await list_labels(call, row, request.parcel)]
    return LabelAnswer(
        shipment_id=row.id, media_type=documents[0].media_type, document=documents[0].document, labels=documents
    )
