"""Batches: many orders in one call, now or in the background, each on its own merits."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from haulier.contexts.identity.public import get_users_by_id
from haulier.contexts.orders.batches import store
from haulier.contexts.orders.batches.contract import (
    BulkCreateOrders,
    BulkCreateOrdersAsync,
    BulkCreateResult,
    GetOrderBatch,
    OrderBatchOutcome,
    OrderBatchRef,
    OrderBatchResult,
    OrderBatchStarted,
)
from haulier.contexts.orders.delivery_orders.actions.create import CREATE_ORDER_ERRORS, CreateOutcome, create_orders
from haulier.contexts.orders.delivery_orders.contract.orders import CreateOrder
from haulier.kernel.background.jobs import job
from haulier.kernel.call import Call
from haulier.kernel.job_run import JobRun
from haulier.kernel.operations.answers import Done
from haulier.kernel.operations.declaration import GraphQL, Mcp, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Account, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND, FieldError, OperationError, declare_error
from haulier.kernel.principal import Principal

BATCH_IS_OVER = declare_error("batch_is_over", 409)
ORDERS_PER_TRANSACTION = 50
"""Orders a transaction: a worker that dies loses at most the work of one chunk, and repeats it."""
BATCH_CREATORS = OFFICE | {Account.CUSTOMER}
MAX_BATCH_BODY_BYTES = 20_000_000


class ProcessOrderBatch(Struct, frozen=True):
    """The errand of working off a batch."""

    batch_id: int


@writes(
    "bulk_create_orders",
    audience=BATCH_CREATORS,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.HIGH,
    confirm=True,
    doors=(
        Rest("POST", "/v1/orders/bulk"),
        GraphQL("bulkCreateOrders"),
        Mcp("bulk_create_orders", title="Create many orders"),
    ),
    errors=CREATE_ORDER_ERRORS,
)
async def bulk_create_orders(call: Call, request: BulkCreateOrders) -> BulkCreateResult:
    """Take up to 100 orders in one call. One that is refused does not stop the others, unless told to."""
    taken = await create_orders(call, request.orders)
    if request.stop_on_error:
        _raise_first_refusal(taken)
    outcomes = [_order_outcome(call, at, request.orders[at].order_ref, each) for at, each in enumerate(taken)]
    count = Counter(outcome.state for outcome in outcomes)
    return BulkCreateResult(
        result=bool(count["created"] or count["existing"]),
        created=count["created"],
        existing=count["existing"],
        failed=count["refused"],
        outcomes=outcomes,
    )


def _raise_first_refusal(taken: Sequence[CreateOutcome]) -> None:
    """Refuse the whole call when an order was refused, as the first was; every fault names the order's place."""
    refused = {at: each.refusal for at, each in enumerate(taken) if each.refusal}
    if refused:
        first = next(iter(refused.values()))
        raise first.error_type.for_fields(
            *(_field_error_of_order(at, each) for at, each in refused.items()), **first.params
        )


def _field_error_of_order(at: int, refusal: OperationError) -> FieldError:
    if refusal.field_errors:
        said = refusal.field_errors[0]
        return FieldError(f"orders.{at}.{said.field}", said.code, said.params)
    return FieldError(f"orders.{at}", refusal.error_type.id, refusal.params)


@writes(
    "bulk_create_orders_async",
    audience=BATCH_CREATORS,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.HIGH,
    confirm=True,
    body_limit_bytes=MAX_BATCH_BODY_BYTES,
    doors=(
        Rest("POST", "/v1/client/batchOrderCreateAsync", tag="Batches"),
        GraphQL("clientBatchOrderCreateAsync"),
        Mcp("bulk_create_orders_async", title="Create many orders later"),
    ),
)
async def bulk_create_orders_async(call: Call, request: BulkCreateOrdersAsync) -> OrderBatchStarted:
    """Take up to 5,000 orders in the background; the answer names the batch at once."""
    batch = {
        "total": len(request.orders),
        "created_by": call.actor,
        "account": call.principal.account.value,
        "created_at": call.now,
    }
    id = await store.insert_order_batch(call.work, batch, [each.model_dump(mode="json") for each in request.orders])
    await call.enqueue("orders.batch", ProcessOrderBatch(id))
    return OrderBatchStarted(async_id=id, total=len(request.orders))


@reads(
    "get_async_batch_result",
    audience=BATCH_CREATORS,
    scopes={Scope.ORDERS_READ},
    doors=(
        Rest("GET", "/v1/client/async/{id}", tag="Batches"),
        GraphQL("clientAsync"),
        Mcp("get_async_batch_result", title="Read a batch"),
    ),
    errors=(NOT_FOUND,),
)
async def get_async_batch_result(call: Call, request: GetOrderBatch) -> OrderBatchResult:
    """Read how far a batch is and what became of its orders, a page at a time."""
    batch = await _visible_batch(call, request.id)
    count = await store.count_batch_rows_by_state(call.work, request.id)
    found = await store.list_batch_rows_page(call.work, request.id, request.offset, request.per_page)
    return OrderBatchResult(
        total=batch.total,
        page=request.page,
        per_page=request.per_page,
        async_id=batch.id,
        state=_batch_state(batch, count),
        done=batch.total - count.get("queued", 0),
        created=count.get("created", 0),
        existing=count.get("existing", 0),
        failed=count.get("refused", 0),
        created_at=batch.created_at,
        finished_at=batch.finished_at,
        outcomes=[_order_outcome_from_row(call, row) for row in found],
    )


@writes(
    "cancel_async_batch",
    audience=BATCH_CREATORS,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("POST", "/v1/client/async/{id}/cancel", tag="Batches"), GraphQL("cancelClientAsync")),
    errors=(NOT_FOUND, BATCH_IS_OVER),
)
async def cancel_async_batch(call: Call, request: OrderBatchRef) -> Done:
    """Cancel what a batch has not worked off yet; orders that were taken stay."""
    batch = await _visible_batch(call, request.id, lock=True)
    if batch.finished_at:
        raise BATCH_IS_OVER()
    await store.cancel_order_batch(call.work, request.id, call.now)
    return Done(message=call.translate("batch_cancelled"))


@job("orders.batch", ProcessOrderBatch, queue="batches")
async def process_order_batch(run: JobRun, args: ProcessOrderBatch) -> None:
    """Take the orders of a batch, a chunk a transaction, as the user who sent it. Repeating it takes nothing twice."""
    while True:
        async with run.call() as call:
            batch = await store.get_order_batch_row(call.work, args.batch_id, lock=True)
            rows = await store.list_queued_batch_rows(call.work, args.batch_id, ORDERS_PER_TRANSACTION) if batch else []
            if not rows:
                if batch and not batch.finished_at:
                    await store.finish_order_batch(call.work, args.batch_id, call.now)
                return
            sender = replace(call, principal=await _batch_principal(call, batch))
            taken = await create_orders(sender, [CreateOrder.model_validate(row.request) for row in rows])
            await store.update_batch_rows(
                call.work, [_batch_row_update(row, each) for row, each in zip(rows, taken, strict=True)]
            )


async def _batch_principal(call: Call, batch: Any) -> Principal:
    people = await get_users_by_id(call, [batch.created_by]) if batch.created_by else {}
    name = people[batch.created_by].name if batch.created_by in people else None
    own = call.principal
    return Principal(
        Account(batch.account), user_id=batch.created_by, name=name, business=own.business, scopes=own.scopes
    )


async def _visible_batch(call: Call, id: int, *, lock: bool = False) -> Any:
    batch = await store.get_order_batch_row(call.work, id, lock=lock)
    mine = call.principal.account in OFFICE or (batch and batch.created_by == call.actor)
    if batch is None or not mine:
        raise NOT_FOUND()
    return batch


def _batch_state(batch: Any, count: dict[str, int]) -> str:
    if batch.cancelled_at:
        return "cancelled"
    if not batch.finished_at:
        return "queued" if count.get("queued", 0) == batch.total else "running"
    if not count.get("refused"):
        return "done"
    return "failed" if count["refused"] == batch.total else "partly_done"


def _batch_row_update(row: Any, taken: CreateOutcome) -> dict[str, Any]:
    return {
        "row": row.id,
        "new_state": _outcome_state(taken),
        "new_order_id": taken.row.id if taken.row else None,
        "new_number": taken.row.tracking_number if taken.row else None,
        "new_fault": _refusal_document(taken.refusal) if taken.refusal else None,
    }


def _refusal_document(refusal: OperationError) -> dict[str, Any]:
    said = refusal.field_errors[0] if refusal.field_errors else None
    return {"id": said.code if said else refusal.error_type.id, "params": dict(said.params if said else refusal.params)}


def _outcome_state(taken: CreateOutcome) -> str:
    return "refused" if taken.refusal else "existing" if taken.existing else "created"


def _order_outcome(call: Call, at: int, order_ref: str | None, taken: CreateOutcome) -> OrderBatchOutcome:
    fault = _refusal_document(taken.refusal) if taken.refusal else None
    return OrderBatchOutcome(
        index=at,
        order_ref=order_ref,
        state=_outcome_state(taken),
        order_id=taken.row.id if taken.row else None,
        tracking_number=taken.row.tracking_number if taken.row else None,
        code=fault["id"].removeprefix("field.").upper() if fault else None,
        message=call.translate(fault["id"], **fault["params"]) if fault else None,
    )


def _order_outcome_from_row(call: Call, row: Any) -> OrderBatchOutcome:
    fault = row.fault
    return OrderBatchOutcome(
        index=row.number,
        order_ref=row.request.get("order_ref"),
        state=row.state,
        order_id=row.order_id,
        tracking_number=row.tracking_number,
        code=fault["id"].removeprefix("field.").upper() if fault else None,
        message=call.translate(fault["id"], **fault["params"]) if fault else None,
    )
