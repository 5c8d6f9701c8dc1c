"""What is due for an order is recorded however its delivery was reported, and taken back with it."""

from haulier.contexts.routes.events import StopCompleted, StopReopened
from haulier.contexts.routes.public import get_route_row, get_stop_rows
from haulier.contexts.routes.stops.rules import SUCCESSFUL, StopKind
from haulier.contexts.settlements.cash_on_delivery.actions.entries import (
    DeliveredStop,
    record_cod_due,
    reverse_cod_of_stop,
)
from haulier.kernel.background.events import subscriber
from haulier.kernel.call import Call


@subscriber(StopCompleted)
async def record_due_of_delivered_order(call: Call, event: StopCompleted) -> None:
    """Record what is due, unless the driver's own report did so already."""
    route = await get_route_row(call, event.route_id)
    visit = (await get_stop_rows(call, [event.stop_id])).get(event.stop_id)
    if route is None or visit is None or event.kind != StopKind.DELIVERY or visit.status not in SUCCESSFUL:
        return
    stop = DeliveredStop(
        order_id=event.order_id,
        stop_id=event.stop_id,
        driver_id=route.driver_id,
        contractor_id=route.contractor_id,
        at=event.at,
    )
    await record_cod_due(call, stop)


@subscriber(StopReopened)
async def take_back_cash_of_undone_delivery(call: Call, event: StopReopened) -> None:
    """Take back what was due, and what was said to be taken, for a delivery that never was."""
    await reverse_cod_of_stop(call, event.stop_id, event.reason)
