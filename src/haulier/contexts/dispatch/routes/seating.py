"""Who drives a route: the driver takes it over with its orders, or hands it back."""

from typing import Any

from haulier.contexts.dispatch.drivers import store as driver_store
from haulier.contexts.dispatch.events import RouteAssigned
from haulier.contexts.dispatch.routes import store
from haulier.contexts.dispatch.routes.rules.machine import RouteAct, RouteStatus, must
from haulier.contexts.dispatch.stops import store as stop_store
from haulier.contexts.orders.public import give_to_driver
from haulier.kernel.call import Call
from haulier.kernel.errors import INVALID_REQUEST, Fault


async def driver_for(call: Call, driver_id: int, contractor_id: int | None) -> Any:
    """The driver, when they drive for whose route it is and may be given routes; a fault of the field otherwise."""
    driver = await driver_store.one(call.work, driver_id)
    if driver is None or driver.contractor_id != contractor_id:
        raise INVALID_REQUEST.at(Fault("driver_id", "field.driver_unknown"))
    if not driver.active:
        raise INVALID_REQUEST.at(Fault("driver_id", "field.driver_inactive"))
    return driver


async def seat(call: Call, route: Any, driver: Any) -> None:
    """Give a route to a driver, or take it back where there is none. A published route brings them its orders.

    Raises `ROUTE_CANNOT`.
    """
    act = RouteAct.ASSIGN_DRIVER if driver else RouteAct.UNASSIGN_DRIVER
    reached = must(act, RouteStatus(route.status))
    await store.change(call.work, route.id, driver_id=driver.id if driver else None, status=reached)
    if route.published_at is not None:
        await tell_driver(call, route.id, driver.user_id if driver else None)
    await call.announce(RouteAssigned(route_id=route.id, driver_id=driver.id if driver else None))


async def tell_driver(call: Call, route_id: int, user_id: int | None) -> None:
    """Who drives the route has its orders, in every list; None takes them from whoever had them."""
    stops = await stop_store.of_routes(call.work, [route_id])
    if order_ids := sorted({stop.order_id for stop in stops}):
        await give_to_driver(call, order_ids, user_id)
