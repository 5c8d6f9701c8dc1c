"""Event handlers that record and reverse cash on delivery."""

from collections.abc import Sequence

from haulier.contexts.orders.delivery_orders.rules.lifecycle import UNDOING_STEPS
from haulier.contexts.orders.events import OrderStatusChanged
from haulier.contexts.orders.public import OrderStep
from haulier.contexts.routes.events import StopCompleted
from haulier.contexts.routes.public import get_route_row
from haulier.contexts.routes.stops.rules import StopKind
from haulier.contexts.settlements.cash_on_delivery.actions import DeliveredStop, record_cod_due, reverse_cod_of_orders
from haulier.kernel.background.events import DomainEvent, before_commit, subscriber
from haulier.kernel.call import Call


@subscriber(StopCompleted)
async def record_due_of_delivered_order(call: Call, event: StopCompleted) -> None:
    """Record the amount due unless the driver's own report already did."""
    route = await get_route_row(call, event.route_id)
    if route is None or event.kind != StopKind.DELIVERY:
        return
    stop = DeliveredStop(
        order_id=event.order_id,
        stop_id=event.stop_id,
        driver_id=route.driver_id,
        contractor_id=route.contractor_id,
        at=event.at,
    )
    await record_cod_due(call, stop)


@before_commit(OrderStatusChanged)
async def reverse_cod_of_undone_deliveries(call: Call, events: Sequence[DomainEvent]) -> None:
    """Reverse the amounts of undone deliveries in the same transaction.

    Otherwise a driver who delivers the order again immediately would still find the first amounts.
    """
    undone = [
        event.order_id for event in events if isinstance(event, OrderStatusChanged) and event.step in UNDOING_STEPS
    ]
    if undone:
        await reverse_cod_of_orders(call, undone, OrderStep.UNDO_DELIVERY.value)
