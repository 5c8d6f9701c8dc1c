"""Labels are read, listed, shown and deleted."""

from haulier.contexts.documents.public import FILE_BODY_LIMIT_BYTES, delete_files
from haulier.contexts.shipping.label_parsing import store
from haulier.contexts.shipping.label_parsing.actions import queue_label
from haulier.contexts.shipping.label_parsing.contract import (
    LabelParseAnswer,
    LabelParseList,
    LabelParseRef,
    ListLabelParses,
    ParseLabel,
)
from haulier.contexts.shipping.label_parsing.queries import get_parse
from haulier.contexts.shipping.label_parsing.rules.states import LABEL_READER_MISSING
from haulier.contexts.shipping.label_parsing.serializers import label_parse
from haulier.kernel.call import Call
from haulier.kernel.operations.answers import Done
from haulier.kernel.operations.declaration import GraphQL, Mcp, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND
from haulier.kernel.values.pagination import total_fields

PATH = "/v1/ocr/labels"
PARSE_PATH = f"{PATH}/{{parse_id}}"


@writes(
    "parse_label",
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.LOW,
    doors=(Rest("POST", PATH), GraphQL("parseLabel"), Mcp("parse_label", title="Read a label")),
    body_limit_bytes=FILE_BODY_LIMIT_BYTES,
    errors=(LABEL_READER_MISSING,),
)
async def parse_label(call: Call, request: ParseLabel) -> LabelParseAnswer:
    """Read a label from a photo, a PDF or its text, in the background; `get_label_parse` shows what was read.

    Barcodes are read first, then the text. Nothing is ordered until the reading is accepted.
    """
    parse_id = await queue_label(call, request)
    call.add_audit_subjects("label_parse", parse_id)
    return LabelParseAnswer(label_parse=label_parse(call, await get_parse(call, parse_id)))


@reads(
    "get_label_parse",
    audience=OFFICE,
    scopes={Scope.ORDERS_READ},
    doors=(
        Rest("GET", PARSE_PATH),
        GraphQL("labelParse"),
        Mcp("get_label_parse", title="Show what was read of a label"),
    ),
    errors=(NOT_FOUND,),
)
async def get_label_parse(call: Call, request: LabelParseRef) -> LabelParseAnswer:
    """Show what was read of a label: each field with its confidence and where it stands, and whether a person has to look."""
    return LabelParseAnswer(label_parse=label_parse(call, await get_parse(call, request.parse_id)))


@reads(
    "list_label_parses",
    audience=OFFICE,
    scopes={Scope.ORDERS_READ},
    doors=(Rest("GET", PATH), GraphQL("labelParses")),
)
async def list_label_parses(call: Call, request: ListLabelParses) -> LabelParseList:
    """List labels that were read, newest first; in the state `needs_review`, those that wait for a person."""
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
    doors=(Rest("DELETE", PARSE_PATH), GraphQL("deleteLabelParse")),
    errors=(NOT_FOUND,),
)
async def delete_label_parse(call: Call, request: LabelParseRef) -> Done:
    """Delete what was read of a label, and its picture. An order that was made of it stays."""
    row = await get_parse(call, request.parse_id, lock=True)
    await delete_files(call, [row.file_id] if row.file_id else [])
    await store.delete_parse(call.work, row.id)
    call.add_audit_subjects("label_parse", row.id)
    return Done(message=call.translate("label_parse_deleted"))
