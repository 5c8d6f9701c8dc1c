"""Expiry of holds, and cancellation with the order."""

from haulier.contexts.booking.reservations.actions.endings import cancel_place
from haulier.contexts.booking.reservations.actions.waiting_lists import (
    offer_free_places,
    settle_offer,
    tell_reservation,
)
from haulier.contexts.booking.reservations.actions.work import EXPIRE_HOLD_JOB, LAPSED, ExpireHold, send_letter
from haulier.contexts.booking.reservations.rules import ReservationStatus, WaitingStatus
from haulier.contexts.booking.reservations.store import bookings as store
from haulier.contexts.booking.reservations.store.tables import ReservationRow
from haulier.contexts.orders.events import OrderCancelled
from haulier.kernel.background.events import subscriber
from haulier.kernel.background.jobs import job
from haulier.kernel.call import Call
from haulier.kernel.job_run import JobRun

ORDER_CANCELLED_REASON = "order_cancelled"


@job(EXPIRE_HOLD_JOB, ExpireHold)
async def expire_hold(run: JobRun, args: ExpireHold) -> None:
    """Mark a hold as expired and offer its place to the next entry.

    A confirmed or cancelled reservation does not change.
    """
    async with run.call() as call:
        expired = await store.expire_reservation(call.work, args.reservation_id, call.now)
        row = await ReservationRow.get(call.work, args.reservation_id) if expired else None
        if row is None:
            return
        await tell_reservation(call, row, ReservationStatus.EXPIRED)
        entry = await settle_offer(call, row.id, WaitingStatus.LAPSED)
        if entry is not None:
            await send_letter(call, entry.id, LAPSED)
        await offer_free_places(call, row.window_id)


@subscriber(OrderCancelled)
async def cancel_reservation_of_order(call: Call, event: OrderCancelled) -> None:
    """Cancel the reservation of a cancelled order. Repeated events change nothing."""
    row = await store.get_reservation_of_order(call.work, event.order_id)
    if row is not None and row.checked_in_at is None:
        await cancel_place(call, row, ORDER_CANCELLED_REASON)
