"""What somebody leaves behind who is disabled, or a module that is switched off: it is given back, for a port of identity."""

from collections.abc import Collection, Sequence

from haulier.contexts.fleet.public import get_driver_row_by_user, list_driver_rows
from haulier.contexts.identity.public import LeftBehind
from haulier.contexts.routes.assignments.actions import end_assignments, lock_assignment_candidates
from haulier.contexts.routes.assignments.queries import list_held_order_ids
from haulier.contexts.routes.assignments.rules import REVOKED
from haulier.contexts.routes.events import RouteCancelled
from haulier.contexts.routes.ports import CashCarried, StandbyEndReason, StandbyQueue
from haulier.contexts.routes.routes import store
from haulier.contexts.routes.routes.actions.driver_assignment import assign_driver
from haulier.contexts.routes.routes.actions.route_orders import remove_orders
from haulier.contexts.routes.routes.notifications import mark_routes_changed
from haulier.contexts.routes.routes.rules.state_machine import RouteStatus
from haulier.contexts.routes.routes.store import RouteRow
from haulier.contexts.routes.stops.queries import list_stops_of_routes
from haulier.kernel.call import Call
from haulier.kernel.operations.enums import Account, Module

CONTRACTOR_DISABLED, MODULE_OFF = "contractor_disabled", "module_off"
"""Why assignments ended and routes were cancelled."""
WAITING_STATUSES = (RouteStatus.DRAFT, RouteStatus.ASSIGNED)
DRIVERS_MAX = 1_000
ROUTES_MAX = 2_000
"""Routes that are looked at; nobody plans as many."""


class GivenBackWork:
    """Implements the port from the tables of routes and assignments."""

    async def give_back_of_user(self, call: Call, user_id: int, account: Account) -> LeftBehind:
        """Give back what waits for a contractor or driver. What is under way goes on, in the office's sight."""
        if account is Account.CONTRACTOR:
            left = await _give_back_of_contractor(call, user_id)
            drivers, _ = await list_driver_rows(call, {"contractor": user_id}, limit=DRIVERS_MAX, offset=0)
        else:
            driver = await get_driver_row_by_user(call, user_id) if account is Account.DRIVER else None
            drivers = [driver] if driver else []
            left = await give_back_of_driver(call, driver.id) if driver else LeftBehind()
        left.cash_minor = await call.adapter(CashCarried).get_cash_carried(call, [driver.id for driver in drivers])
        return left

    async def give_back_of_module(self, call: Call, module: Module) -> LeftBehind:
        """Give back what only a module could give back. Orders on routes stay on them."""
        if module is not Module.BROKER_ORDER_ASSIGNMENTS:
            return LeftBehind()
        given_back, kept = await _end_assignments(call, await list_held_order_ids(call), MODULE_OFF)
        return LeftBehind(orders_given_back=given_back, orders_on_routes=kept)


async def _give_back_of_contractor(call: Call, contractor_id: int) -> LeftBehind:
    routes = await _list_routes(call, "contractor", contractor_id)
    waiting = [route for route in routes if route.status in WAITING_STATUSES]
    await _cancel_routes(call, waiting)
    given_back, kept = await _end_assignments(call, await list_held_order_ids(call, contractor_id), CONTRACTOR_DISABLED)
    return LeftBehind(
        orders_given_back=given_back,
        orders_on_routes=kept,
        routes_given_back=[route.id for route in waiting],
        routes_under_way=[route.id for route in routes if route.status == RouteStatus.STARTED],
    )


async def give_back_of_driver(call: Call, driver_id: int) -> LeftBehind:
    """Take from a driver the routes that they have not started; what is under way goes on."""
    routes = await _list_routes(call, "driver", driver_id)
    waiting = [route for route in routes if route.status == RouteStatus.ASSIGNED]
    for route in waiting:
        await assign_driver(call, route, None)
        await call.adapter(StandbyQueue).promote_next(call, route)
    mark_routes_changed(call, *waiting)
    return LeftBehind(
        routes_given_back=[route.id for route in waiting],
        routes_under_way=[route.id for route in routes if route.status == RouteStatus.STARTED],
    )


async def _list_routes(call: Call, filter_name: str, id: int) -> list[RouteRow]:
    """The routes of a contractor or driver that are not over, locked."""
    found: list[RouteRow] = []
    for status in (*WAITING_STATUSES, RouteStatus.STARTED):
        filters = {filter_name: id, "standing": status.value}
        found += (await store.list_route_rows(call.work, filters, limit=ROUTES_MAX, offset=0))[0]
    return list((await store.get_route_rows(call.work, [route.id for route in found], lock=True)).values())


async def _cancel_routes(call: Call, routes: Sequence[RouteRow]) -> None:
    for route in routes:
        stops = await list_stops_of_routes(call, [route.id])
        await remove_orders(call, route, stops)
        order_ids = tuple(sorted({stop.order_id for stop in stops}))
        await call.publish(RouteCancelled(route_id=route.id, order_ids=order_ids))
    if routes:
        ids = [route.id for route in routes]
        await store.update_routes(call.work, ids, status=RouteStatus.CANCELLED, cancel_reason=CONTRACTOR_DISABLED)
        await call.adapter(StandbyQueue).close(call, ids, StandbyEndReason.CANCELLED)
        mark_routes_changed(call, *routes)


async def _end_assignments(call: Call, order_ids: Collection[int], why: str) -> tuple[int, int]:
    """End the assignments of orders that stand on no route. Returns how many ended, and how many did not."""
    orders = await lock_assignment_candidates(call, order_ids) if order_ids else {}
    free = [order for order in orders.values() if order.route_id is None and order.holder_id is not None]
    await end_assignments(call, free, REVOKED, why)
    return len(free), len(orders) - len(free)
