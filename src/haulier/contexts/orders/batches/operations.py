"""Batches of independent orders, created in one call or in the background."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from haulier.contexts.identity.public import get_users_by_id
from haulier.contexts.orders.batches import store
from haulier.contexts.orders.batches.actions import ORDER_BATCH_JOB, ProcessOrderBatch, start_order_batch
from haulier.contexts.orders.batches.contract import (
    BulkCreateOrders,
    BulkCreateOrdersAsync,
    BulkCreateResult,
    GetOrderBatch,
    OrderBatchRef,
    OrderBatchResult,
    OrderBatchStarted,
    OrderRow,
)
from haulier.contexts.orders.batches.serializers import (
    order_batch_errors,
    order_outcome,
    order_outcome_from_row,
    outcome_state,
)
from haulier.contexts.orders.delivery_orders.actions.create import CREATE_ORDER_ERRORS, CreateOutcome, create_orders
from haulier.contexts.orders.delivery_orders.contract.orders import CreateOrder
from haulier.contexts.orders.delivery_orders.serializers import load_warning_facts
from haulier.kernel.background.jobs import job
from haulier.kernel.call import Call
from haulier.kernel.job_run import JobRun
from haulier.kernel.operations.answers import Done
from haulier.kernel.operations.declaration import GraphQL, Mcp, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Account, Risk, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, NOT_FOUND, FieldError, OperationError, declare_error
from haulier.kernel.operations.rows import MalformedRow
from haulier.kernel.operations.stored_errors import error_document
from haulier.kernel.principal import Principal
from haulier.kernel.values.batch_states import batch_state

BATCH_IS_OVER = declare_error("batch_is_over", 409)
ORDERS_PER_TRANSACTION = 50
"""A worker that dies loses the work of one transaction at most; the next worker repeats it."""
BATCH_CREATORS = OFFICE | {Account.CUSTOMER}
MAX_BATCH_BODY_BYTES = 20_000_000


@writes(
    "bulk_create_orders",
    audience=BATCH_CREATORS,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.HIGH,
    confirm=True,
    interfaces=(
        Rest("POST", "/v1/orders/bulk"),
        GraphQL("bulkCreateOrders"),
        Mcp("bulk_create_orders", title="Create many orders"),
    ),
    errors=CREATE_ORDER_ERRORS,
)
async def bulk_create_orders(call: Call, request: BulkCreateOrders) -> BulkCreateResult:
    """Create up to 100 orders.

    A malformed or refused order does not affect the others unless `stop_on_error` is set.
    """
    results = await _create_rows(call, request.orders)
    if request.stop_on_error:
        _raise_first_error(results)
    facts = await load_warning_facts(call, [row for row in request.orders if isinstance(row, CreateOrder)])
    outcomes = [
        order_outcome(call, index, row, result, facts)
        for index, (row, result) in enumerate(zip(request.orders, results, strict=True))
    ]
    count = Counter(outcome.state for outcome in outcomes)
    return BulkCreateResult(
        result=bool(count["created"] or count["existing"]),
        created=count["created"],
        existing=count["existing"],
        failed=count["refused"],
        outcomes=outcomes,
        errors=order_batch_errors(outcomes),
    )


async def _create_rows(call: Call, rows: Sequence[OrderRow]) -> list[CreateOutcome]:
    """The outcome of each row; a malformed one is refused, and the rest are created."""
    orders = [row for row in rows if isinstance(row, CreateOrder)]
    outcomes = iter(await create_orders(call, orders))
    return [
        CreateOutcome(None, error=INVALID_REQUEST.for_fields(*row.field_errors))
        if isinstance(row, MalformedRow)
        else next(outcomes)
        for row in rows
    ]


def _raise_first_error(results: Sequence[CreateOutcome]) -> None:
    """Raise the first order's error for the whole call.

    Each field error names the index of its order.
    """
    errors = {index: result.error for index, result in enumerate(results) if result.error}
    if errors:
        first = next(iter(errors.values()))
        raise first.error_type.for_fields(
            *(named for index, error in errors.items() for named in _field_errors_of_order(index, error)),
            **first.params,
        )


def _field_errors_of_order(index: int, error: OperationError) -> list[FieldError]:
    own = error.field_errors or (FieldError("", error.error_type.id, error.params),)
    return [FieldError(f"orders.{index}.{each.field}".removesuffix("."), each.code, each.params) for each in own]


@writes(
    "bulk_create_orders_async",
    audience=BATCH_CREATORS,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.HIGH,
    confirm=True,
    body_limit_bytes=MAX_BATCH_BODY_BYTES,
    interfaces=(
        Rest("POST", "/v1/client/batchOrderCreateAsync"),
        GraphQL("clientBatchOrderCreateAsync"),
        Mcp("bulk_create_orders_async", title="Create many orders in the background"),
    ),
)
async def bulk_create_orders_async(call: Call, request: BulkCreateOrdersAsync) -> OrderBatchStarted:
    """Create up to 5,000 orders in the background.

    Returns the batch immediately, even if some of its orders are invalid.
    """
    return await start_order_batch(call, request.orders)


@reads(
    "get_async_batch_result",
    audience=BATCH_CREATORS,
    scopes={Scope.ORDERS_READ},
    interfaces=(
        Rest("GET", "/v1/client/async/{id}"),
        GraphQL("clientAsync"),
        Mcp("get_async_batch_result", title="Get a batch"),
    ),
    errors=(NOT_FOUND,),
)
async def get_async_batch_result(call: Call, request: GetOrderBatch) -> OrderBatchResult:
    """Get the progress and outcomes of a batch.

    Outcomes of its orders are paged.
    """
    batch = await _visible_batch(call, request.id)
    count = await store.count_batch_rows_by_state(call.work, request.id)
    rows = await store.list_batch_rows_page(call.work, request.id, request.offset, request.per_page)
    outcomes = [order_outcome_from_row(call, row) for row in rows]
    return OrderBatchResult(
        total=batch.total,
        page=request.page,
        per_page=request.per_page,
        async_id=batch.id,
        # Refused rows do not count: malformed orders are refused before processing begins.
        state=batch_state(
            batch.total,
            count.get("created", 0) + count.get("existing", 0) or count.get("queued", 0) == 0,
            count.get("refused", 0),
            batch.finished_at,
            batch.cancelled_at,
        ),
        done=batch.total - count.get("queued", 0),
        created=count.get("created", 0),
        existing=count.get("existing", 0),
        failed=count.get("refused", 0),
        created_at=call.local_time(batch.created_at),
        finished_at=call.local_time(batch.finished_at),
        outcomes=outcomes,
        errors=order_batch_errors(outcomes),
    )


@writes(
    "cancel_async_batch",
    audience=BATCH_CREATORS,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", "/v1/client/async/{id}/cancel"), GraphQL("cancelClientAsync")),
    errors=(NOT_FOUND, BATCH_IS_OVER),
)
async def cancel_async_batch(call: Call, request: OrderBatchRef) -> Done:
    """Cancel a batch of orders.

    Orders that are not created yet are cancelled. Orders already created remain.
    """
    batch = await _visible_batch(call, request.id, lock=True)
    if batch.finished_at:
        raise BATCH_IS_OVER()
    await store.cancel_order_batch(call.work, request.id, call.now)
    return Done(message=call.translate("batch_cancelled"))


@job(ORDER_BATCH_JOB, ProcessOrderBatch, queue="batches")
async def process_order_batch(run: JobRun, args: ProcessOrderBatch) -> None:
    """Create the orders of a batch as the user who sent it, 50 per transaction.

    Running it again creates no duplicates.
    """
    first = 0
    while True:  # Continue by row number: a search for queued rows would scan the finished ones each time.
        async with run.call() as call:
            batch = await store.get_order_batch_row(call.work, args.batch_id, lock=True)
            if batch is None:
                return
            rows: list[store.BatchOutcomeRow] = []
            while not rows and first < batch.total:
                page = await store.list_batch_rows_page(call.work, args.batch_id, first, ORDERS_PER_TRANSACTION)
                rows = [row for row in page if row.state == "queued"]
                first += ORDERS_PER_TRANSACTION
            if not rows:
                if not batch.finished_at:
                    await store.finish_order_batch(call.work, args.batch_id, call.now)
                return
            sender = replace(call, principal=await _batch_principal(call, batch))
            results = await create_orders(sender, [CreateOrder.model_validate(row.request) for row in rows])
            await store.update_batch_rows(
                call.work, [_batch_row_update(row, result) for row, result in zip(rows, results, strict=True)]
            )


async def _batch_principal(call: Call, batch: store.BatchRow) -> Principal:
    people = await get_users_by_id(call, [batch.created_by]) if batch.created_by else {}
    name = people[batch.created_by].name if batch.created_by in people else None
    own = call.principal
    return Principal(
        Account(batch.account), user_id=batch.created_by, name=name, business=own.business, scopes=own.scopes
    )


async def _visible_batch(call: Call, id: int, *, lock: bool = False) -> store.BatchRow:
    batch = await store.get_order_batch_row(call.work, id, lock=lock)
    if batch is None or not (call.principal.account in OFFICE or batch.created_by == call.actor):
        raise NOT_FOUND()
    return batch


def _batch_row_update(row: store.BatchOutcomeRow, result: CreateOutcome) -> dict[str, Any]:
    return {
        "row": row.id,
        "new_state": outcome_state(result),
        "new_order_id": result.row.id if result.row else None,
        "new_number": result.row.tracking_number if result.row else None,
        "new_fault": error_document(result.error) if result.error else None,
    }
