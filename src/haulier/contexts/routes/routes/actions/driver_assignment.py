"""A route is given to a driver with its orders, or taken back."""

from typing import Any

from haulier.contexts.fleet.public import get_driver_row, get_driver_row_by_user
from haulier.contexts.orders.public import assign_orders_to_driver
from haulier.contexts.routes.events import RouteAssigned
from haulier.contexts.routes.routes import store
from haulier.contexts.routes.routes.rules.state_machine import RouteAction, RouteStatus, next_route_status_or_raise
from haulier.contexts.routes.routes.store import RouteRow
from haulier.contexts.routes.stops.queries import list_stops_of_routes
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError


async def get_assignable_driver(call: Call, driver_id: int, contractor_id: int | None) -> Any:
    """The row of an active driver of the contractor, or of the client itself. Raises `INVALID_REQUEST`."""
    driver = await get_driver_row(call, driver_id)
    if driver is None or driver.contractor_id != contractor_id:
        of_user = await get_driver_row_by_user(call, driver_id)
        if of_user is not None and of_user.contractor_id == contractor_id:
            raise INVALID_REQUEST.for_fields(
                FieldError("driver_id", "field.user_id_for_driver", {"driver_id": of_user.id})
            )
        raise INVALID_REQUEST.for_fields(FieldError("driver_id", "field.driver_unknown"))
    if not driver.active:
        raise INVALID_REQUEST.for_fields(FieldError("driver_id", "field.driver_inactive"))
    return driver


async def assign_driver(call: Call, route: RouteRow, driver: Any) -> None:
    """Give a route to a driver, or take it back when `driver` is None; with it its orders, once it is published.

    Raises `ROUTE_CANNOT`.
    """
    action = RouteAction.ASSIGN_DRIVER if driver else RouteAction.UNASSIGN_DRIVER
    status = next_route_status_or_raise(action, RouteStatus(route.status))
    await store.update_route(call.work, route.id, driver_id=driver.id if driver else None, status=status)
    user_id = driver.user_id if driver and route.published_at is not None else None
    await share_route_orders_with_driver(call, route.id, user_id, driver.id if driver else None)
    await call.publish(RouteAssigned(route_id=route.id, driver_id=driver.id if driver else None))


async def share_route_orders_with_driver(call: Call, route_id: int, user_id: int | None, driver_id: int | None) -> None:
    """Assign the orders of a route to its driver, and to the driver's account where it may see them."""
    stops = await list_stops_of_routes(call, [route_id])
    if order_ids := sorted({stop.order_id for stop in stops}):
        await assign_orders_to_driver(call, order_ids, user_id, driver_id)
