"""Dispatch hears that an order was cancelled: it leaves the route that has not started, and nobody holds it any more."""

from haulier.contexts.dispatch.assignments import handover
from haulier.contexts.dispatch.assignments.rules import REVOKED
from haulier.contexts.dispatch.routes import store as route_store
from haulier.contexts.dispatch.routes.boarding import take_off
from haulier.contexts.dispatch.routes.rules.machine import RouteAct, RouteStatus, after
from haulier.contexts.dispatch.stops import store as stop_store
from haulier.contexts.orders.events import OrderCancelled
from haulier.kernel.call import Call
from haulier.kernel.events import hears

ORDER_CANCELLED = "order_cancelled"
"""The end reason of an assignment whose order was cancelled."""


@hears(OrderCancelled)
async def forget_cancelled_order(call: Call, event: OrderCancelled) -> None:
    """Take the order off its route and end its assignment. On a route under way its driver gives the stop up.

    Heard twice, it finds nothing more to do.
    """
    stops = await stop_store.of_orders(call.work, [event.order_id])
    if stops:
        route = await route_store.one(call.work, stops[0].route_id, lock=True)
        if after(RouteAct.TAKE_ORDERS_OFF, RouteStatus(route.status)) is not None:
            await take_off(call, route, stops)
    orders = await handover.candidates(call, [event.order_id])
    held = [order for order in orders.values() if order.holder_id is not None]
    await handover.end(call, held, REVOKED, ORDER_CANCELLED)
