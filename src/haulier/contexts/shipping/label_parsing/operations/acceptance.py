"""A label becomes an order."""

from haulier.contexts.orders.public import ORDER_REF_TAKEN, SERVICE_UNKNOWN
from haulier.contexts.orders.quotes.rules import RATE_NOT_AVAILABLE, ZONE_ERRORS
from haulier.contexts.shipping.label_parsing.actions import accept_reading
from haulier.contexts.shipping.label_parsing.contract import AcceptLabelParse, LabelParseAnswer
from haulier.contexts.shipping.label_parsing.operations.readings import PARSE_PATH
from haulier.contexts.shipping.label_parsing.queries import get_parse
from haulier.contexts.shipping.label_parsing.rules.states import LABEL_NEEDS_REVIEW, LABEL_NOT_READ_YET, LabelParseState
from haulier.contexts.shipping.label_parsing.serializers import label_parse
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Mcp, Rest, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import CONFLICT, NOT_FOUND


@writes(
    "accept_label_parse",
    allowed_where={"state": frozenset({LabelParseState.READ, LabelParseState.NEEDS_REVIEW})},
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    doors=(
        Rest("POST", f"{PARSE_PATH}/accept"),
        GraphQL("acceptLabelParse"),
        Mcp("accept_label_parse", title="Make an order of a label"),
    ),
    errors=(
        NOT_FOUND,
        LABEL_NOT_READ_YET,
        LABEL_NEEDS_REVIEW,
        SERVICE_UNKNOWN,
        ORDER_REF_TAKEN,
        RATE_NOT_AVAILABLE,
        *ZONE_ERRORS,
        CONFLICT,
    ),
)
async def accept_label_parse(call: Call, request: AcceptLabelParse) -> LabelParseAnswer:
    """Create an order from a label as it was read, or as it is corrected here. A repeat returns the same order.

    Fields that are uncertain or missing must be corrected, named in `confirmed`, or confirmed all together by `reviewed`;
    otherwise the call is refused and names them.
    """
    row = await get_parse(call, request.parse_id, lock=True)
    call.add_audit_subjects("label_parse", row.id)
    if row.order_id is None:
        call.add_audit_subjects("order", await accept_reading(call, row, request))
    return LabelParseAnswer(label_parse=label_parse(call, await get_parse(call, row.id)))
