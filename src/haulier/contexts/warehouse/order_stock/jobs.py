"""Jobs that reserve stock for orders, and release it."""

from collections.abc import Sequence

from haulier.contexts.orders.events import (
    BackorderChanged,
    BackorderCreated,
    OrderCancelled,
    OrderChanged,
    OrderCreated,
    OrderReleased,
)
from haulier.contexts.orders.public import list_waiting_backorders
from haulier.contexts.warehouse.events import StockFreed
from haulier.contexts.warehouse.order_stock import store
from haulier.contexts.warehouse.order_stock.actions import (
    fill_backorder,
    release_for_order,
    reserve_for_order,
)
from haulier.contexts.warehouse.order_stock.contract import ReserveWhen
from haulier.contexts.warehouse.order_stock.queries import get_reserve_policy
from haulier.contexts.warehouse.order_stock.rules import BACKORDER_JOB, ORDER_STOCK_JOB, FillBackorders, ReserveOrders
from haulier.kernel.background.events import DomainEvent, before_commit
from haulier.kernel.background.jobs import job
from haulier.kernel.call import Call
from haulier.kernel.job_run import JobRun
from haulier.kernel.operations.enums import OFFICE


def _find_owner(call: Call) -> int | None:
    """Return the user of a call if they are office staff, to handle what is short."""
    return call.actor if call.principal.account in OFFICE else None


@before_commit(OrderCreated, OrderReleased)
async def reserve_by_policy(call: Call, events: Sequence[DomainEvent]) -> None:
    """Enqueue the reservation of orders with products, if the policy says so."""
    created = [event.order_id for event in events if isinstance(event, OrderCreated) and event.has_products]
    released = [event.order_id for event in events if isinstance(event, OrderReleased)]
    if not created and not released:
        return
    by_policy = {ReserveWhen.AT_CREATION: created, ReserveWhen.AT_RELEASE: released}
    if wanted := by_policy.get(await get_reserve_policy(call)):
        await call.enqueue(ORDER_STOCK_JOB, ReserveOrders(list(dict.fromkeys(wanted)), owner_id=_find_owner(call)))


@before_commit(OrderCancelled)
async def release_cancelled(call: Call, events: Sequence[DomainEvent]) -> None:
    """Enqueue the release of stock that cancelled orders hold."""
    ids = {event.order_id for event in events if isinstance(event, OrderCancelled)}
    held = [row.order_id for row in await store.list_order_stock_rows(call.work, ids)]
    if held:
        await call.enqueue(ORDER_STOCK_JOB, ReserveOrders(held, release=True, reserve=False))


@before_commit(OrderChanged)
async def reserve_changed_items(call: Call, events: Sequence[DomainEvent]) -> None:
    """Enqueue a new reservation of orders with stock and corrected items."""
    ids = {event.order_id for event in events if isinstance(event, OrderChanged) and event.items_changed}
    held = [row.order_id for row in await store.list_order_stock_rows(call.work, ids)]
    if held:
        await call.enqueue(ORDER_STOCK_JOB, ReserveOrders(held, release=True, owner_id=_find_owner(call)))


@job(ORDER_STOCK_JOB, ReserveOrders, queue="batches")
async def reserve_orders(run: JobRun, args: ReserveOrders) -> None:
    """Reserve or release the stock of each order in a transaction of its own.

    Running it again changes nothing.
    """
    for order_id in args.order_ids:
        async with run.call() as call:
            if args.release:
                await release_for_order(call, order_id)
            if args.reserve:
                await reserve_for_order(call, order_id, args.owner_id)


@before_commit(StockFreed, BackorderCreated, BackorderChanged)
async def fill_after_arrival(call: Call, events: Sequence[DomainEvent]) -> None:
    """Enqueue the filling of backorders if any waits."""
    if await list_waiting_backorders(call, most=1):
        await call.enqueue(BACKORDER_JOB, FillBackorders())


@job(BACKORDER_JOB, FillBackorders, queue="batches")
async def fill_backorders(run: JobRun, args: FillBackorders) -> None:
    """Reserve available stock for backorders, oldest first, one transaction each.

    A younger backorder gets no unit of a product that an older one still misses. Running it again changes nothing.
    """
    starved: set[int] = set()
    after = 0
    while True:
        async with run.call() as call:
            waiting = await list_waiting_backorders(call, after=after)
        if not waiting:
            return
        for each in waiting:
            async with run.call() as call:
                starved.update(await fill_backorder(call, each, starved))
        after = waiting[-1].id
