"""One-step reservations for recipients, who have no account."""

from haulier.contexts.booking.reservations.actions.order_windows import get_bookable_order, promise_order_window
from haulier.contexts.booking.reservations.actions.waiting_lists import offer_free_places
from haulier.contexts.booking.reservations.actions.window_places import require_free_place, require_zone
from haulier.contexts.booking.reservations.rules import WINDOW_CUT_OFF
from haulier.contexts.booking.reservations.store import bookings as store
from haulier.contexts.booking.reservations.store.tables import BookingWindowRow, ReservationRow
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import record_not_found


async def book_order_window(call: Call, order_id: int, window_id: int) -> None:
    """Reserve a window for an order, replacing an earlier one.

    The caller checks access to the order. Raises `NOT_FOUND` for an unknown window, or for one with a price, since
    the payer was not asked. Raises `ORDER_NOT_BOOKABLE`, `WINDOW_CLOSED`, `WINDOW_CUT_OFF`, `WINDOW_FULL` or
    `WINDOW_ELSEWHERE`.
    """
    reservation = await store.get_reservation_of_order(call.work, order_id)
    ids = [window_id, *([reservation.window_id] if reservation else [])]
    windows = await BookingWindowRow.lock_many(call.work, ids)
    window = windows.get(window_id)
    if window is None or window.price_minor:
        raise record_not_found(window_id=window_id)
    order = await get_bookable_order(call, order_id, reserved=reservation and reservation.id)
    if reservation and reservation.window_id == window_id:
        return
    if reservation and call.now >= windows[reservation.window_id].cut_off_at:
        raise WINDOW_CUT_OFF()
    await require_zone(call, order.postal_code or "", window)
    await require_free_place(call, window)
    if reservation:
        await ReservationRow.update(call.work, reservation.id, {"window_id": window.id})
    else:
        await ReservationRow.insert(
            call.work,
            window_id=window.id,
            postal_code=order.postal_code or "",
            customer_id=order.customer_id,
            order_id=order.id,
            held_at=call.now,
            expires_at=call.now,
            confirmed_at=call.now,
        )
    await promise_order_window(call, order, window)
    if reservation:
        await offer_free_places(call, reservation.window_id)
