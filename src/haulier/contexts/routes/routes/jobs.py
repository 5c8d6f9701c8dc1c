"""A cancelled order leaves a route that has not started, and its assignment ends."""

from haulier.contexts.orders.events import OrderCancelled
from haulier.contexts.routes.assignments import actions
from haulier.contexts.routes.assignments.rules import REVOKED
from haulier.contexts.routes.routes.actions.route_orders import remove_orders
from haulier.contexts.routes.routes.queries import get_route_row
from haulier.contexts.routes.routes.rules.state_machine import RouteAction, RouteStatus, next_route_status
from haulier.contexts.routes.stops.queries import list_stops_of_orders
from haulier.kernel.background.events import subscriber
from haulier.kernel.call import Call

ORDER_CANCELLED = "order_cancelled"
"""The end reason of an assignment whose order was cancelled."""


@subscriber(OrderCancelled)
async def remove_cancelled_order(call: Call, event: OrderCancelled) -> None:
    """Take the order off its route and end its assignment; handling the event twice changes nothing more.

    On a route under way the stop stays, and the driver reports it as failed.
    """
    stops = await list_stops_of_orders(call, [event.order_id])
    if stops:
        route = await get_route_row(call, stops[0].route_id, lock=True)
        if route and next_route_status(RouteAction.REMOVE_ORDERS, RouteStatus(route.status)) is not None:
            await remove_orders(call, route, stops)
    orders = await actions.lock_assignment_candidates(call, [event.order_id])
    held = [order for order in orders.values() if order.holder_id is not None]
    await actions.end_assignments(call, held, REVOKED, ORDER_CANCELLED)
