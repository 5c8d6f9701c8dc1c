"""Moves of reservations with orders that staff rescheduled."""

from haulier.contexts.booking.reservations.actions.order_windows import follow_order
from haulier.contexts.orders.events import OrderChanged
from haulier.kernel.background.events import subscriber
from haulier.kernel.call import Call


@subscriber(OrderChanged)
async def move_reservation_of_order(call: Call, event: OrderChanged) -> None:
    """Move the reservation to its order's new time. Repeated events change nothing."""
    await follow_order(call, event.order_id)
