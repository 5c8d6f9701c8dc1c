"""The reservation of an order that the office moved goes with it."""

from haulier.contexts.booking.reservations.actions.order_windows import follow_order
from haulier.contexts.orders.events import OrderChanged
from haulier.kernel.background.events import subscriber
from haulier.kernel.call import Call


@subscriber(OrderChanged)
async def move_reservation_of_order(call: Call, event: OrderChanged) -> None:
    """Bring the reservation to where its order is. Handling the event twice changes nothing more."""
    await follow_order(call, event.order_id)
