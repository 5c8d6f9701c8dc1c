"""Expired holds are marked as expired, and the reservation of a cancelled order ends."""

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
    """Which hold expires."""

    reservation_id: int


async def schedule_hold_expiry(call: Call, reservation_id: int, at: datetime) -> None:
    """Schedule the job that marks a hold as expired. From `at` on it takes no place, marked or not."""
    await call.enqueue(EXPIRE_HOLD_JOB, ExpireHold(reservation_id=reservation_id), run_at=at)


@job(EXPIRE_HOLD_JOB, ExpireHold)
async def expire_hold(run: JobRun, args: ExpireHold) -> None:
    """Mark a hold as expired. One that was confirmed or cancelled stays as it is."""
    async with run.call() as call:
        await store.expire_reservation(call.work, args.reservation_id, call.now)


@subscriber(OrderCancelled)
async def cancel_reservation_of_order(call: Call, event: OrderCancelled) -> None:
    """Cancel the reservation of an order that was cancelled; handling the event twice changes nothing more."""
    row = await store.get_reservation_of_order(call.work, event.order_id)
    if row is not None:
        ended = {"outcome": ReservationStatus.CANCELLED.value, "ended_at": call.now, "reason": ORDER_CANCELLED_REASON}
        await store.update_reservation(call.work, row.id, **ended)
