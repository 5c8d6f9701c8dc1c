"""A box that was kept for an order to be handed in is free again once the order is cancelled."""

from haulier.contexts.lockers.drop_offs.actions.plans import release_drop_off
from haulier.contexts.orders.events import OrderCancelled
from haulier.kernel.background.events import subscriber
from haulier.kernel.call import Call


@subscriber(OrderCancelled)
async def release_drop_off_of_cancelled_order(call: Call, event: OrderCancelled) -> None:
    """Give up the box of an order that is cancelled. Handling the event twice changes nothing more."""
    await release_drop_off(call, event.order_id)
