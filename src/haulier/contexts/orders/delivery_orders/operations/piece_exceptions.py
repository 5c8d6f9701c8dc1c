"""Operations on missing and damaged pieces of delivered orders."""

from typing import Any

from haulier.contexts.identity.public import require_office_user
from haulier.contexts.orders.delivery_orders.contract.piece_exceptions import (
    ListPieceExceptions,
    PieceException,
    PieceExceptionAnswer,
    PieceExceptionList,
    UpdatePieceException,
)
from haulier.contexts.orders.delivery_orders.store import piece_exceptions as store
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Mcp, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, NOT_FOUND, FieldError, record_not_found
from haulier.kernel.operations.records import record
from haulier.kernel.values.pagination import total_fields

PIECE_EXCEPTIONS_PATH = "/v1/orders/piece-exceptions"


@reads(
    "list_piece_exceptions",
    audience=OFFICE,
    scopes={Scope.ORDERS_READ},
    interfaces=(
        Rest("GET", PIECE_EXCEPTIONS_PATH),
        GraphQL("pieceExceptions"),
        Mcp("list_piece_exceptions", title="List package exceptions"),
    ),
)
async def list_piece_exceptions(call: Call, request: ListPieceExceptions) -> PieceExceptionList:
    """List package exceptions.

    Returns packages that were missing or damaged when their order was delivered, with their owner and resolution.
    """
    total, rows = await store.list_piece_exception_rows(
        call.work,
        request.model_dump(include={"owner_id", "kind", "order_id"}, exclude_none=True),
        resolved=request.resolved,
        since=call.span_of_days(request.date_from, request.date_from)[0] if request.date_from else None,
        before=call.span_of_days(request.date_to, request.date_to)[1] if request.date_to else None,
        limit=request.per_page,
        offset=request.offset,
    )
    return PieceExceptionList(
        **total_fields(total),
        page=request.page,
        per_page=request.per_page,
        exceptions=[_exception_record(call, row) for row in rows],
    )


@writes(
    "update_piece_exception",
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(
        Rest("PUT", f"{PIECE_EXCEPTIONS_PATH}/{{exception_id}}"),
        GraphQL("updatePieceException"),
        Mcp("update_piece_exception", title="Update a package exception"),
    ),
    errors=(NOT_FOUND,),
)
async def update_piece_exception(call: Call, request: UpdatePieceException) -> PieceExceptionAnswer:
    """Assign, resolve or reopen a package exception.

    Exceptions are opened for packages that were missing or damaged at delivery.
    """
    row = await store.get_piece_exception(call.work, request.exception_id, lock=True)
    if row is None:
        raise record_not_found(exception_id=request.exception_id)
    if request.owner_id is not None:
        await require_office_user(call, owner_id=request.owner_id)
    values = _changed_values(call, row, request)
    if values:
        await store.update_piece_exception(call.work, row.id, values)
    call.add_audit_subjects("piece_exception", row.id)
    call.add_audit_subjects("order", row.order_id)
    changed = await store.get_piece_exception(call.work, row.id)
    assert changed is not None  # it is locked
    return PieceExceptionAnswer(exception=_exception_record(call, changed))


def _changed_values(call: Call, row: store.PieceExceptionRow, request: UpdatePieceException) -> dict[str, Any]:
    if bool(request.resolved) is not (request.resolution is not None):
        fault = "field.missing" if request.resolved else "field.resolution_without_resolved"
        raise INVALID_REQUEST.for_fields(FieldError("resolution", fault))
    values = request.model_dump(include={"owner_id", "note"} & request.model_fields_set)
    if request.resolved and request.resolution is not None:
        values["resolution"] = request.resolution.value
        if row.resolved_at is None:
            values |= {"resolved_at": call.now, "resolved_by": call.actor}
    elif request.resolved is False:
        values |= {"resolution": None, "resolved_at": None, "resolved_by": None}
    return values


def _exception_record(call: Call, row: store.PieceExceptionRow) -> PieceException:
    return record(
        PieceException,
        row,
        created_at=call.local_time(row.created_at),
        resolved_at=call.local_time(row.resolved_at),
    )
