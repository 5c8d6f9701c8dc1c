"""Dispatch hears that an order was cancelled: it leaves the route that has not started, and nobody holds it any more."""

from haulier.contexts.orders.events import OrderCancelled
from haulier.contexts.routes.assignments import actions
from haulier.contexts.routes.assignments.rules import REVOKED
from haulier.contexts.routes.routes import store as route_store
from haulier.contexts.routes.routes.actions.route_orders import remove_orders
from haulier.contexts.routes.routes.rules.state_machine import RouteAction, RouteStatus, next_route_status
from haulier.contexts.routes.stops import store as stop_store
from haulier.kernel.background.events import subscriber
from haulier.kernel.call import Call

ORDER_CANCELLED = "order_cancelled"
"""The end reason of an assignment whose order was cancelled."""


@subscriber(OrderCancelled)
async def remove_cancelled_order(call: Call, event: OrderCancelled) -> None:
    """Take the order off its route and end its assignment. On a route under way its driver gives the stop up.

    Heard twice, it finds nothing more to do.
    """
    stops = await stop_store.list_stops_of_orders(call.work, [event.order_id])
    if stops:
        route = await route_store.get_route_row(call.work, stops[0].route_id, lock=True)
        if next_route_status(RouteAction.REMOVE_ORDERS, RouteStatus(route.status)) is not None:
            await remove_orders(call, route, stops)
    orders = await actions.lock_assignment_candidates(call, [event.order_id])
    held = [order for order in orders.values() if order.holder_id is not None]
    await actions.end_assignments(call, held, REVOKED, ORDER_CANCELLED)
