"""The giver cancels an order: nobody is offered it any more, and a partner who has it hears that it is over."""

from haulier.contexts.dispatch.partners import store
from haulier.contexts.orders.events import OrderCancelled
from haulier.kernel.call import Call
from haulier.kernel.events import hears


@hears(OrderCancelled)
async def end_offers_of_cancelled_order(call: Call, event: OrderCancelled) -> None:
    """End every offer of the order. Heard twice, it finds nothing more to do."""
    await store.cancel(call.work, event.order_id, call.now)
