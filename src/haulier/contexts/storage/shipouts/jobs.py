"""Ship-outs follow the deliveries that they became."""

from collections.abc import Sequence

from msgspec import Struct

from haulier.contexts.orders.events import OrderStatusChanged
from haulier.contexts.storage.shipouts import store
from haulier.contexts.storage.shipouts.actions.orders import deliver_shipout, ship_shipout
from haulier.contexts.storage.shipouts.rules import ShipoutStatus
from haulier.kernel.background.events import DomainEvent, before_commit
from haulier.kernel.background.jobs import job
from haulier.kernel.call import Call
from haulier.kernel.job_run import JobRun

FOLLOW_SHIPOUT_JOB = "follow_delivery_of_shipout"
LEAVING_STATUSES = frozenset({"PICKED_UP", "OUT_FOR_DELIVERY"})
DELIVERED = "DELIVERED"


class FollowShipout(Struct, frozen=True):
    """The delivery, and whether it came to its end."""

    order_id: int
    delivered: bool


@before_commit
async def notice_deliveries_of_shipouts(call: Call, events: Sequence[DomainEvent]) -> None:
    """Let a job follow the deliveries of ship-outs.

    # Why not subscribe: each step of each order would enqueue a job, and few deliveries are of ship-outs.
    """
    moved = {
        event.order_id: event.status
        for event in events
        if isinstance(event, OrderStatusChanged) and event.status in LEAVING_STATUSES | {DELIVERED}
    }
    for order_id in await store.list_deliveries_of_shipouts(call.work, moved) if moved else ():
        await call.enqueue(FOLLOW_SHIPOUT_JOB, FollowShipout(order_id, moved[order_id] == DELIVERED))


@job(FOLLOW_SHIPOUT_JOB, FollowShipout)
async def follow_delivery_of_shipout(run: JobRun, args: FollowShipout) -> None:
    """A ship-out has left when its driver took it, and is delivered when they say so."""
    async with run.call() as call:
        row = await store.lock_shipout_of_delivery(call.work, args.order_id)
        if row is None:
            return
        if args.delivered and row.status in (ShipoutStatus.CONFIRMED, ShipoutStatus.SHIPPED):
            await deliver_shipout(call, row)
        elif row.status == ShipoutStatus.CONFIRMED:
            await ship_shipout(call, row)
