"""Who drives a route: the driver takes it over with its orders, or hands it back."""

from typing import Any

from haulier.contexts.fleet.drivers import store as driver_store
from haulier.contexts.orders.public import assign_orders_to_driver
from haulier.contexts.routes.events import RouteAssigned
from haulier.contexts.routes.routes import store
from haulier.contexts.routes.routes.rules.state_machine import RouteAction, RouteStatus, next_route_status_or_raise
from haulier.contexts.routes.stops import store as stop_store
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError


async def get_assignable_driver(call: Call, driver_id: int, contractor_id: int | None) -> Any:
    """The driver, when they drive for whose route it is and may be given routes; a fault of the field otherwise."""
    driver = await driver_store.get_driver_row(call.work, driver_id)
    if driver is None or driver.contractor_id != contractor_id:
        raise INVALID_REQUEST.for_fields(FieldError("driver_id", "field.driver_unknown"))
    if not driver.active:
        raise INVALID_REQUEST.for_fields(FieldError("driver_id", "field.driver_inactive"))
    return driver


async def assign_driver(call: Call, route: Any, driver: Any) -> None:
    """Give a route to a driver, or take it back where there is none. A published route brings them its orders.

    Raises `ROUTE_CANNOT`.
    """
    act = RouteAction.ASSIGN_DRIVER if driver else RouteAction.UNASSIGN_DRIVER
    reached = next_route_status_or_raise(act, RouteStatus(route.status))
    await store.update_route(call.work, route.id, driver_id=driver.id if driver else None, status=reached)
    if route.published_at is not None:
        await share_route_orders_with_driver(call, route.id, driver.user_id if driver else None)
    await call.publish(RouteAssigned(route_id=route.id, driver_id=driver.id if driver else None))


async def share_route_orders_with_driver(call: Call, route_id: int, user_id: int | None) -> None:
    """Who drives the route has its orders, in every list; None takes them from whoever had them."""
    stops = await stop_store.list_stops_of_routes(call.work, [route_id])
    if order_ids := sorted({stop.order_id for stop in stops}):
        await assign_orders_to_driver(call, order_ids, user_id)
