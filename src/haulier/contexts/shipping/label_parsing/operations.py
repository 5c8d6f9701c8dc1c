"""Operations on label parsing."""

from haulier.contexts.documents.public import FILE_BODY_LIMIT_BYTES, delete_files
from haulier.contexts.orders.public import ORDER_REF_TAKEN, SERVICE_UNKNOWN
from haulier.contexts.orders.quotes.rules import RATE_NOT_AVAILABLE, ZONE_ERRORS
from haulier.contexts.shipping.label_parsing import store
from haulier.contexts.shipping.label_parsing.actions import accept_reading, queue_label
from haulier.contexts.shipping.label_parsing.contract import (
    AcceptLabelParse,
    LabelParseAnswer,
    LabelParseList,
    LabelParseRef,
    ListLabelParses,
    ParseLabel,
)
from haulier.contexts.shipping.label_parsing.queries import get_parse
from haulier.contexts.shipping.label_parsing.rules.fields import (
    LABEL_NEEDS_REVIEW,
    LABEL_NOT_READ_YET,
    LABEL_READER_MISSING,
    LabelParseState,
)
from haulier.contexts.shipping.label_parsing.serializers import label_parse
from haulier.kernel.call import Call
from haulier.kernel.operations.answers import Done
from haulier.kernel.operations.declaration import GraphQL, Mcp, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import CONFLICT, NOT_FOUND
from haulier.kernel.values.pagination import total_fields

PATH = "/v1/ocr/labels"
PARSE_PATH = f"{PATH}/{{parse_id}}"


@writes(
    "parse_label",
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.LOW,
    interfaces=(Rest("POST", PATH), GraphQL("parseLabel"), Mcp("parse_label", title="Parse a shipping label")),
    body_limit_bytes=FILE_BODY_LIMIT_BYTES,
    errors=(LABEL_READER_MISSING,),
)
async def parse_label(call: Call, request: ParseLabel) -> LabelParseAnswer:
    """Parse a shipping label in the background.

    Accepts a photo, a PDF or text; `get_label_parse` returns the result. Barcodes are read first, then the text. No
    order is created until the result is accepted.
    """
    parse_id = await queue_label(call, request)
    call.add_audit_subjects("label_parse", parse_id)
    return LabelParseAnswer(label_parse=label_parse(call, await get_parse(call, parse_id)))


@reads(
    "get_label_parse",
    audience=OFFICE,
    scopes={Scope.ORDERS_READ},
    interfaces=(
        Rest("GET", PARSE_PATH),
        GraphQL("labelParse"),
        Mcp("get_label_parse", title="Get a label scan"),
    ),
    errors=(NOT_FOUND,),
)
async def get_label_parse(call: Call, request: LabelParseRef) -> LabelParseAnswer:
    """Get the result of a label scan.

    Returns each field with its confidence and position, and whether a review is needed.
    """
    return LabelParseAnswer(label_parse=label_parse(call, await get_parse(call, request.parse_id)))


@reads(
    "list_label_parses",
    audience=OFFICE,
    scopes={Scope.ORDERS_READ},
    interfaces=(Rest("GET", PATH), GraphQL("labelParses")),
)
async def list_label_parses(call: Call, request: ListLabelParses) -> LabelParseList:
    """List label scans, newest first.

    Scans to review have the state `needs_review`.
    """
    rows, counted = await store.list_parse_rows(call.work, request.state, limit=request.per_page, offset=request.offset)
    return LabelParseList(
        **total_fields(counted),
        page=request.page,
        per_page=request.per_page,
        label_parses=[label_parse(call, row) for row in rows],
    )


@writes(
    "delete_label_parse",
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.LOW,
    interfaces=(Rest("DELETE", PARSE_PATH), GraphQL("deleteLabelParse")),
    errors=(NOT_FOUND,),
)
async def delete_label_parse(call: Call, request: LabelParseRef) -> Done:
    """Delete a label scan and its picture.

    An order that was created from it is kept.
    """
    row = await get_parse(call, request.parse_id, lock=True)
    await delete_files(call, [row.file_id] if row.file_id else [])
    await store.delete_parse(call.work, row.id)
    call.add_audit_subjects("label_parse", row.id)
    return Done(message=call.translate("label_parse_deleted"))


@writes(
    "accept_label_parse",
    available_when={"state": frozenset({LabelParseState.READ, LabelParseState.NEEDS_REVIEW})},
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(
        Rest("POST", f"{PARSE_PATH}/accept"),
        GraphQL("acceptLabelParse"),
        Mcp("accept_label_parse", title="Create an order from a label"),
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
    """Create an order from a label scan.

    Given values replace parsed ones. A repeat returns the same order. Fields that are uncertain or missing must be
    corrected, named in `confirmed`, or confirmed together by `reviewed`; otherwise the call is rejected and lists them.
    """
    row = await get_parse(call, request.parse_id, lock=True)
    call.add_audit_subjects("label_parse", row.id)
    if row.order_id is None:
        call.add_audit_subjects("order", await accept_reading(call, row, request))
    return LabelParseAnswer(label_parse=label_parse(call, await get_parse(call, row.id)))
