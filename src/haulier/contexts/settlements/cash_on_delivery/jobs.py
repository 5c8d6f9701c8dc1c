"""What is due for an order is recorded however its delivery was reported: by the office as well."""

from haulier.contexts.routes.events import StopCompleted
from haulier.contexts.routes.public import get_route_row
from haulier.contexts.routes.stops.rules import StopKind
from haulier.contexts.settlements.cash_on_delivery.actions.entries import DeliveredStop, record_cod_due
from haulier.kernel.background.events import subscriber
from haulier.kernel.call import Call


@subscriber(StopCompleted)
async def record_due_of_delivered_order(call: Call, event: StopCompleted) -> None:
    """Record what is due, unless the driver's own report did so already."""
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
