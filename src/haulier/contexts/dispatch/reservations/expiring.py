"""Holds that ran out are written down, and a cancelled order gives its place back."""

from datetime import datetime

from msgspec import Struct

from haulier.contexts.dispatch.reservations import store
from haulier.contexts.dispatch.reservations.rules import ReservationStatus
from haulier.contexts.orders.events import OrderCancelled
from haulier.kernel.call import Call
from haulier.kernel.errands import errand
from haulier.kernel.events import hears
from haulier.kernel.run import Run

EXPIRE = "reservation.expire"
BECAUSE_CANCELLED = "order_cancelled"


class ExpireHold(Struct, frozen=True, kw_only=True):
    """Which hold runs out."""

    reservation_id: int


async def expire_at(call: Call, reservation_id: int, at: datetime) -> None:
    """See to it that a hold is written down as expired. It takes no place from that moment on, written down or not."""
    await call.post(EXPIRE, ExpireHold(reservation_id=reservation_id), run_at=at)


@errand(EXPIRE, ExpireHold)
async def expire_hold(run: Run, args: ExpireHold) -> None:
    """Write down that a hold expired. One that was confirmed or given up stays as it is."""
    async with run.call() as call:
        await store.expire(call.work, args.reservation_id, call.now)


@hears(OrderCancelled)
async def give_place_back(call: Call, event: OrderCancelled) -> None:
    """End the reservation of an order that was cancelled. Heard twice, it finds nothing more to do."""
    row = await store.of_order(call.work, event.order_id)
    if row is not None:
        ended = {"outcome": ReservationStatus.CANCELLED.value, "ended_at": call.now, "reason": BECAUSE_CANCELLED}
        await store.change(call.work, store.reservations, row.id, **ended)
