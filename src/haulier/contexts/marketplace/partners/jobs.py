"""When the giver cancels an order, all its offers end, also the one by which a partner has it."""

from haulier.contexts.marketplace.partners import store
from haulier.contexts.orders.events import OrderCancelled
from haulier.kernel.background.events import subscriber
from haulier.kernel.call import Call


@subscriber(OrderCancelled)
async def end_offers_of_cancelled_order(call: Call, event: OrderCancelled) -> None:
    """End every offer of the order. Handling the event twice changes nothing more."""
    await store.cancel_offers_of_order(call.work, event.order_id, call.now)
