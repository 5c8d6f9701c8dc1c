"""Return reasons: the client's list, in the words of its drivers.

Reasons are disabled, never deleted.
"""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from haulier.contexts.orders.return_reasons import store
from haulier.contexts.otep.vocabulary.rules import IncidentReasonCode
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UniqueConflict
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import EmptyRequest, GraphQL, Request, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, STAFF, Account, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND, declare_error
from haulier.kernel.operations.records import record

RETURN_REASON_TAKEN = declare_error("return_reason_taken", 409)
Language = Literal["en", "zh-Hans", "zh-Hant", "fr", "de", "es"]
ReturnReasonText = Annotated[str, StringConstraints(min_length=1, max_length=120, pattern=r"^[^\x00]+$")]


class ReturnReasonFields(Request):
    """Texts of a return reason, and its requirements for drivers."""

    texts: dict[Language, ReturnReasonText] = Field(min_length=1, examples=[{"en": "Nobody home"}])
    """Texts by language. Missing languages show English."""
    otep_reason: IncidentReasonCode = "other"
    """Reason code in tracking events."""
    asks_photo: bool = False
    """If true, the driver must take a photo."""
    asks_note: bool = False
    """If true, the driver must write a note."""
    next_step: Literal["retry", "return", "hold"] = "retry"
    """Next step for the order."""
    active: bool = True
    """If true, drivers can choose the reason."""
    position: int = Field(default=100, ge=0, le=10_000)
    """Position in the list."""


class AddReturnReason(ReturnReasonFields):
    """A new return reason."""

    code: Annotated[str, StringConstraints(min_length=1, max_length=40, pattern="^[a-z0-9_]+$")]
    """Code, unique within the business."""


class UpdateReturnReason(ReturnReasonFields):
    """Changes to a return reason."""

    reason_id: Annotated[int, Field(ge=1, le=2**53 - 1)]
    """ID of the return reason."""


class ReturnReasonRecord(Answer):
    """A return reason."""

    id: int
    code: str
    text: Annotated[str, doc("Text in the caller's language.")]
    texts: dict[str, str]
    otep_reason: str
    asks_photo: bool
    asks_note: bool
    next_step: str
    active: bool
    position: int


class ReturnReasonAnswer(Answer):
    """One reason."""

    result: bool = True
    reason: ReturnReasonRecord


class ReturnReasonList(Answer):
    """All return reasons, in their display order."""

    result: bool = True
    reasons: list[ReturnReasonRecord]


@reads(
    "list_return_reasons",
    audience=STAFF,
    scopes={Scope.ORDERS_READ},
    interfaces=(Rest("GET", "/v1/return-reasons"), GraphQL("returnReasons")),
)
async def list_return_reasons(call: Call, request: EmptyRequest) -> ReturnReasonList:
    """List return reasons.

    Reasons are returned in their display order.
    """
    return ReturnReasonList(
        reasons=[_return_reason_record(call, row) for row in await store.list_return_reason_rows(call.work)]
    )


@writes(
    "add_return_reason",
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", "/v1/return-reasons"), GraphQL("addReturnReason")),
    errors=(RETURN_REASON_TAKEN,),
)
async def add_return_reason(call: Call, request: AddReturnReason) -> ReturnReasonAnswer:
    """Add a return reason."""
    try:
        async with call.savepoint():
            id = await store.insert_return_reason(call.work, **request.model_dump())
    except UniqueConflict:
        raise RETURN_REASON_TAKEN(code=request.code) from None
    return await _return_reason_answer(call, id)


@writes(
    "update_return_reason",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("PUT", "/v1/return-reasons/{reason_id}"), GraphQL("updateReturnReason")),
    errors=(NOT_FOUND,),
)
async def update_return_reason(call: Call, request: UpdateReturnReason) -> ReturnReasonAnswer:
    """Replace or disable a return reason.

    The code cannot change because existing orders refer to it.
    """
    if await store.get_return_reason_row(call.work, request.reason_id) is None:
        raise NOT_FOUND()
    await store.update_return_reason(call.work, request.reason_id, **request.model_dump(exclude={"reason_id"}))
    return await _return_reason_answer(call, request.reason_id)


async def _return_reason_answer(call: Call, reason_id: int) -> ReturnReasonAnswer:
    row = await store.get_return_reason_row(call.work, reason_id)
    if row is None:
        raise NOT_FOUND()
    return ReturnReasonAnswer(reason=_return_reason_record(call, row))


def _return_reason_record(call: Call, row: store.ReturnReasonRow) -> ReturnReasonRecord:
    texts = row.texts
    return record(
        ReturnReasonRecord, row, text=texts.get(call.language) or texts.get("en") or next(iter(texts.values()))
    )
