"""Batches: many orders in one call, now or in the background, each on its own merits."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from haulier.contexts.access.public import users
from haulier.contexts.orders.batches import store
from haulier.contexts.orders.batches.contract import (
    BatchAnswer,
    BatchOutcome,
    BatchStarted,
    BulkCreate,
    BulkCreated,
    BulkCreateLater,
    ReadBatch,
    ThisBatch,
)
from haulier.contexts.orders.delivery_orders.contract import CreateOrder
from haulier.contexts.orders.delivery_orders.creating import REFUSALS, Taken, take_all
from haulier.kernel.answers import Done
from haulier.kernel.call import Call
from haulier.kernel.declarations import OFFICE, Account, Risk, Scope
from haulier.kernel.errands import errand
from haulier.kernel.errors import NOT_FOUND, Fault, Refusal, problem
from haulier.kernel.operation import GraphQL, Mcp, Rest, reads, writes
from haulier.kernel.principal import Principal
from haulier.kernel.run import Run

BATCH_IS_OVER = problem("batch_is_over", 409)
CHUNK = 50
"""Orders a transaction: a worker that dies loses at most the work of one chunk, and repeats it."""
MAKERS = OFFICE | {Account.CUSTOMER}
BODY_MAX = 20_000_000


class MakeBatch(Struct, frozen=True):
    """The errand of working off a batch."""

    batch_id: int


@writes(
    "bulk_create_orders",
    audience=MAKERS,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.HIGH,
    confirm=True,
    doors=(
        Rest("POST", "/v1/orders/bulk"),
        GraphQL("bulkCreateOrders"),
        Mcp("bulk_create_orders", title="Create many orders"),
    ),
    errors=REFUSALS,
)
async def bulk_create_orders(call: Call, request: BulkCreate) -> BulkCreated:
    """Take up to 100 orders in one call. One that is refused does not stop the others, unless told to."""
    taken = await take_all(call, request.orders)
    if request.stop_on_error:
        _refuse_all(taken)
    outcomes = [_outcome(call, at, request.orders[at].order_ref, each) for at, each in enumerate(taken)]
    count = Counter(outcome.state for outcome in outcomes)
    return BulkCreated(
        result=bool(count["created"] or count["existing"]),
        created=count["created"],
        existing=count["existing"],
        failed=count["refused"],
        outcomes=outcomes,
    )


def _refuse_all(taken: Sequence[Taken]) -> None:
    """Refuse the whole call when an order was refused, as the first was; every fault names the order's place."""
    refused = {at: each.refusal for at, each in enumerate(taken) if each.refusal}
    if refused:
        first = next(iter(refused.values()))
        raise first.problem.at(*(_placed(at, each) for at, each in refused.items()), **first.params)


def _placed(at: int, refusal: Refusal) -> Fault:
    if refusal.faults:
        said = refusal.faults[0]
        return Fault(f"orders.{at}.{said.field}", said.code, said.params)
    return Fault(f"orders.{at}", refusal.problem.id, refusal.params)


@writes(
    "bulk_create_orders_async",
    audience=MAKERS,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.HIGH,
    confirm=True,
    body_limit_bytes=BODY_MAX,
    doors=(
        Rest("POST", "/v1/client/batchOrderCreateAsync", tag="Batches"),
        GraphQL("clientBatchOrderCreateAsync"),
        Mcp("bulk_create_orders_async", title="Create many orders later"),
    ),
)
async def bulk_create_orders_async(call: Call, request: BulkCreateLater) -> BatchStarted:
    """Take up to 5,000 orders in the background; the answer names the batch at once."""
    batch = {
        "total": len(request.orders),
        "created_by": call.actor,
        "account": call.principal.account.value,
        "created_at": call.now,
    }
    id = await store.add(call.work, batch, [each.model_dump(mode="json") for each in request.orders])
    await call.post("orders.batch", MakeBatch(id))
    return BatchStarted(async_id=id, total=len(request.orders))


@reads(
    "get_async_batch_result",
    audience=MAKERS,
    scopes={Scope.ORDERS_READ},
    doors=(
        Rest("GET", "/v1/client/async/{id}", tag="Batches"),
        GraphQL("clientAsync"),
        Mcp("get_async_batch_result", title="Read a batch"),
    ),
    errors=(NOT_FOUND,),
)
async def get_async_batch_result(call: Call, request: ReadBatch) -> BatchAnswer:
    """Read how far a batch is and what became of its orders, a page at a time."""
    batch = await _own(call, request.id)
    count = await store.counts(call.work, request.id)
    found = await store.page(call.work, request.id, request.offset, request.per_page)
    return BatchAnswer(
        total=batch.total,
        page=request.page,
        per_page=request.per_page,
        async_id=batch.id,
        state=_state(batch, count),
        done=batch.total - count.get("queued", 0),
        created=count.get("created", 0),
        existing=count.get("existing", 0),
        failed=count.get("refused", 0),
        created_at=batch.created_at,
        finished_at=batch.finished_at,
        outcomes=[_told(call, row) for row in found],
    )


@writes(
    "cancel_async_batch",
    audience=MAKERS,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("POST", "/v1/client/async/{id}/cancel", tag="Batches"), GraphQL("cancelClientAsync")),
    errors=(NOT_FOUND, BATCH_IS_OVER),
)
async def cancel_async_batch(call: Call, request: ThisBatch) -> Done:
    """Cancel what a batch has not worked off yet; orders that were taken stay."""
    batch = await _own(call, request.id, lock=True)
    if batch.finished_at:
        raise BATCH_IS_OVER()
    await store.cancel(call.work, request.id, call.now)
    return Done(message=call.say("batch_cancelled"))


@errand("orders.batch", MakeBatch, lane="batches")
async def work_off(run: Run, args: MakeBatch) -> None:
    """Take the orders of a batch, a chunk a transaction, as the user who sent it. Repeating it takes nothing twice."""
    while True:
        async with run.call() as call:
            batch = await store.one(call.work, args.batch_id, lock=True)
            rows = await store.queued(call.work, args.batch_id, CHUNK) if batch else []
            if not rows:
                if batch and not batch.finished_at:
                    await store.finish(call.work, args.batch_id, call.now)
                return
            sender = replace(call, principal=await _sender(call, batch))
            taken = await take_all(sender, [CreateOrder.model_validate(row.request) for row in rows])
            await store.set_rows(call.work, [_row(row, each) for row, each in zip(rows, taken, strict=True)])


async def _sender(call: Call, batch: Any) -> Principal:
    people = await users(call, [batch.created_by]) if batch.created_by else {}
    name = people[batch.created_by].name if batch.created_by in people else None
    own = call.principal
    return Principal(
        Account(batch.account), user_id=batch.created_by, name=name, business=own.business, scopes=own.scopes
    )


async def _own(call: Call, id: int, *, lock: bool = False) -> Any:
    batch = await store.one(call.work, id, lock=lock)
    mine = call.principal.account in OFFICE or (batch and batch.created_by == call.actor)
    if batch is None or not mine:
        raise NOT_FOUND()
    return batch


def _state(batch: Any, count: dict[str, int]) -> str:
    if batch.cancelled_at:
        return "cancelled"
    if not batch.finished_at:
        return "queued" if count.get("queued", 0) == batch.total else "running"
    if not count.get("refused"):
        return "done"
    return "failed" if count["refused"] == batch.total else "partly_done"


def _row(row: Any, taken: Taken) -> dict[str, Any]:
    return {
        "row": row.id,
        "new_state": _name(taken),
        "new_order_id": taken.row.id if taken.row else None,
        "new_number": taken.row.tracking_number if taken.row else None,
        "new_fault": _fault(taken.refusal) if taken.refusal else None,
    }


def _fault(refusal: Refusal) -> dict[str, Any]:
    said = refusal.faults[0] if refusal.faults else None
    return {"id": said.code if said else refusal.problem.id, "params": dict(said.params if said else refusal.params)}


def _name(taken: Taken) -> str:
    return "refused" if taken.refusal else "existing" if taken.existing else "created"


def _outcome(call: Call, at: int, order_ref: str | None, taken: Taken) -> BatchOutcome:
    fault = _fault(taken.refusal) if taken.refusal else None
    return BatchOutcome(
        index=at,
        order_ref=order_ref,
        state=_name(taken),
        order_id=taken.row.id if taken.row else None,
        tracking_number=taken.row.tracking_number if taken.row else None,
        code=fault["id"].removeprefix("field.").upper() if fault else None,
        message=call.say(fault["id"], **fault["params"]) if fault else None,
    )


def _told(call: Call, row: Any) -> BatchOutcome:
    fault = row.fault
    return BatchOutcome(
        index=row.number,
        order_ref=row.request.get("order_ref"),
        state=row.state,
        order_id=row.order_id,
        tracking_number=row.tracking_number,
        code=fault["id"].removeprefix("field.").upper() if fault else None,
        message=call.say(fault["id"], **fault["params"]) if fault else None,
    )
