"""The giver cancels an order: nobody is offered it any more, and a partner who has it hears that it is over."""

from haulier.contexts.marketplace.partners import store
from haulier.contexts.orders.events import OrderCancelled
from haulier.kernel.background.events import subscriber
from haulier.kernel.call import Call


@subscriber(OrderCancelled)
async def end_offers_of_cancelled_order(call: Call, event: OrderCancelled) -> None:
    """End every offer of the order. Heard twice, it finds nothing more to do."""
    await store.cancel_offers_of_order(call.work, event.order_id, call.now)
