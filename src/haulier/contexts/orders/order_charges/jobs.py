"""Jobs that charge delivered orders."""

from collections.abc import Sequence

from haulier.contexts.orders.events import OrderStatusChanged
from haulier.contexts.orders.order_charges.actions import reconcile_order_charge
from haulier.contexts.orders.order_charges.rules import CHARGE_JOB, ChargeOrders, affects_charge
from haulier.kernel.background.events import DomainEvent, before_commit
from haulier.kernel.background.jobs import job
from haulier.kernel.call import Call
from haulier.kernel.job_run import JobRun


@before_commit(OrderStatusChanged)
async def charge_delivered_orders(call: Call, events: Sequence[DomainEvent]) -> None:
    """Enqueue one job for all orders that a transaction delivered or undid."""
    ids = [
        event.order_id
        for event in events
        if isinstance(event, OrderStatusChanged) and affects_charge(event.step, event.status)
    ]
    if ids:
        await call.enqueue(CHARGE_JOB, ChargeOrders(list(dict.fromkeys(ids))))


@job(CHARGE_JOB, ChargeOrders, queue="batches")
async def charge_orders(run: JobRun, args: ChargeOrders) -> None:
    """Charge or refund each order in a separate transaction.

    Running it again changes nothing.
    """
    for order_id in args.order_ids:
        async with run.call() as call:
            await reconcile_order_charge(call, order_id)
