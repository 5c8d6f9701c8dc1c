"""Returns whose return order was cancelled."""

from collections.abc import Sequence

from haulier.contexts.orders.events import OrderCancelled, OrderReturnChanged
from haulier.contexts.orders.order_returns.rules import OrderReturnState
from haulier.contexts.orders.order_returns.store import set_state_of_return_orders
from haulier.kernel.background.events import DomainEvent, before_commit
from haulier.kernel.call import Call


@before_commit(OrderCancelled)
async def cancel_returns(call: Call, events: Sequence[DomainEvent]) -> None:
    """Cancel the open returns of cancelled return orders."""
    ids = {event.order_id for event in events if isinstance(event, OrderCancelled)}
    before, state = OrderReturnState.OPEN, OrderReturnState.CANCELLED
    for row in await set_state_of_return_orders(call.work, ids, before, state, call.now):
        await call.publish(OrderReturnChanged(order_return_id=row.id, order_id=row.order_id, state=row.state))
