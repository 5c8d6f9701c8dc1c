"""Backorders whose orders were released or cancelled."""

from collections.abc import Sequence

from haulier.contexts.orders.backorders.actions import end_backorders
from haulier.contexts.orders.backorders.rules import BackorderState
from haulier.contexts.orders.events import OrderCancelled, OrderReleased
from haulier.kernel.background.events import DomainEvent, before_commit
from haulier.kernel.call import Call


@before_commit(OrderReleased, OrderCancelled)
async def end_with_orders(call: Call, events: Sequence[DomainEvent]) -> None:
    """End the backorders of released and cancelled orders."""
    released = {event.order_id for event in events if isinstance(event, OrderReleased)}
    cancelled = {event.order_id for event in events if isinstance(event, OrderCancelled)}
    await end_backorders(call, sorted(released - cancelled), BackorderState.RELEASED)
    await end_backorders(call, sorted(cancelled), BackorderState.CANCELLED)
