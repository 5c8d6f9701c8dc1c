"""Holds that ran out are written down, and a cancelled order gives its place back."""

from datetime import datetime

from msgspec import Struct

from haulier.contexts.booking.reservations import store
from haulier.contexts.booking.reservations.rules import ReservationStatus
from haulier.contexts.orders.events import OrderCancelled
from haulier.kernel.background.events import subscriber
from haulier.kernel.background.jobs import job
from haulier.kernel.call import Call
from haulier.kernel.job_run import JobRun

EXPIRE_HOLD_JOB = "reservation.expire"
ORDER_CANCELLED_REASON = "order_cancelled"


class ExpireHold(Struct, frozen=True, kw_only=True):
    """Which hold runs out."""

    reservation_id: int


async def schedule_hold_expiry(call: Call, reservation_id: int, at: datetime) -> None:
    """See to it that a hold is written down as expired. It takes no place from that moment on, written down or not."""
    await call.enqueue(EXPIRE_HOLD_JOB, ExpireHold(reservation_id=reservation_id), run_at=at)


@job(EXPIRE_HOLD_JOB, ExpireHold)
async def expire_hold(run: JobRun, args: ExpireHold) -> None:
    """Write down that a hold expired. One that was confirmed or given up stays as it is."""
    async with run.call() as call:
        await store.expire_reservation(call.work, args.reservation_id, call.now)


@subscriber(OrderCancelled)
async def cancel_reservation_of_order(call: Call, event: OrderCancelled) -> None:
    """End the reservation of an order that was cancelled. Heard twice, it finds nothing more to do."""
    row = await store.get_reservation_of_order(call.work, event.order_id)
    if row is not None:
        ended = {"outcome": ReservationStatus.CANCELLED.value, "ended_at": call.now, "reason": ORDER_CANCELLED_REASON}
        await store.update_booking_row(call.work, store.reservations, row.id, **ended)
