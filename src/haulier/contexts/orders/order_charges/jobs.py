"""Jobs that charge orders."""

from collections.abc import Sequence

from haulier.contexts.billing.public import ChargeTime, get_known_charge_time
from haulier.contexts.orders.events import OrderChanged, OrderCreated, OrderStatusChanged
from haulier.contexts.orders.order_charges.actions import reconcile_order_charge
from haulier.contexts.orders.order_charges.rules import CHARGE_JOB, ChargeOrders, affects_charge, affects_early_charge
from haulier.contexts.orders.order_charges.store import list_early_charged
from haulier.kernel.background.events import DomainEvent, before_commit
from haulier.kernel.background.jobs import job
from haulier.kernel.call import Call
from haulier.kernel.job_run import JobRun


@before_commit(OrderStatusChanged)
async def charge_delivered_orders(call: Call, events: Sequence[DomainEvent]) -> None:
    """Enqueue one job for the orders that a transaction delivered, undid or ended."""
    steps = [event for event in events if isinstance(event, OrderStatusChanged)]
    ids = [event.order_id for event in steps if affects_charge(event.step, event.status)]
    ended = [event.order_id for event in steps if affects_early_charge(event.step, event.status)]
    if ended and await get_known_charge_time(call) is not ChargeTime.ON_CREATION:
        ended = await list_early_charged(call.work, ended)
    await _enqueue(call, [*ids, *ended])


@before_commit(OrderCreated, OrderChanged)
async def charge_new_orders(call: Call, events: Sequence[DomainEvent]) -> None:
    """Enqueue one job for created or changed orders charged on creation."""
    ids = [
        event.order_id
        for event in events
        if isinstance(event, OrderChanged) or (isinstance(event, OrderCreated) and event.is_payable)
    ]
    if ids and await get_known_charge_time(call) is ChargeTime.ON_CREATION:
        await _enqueue(call, ids)


async def _enqueue(call: Call, order_ids: Sequence[int]) -> None:
    if order_ids:
        await call.enqueue(CHARGE_JOB, ChargeOrders(list(dict.fromkeys(order_ids))))


@job(CHARGE_JOB, ChargeOrders, queue="batches")
async def charge_orders(run: JobRun, args: ChargeOrders) -> None:
    """Charge or refund each order in a separate transaction.

    Running it again changes nothing.
    """
    for order_id in args.order_ids:
        async with run.call() as call:
            await reconcile_order_charge(call, order_id)
