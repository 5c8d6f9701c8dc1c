"""Writes of routes for other families: driver assignment."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from haulier.contexts.fleet.public import (
    DriverRow,
    get_depot_row,
    get_driver_row,
    get_driver_row_by_user,
    get_vehicle_rows,
    list_driver_rows,
    require_driver_documents,
)
from haulier.contexts.identity.public import LeftBehind
from haulier.contexts.orders.public import OrderStep, apply_order_transition, assign_orders_to_driver
from haulier.contexts.routes.assignments.actions import end_assignments, lock_assignment_candidates
from haulier.contexts.routes.assignments.queries import list_held_order_ids
from haulier.contexts.routes.assignments.rules import REVOKED
from haulier.contexts.routes.events import RouteAssigned, RouteCancelled, RouteCreated, RouteStarted, StopsHandedOver
from haulier.contexts.routes.ports import CashCarried, StandbyEndReason, StandbyQueue
from haulier.contexts.routes.routes import store
from haulier.contexts.routes.routes.actions.route_orders import (
    ROUTE_FULL,
    UNKNOWN_PLAN_END,
    get_informed_driver_user_id,
    remove_orders,
)
from haulier.contexts.routes.routes.contract import (
    STOPS_MAX,
    AssignRouteDriver,
    CreateRoute,
    HandOverStops,
    RouteAnswer,
)
from haulier.contexts.routes.routes.notifications import mark_routes_changed, notify_day_changed
from haulier.contexts.routes.routes.queries import lock_routes_for_actions, to_route_state, to_stop_states
from haulier.contexts.routes.routes.rules.progress import (
    RouteAction,
    RouteStatus,
    next_route_status_or_raise,
    stops_to_hand_over,
)
from haulier.contexts.routes.routes.rules.sequence import (
    ROUTE_ON_THE_ROAD,
    STOP_STAYS,
    check_routes_match,
    check_stops_on_route,
)
from haulier.contexts.routes.routes.serializers import load_route_detail
from haulier.contexts.routes.routes.store import RouteRow
from haulier.contexts.routes.stops.actions import detach_stops, hand_over_stops, renumber_stops
from haulier.contexts.routes.stops.queries import StopRow, list_stops_of_routes
from haulier.contexts.routes.stops.rules import StopCancelReason, StopStatus
from haulier.kernel.call import Call
from haulier.kernel.operations.enums import Account, Module
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError, declare_error


async def get_assignable_driver(call: Call, driver_id: int, contractor_id: int | None) -> Any:
    """Return an active driver of the contractor, or of the client itself.

    Raises `INVALID_REQUEST`.
    """
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


async def require_usable_vehicle(call: Call, vehicle_id: int, contractor_id: int | None) -> None:
    """Check that a vehicle in use belongs to the contractor, or to the client.

    Raises `INVALID_REQUEST`.
    """
    vehicle = (await get_vehicle_rows(call, [vehicle_id])).get(vehicle_id)
    if vehicle is None or vehicle.contractor_id != contractor_id or vehicle.retired_at:
        raise INVALID_REQUEST.for_fields(FieldError("vehicle_id", "field.vehicle_unknown"))


async def resolve_vehicle(call: Call, request: AssignRouteDriver, route: RouteRow) -> int | None:
    """Return the requested vehicle, or the present one if it is kept.

    Raises `INVALID_REQUEST`.
    """
    if "vehicle_id" not in request.model_fields_set:
        return _kept_vehicle_id(route, request.driver_id)
    if request.vehicle_id is not None and request.vehicle_id != route.vehicle_id:
        await require_usable_vehicle(call, request.vehicle_id, route.contractor_id)
    return request.vehicle_id


def _kept_vehicle_id(route: RouteRow, driver_id: int | None) -> int | None:
    """Return the vehicle that the route keeps, or None.

    It is kept if the route has no driver yet, or if its driver stays.
    """
    return route.vehicle_id if route.driver_id in (None, driver_id) else None


async def assign_driver(call: Call, route: RouteRow, driver: Any) -> None:
    """Assign a route to a driver, or unassign it if `driver` is None.

    Raises `ROUTE_CANNOT`.
    """
    await assign_driver_and_vehicle(call, route, driver, _kept_vehicle_id(route, driver.id if driver else None))


async def assign_driver_and_vehicle(call: Call, route: RouteRow, driver: Any, vehicle_id: int | None) -> None:
    """Assign a route to a driver and a vehicle. Both can be None.

    Its orders follow once it is published. Raises `ROUTE_CANNOT`.
    """
    action = RouteAction.ASSIGN_DRIVER if driver else RouteAction.UNASSIGN_DRIVER
    status = next_route_status_or_raise(action, RouteStatus(route.status))
    driver_id = driver.id if driver else None
    await store.update_route(call.work, route.id, driver_id=driver_id, vehicle_id=vehicle_id, status=status)
    user_id = driver.user_id if driver and route.published_at is not None else None
    await share_route_orders_with_driver(call, route.id, user_id, driver.id if driver else None)
    await call.publish(RouteAssigned(route_id=route.id, driver_id=driver.id if driver else None))


async def share_route_orders_with_driver(call: Call, route_id: int, user_id: int | None, driver_id: int | None) -> None:
    """Assign a route's orders to its driver, and to the account that may see them."""
    stops = await list_stops_of_routes(call, [route_id])
    if order_ids := sorted({stop.order_id for stop in stops}):
        await assign_orders_to_driver(call, order_ids, user_id, driver_id)


NOTHING_TO_HAND_OVER = declare_error("nothing_to_hand_over", 409)


async def hand_over(call: Call, request: HandOverStops) -> tuple[int, int]:
    """Hand stops over, and return the ids of the receiving and the giving route.

    Raises `NOT_FOUND`, `ROUTE_CHANGED`, `ROUTE_CANNOT`, `STOP_NOT_ON_ROUTE`, `STOP_STAYS`, `NOTHING_TO_HAND_OVER`,
    `ROUTES_DO_NOT_MATCH`, `ROUTE_ON_THE_ROAD`, `ROUTE_FULL`, `DRIVER_DOCUMENTS_NOT_IN_ORDER` or `INVALID_REQUEST`.
    """
    ids = [request.route_id, *([request.to_route_id] if request.to_route_id else [])]
    rows = await lock_routes_for_actions(
        call, dict.fromkeys(ids, RouteAction.HAND_OVER), {request.route_id: request.expected_version}
    )
    source = rows[request.route_id]
    stops = await list_stops_of_routes(call, [source.id])
    leaving = _stops_that_leave(stops, request.stop_ids)
    if request.to_route_id:
        target = _require_taking_route(source, rows[request.to_route_id])
    else:
        target = await _start_sibling_route(call, source, request.driver_id or 0)
    await _transfer(call, source, target, stops, leaving)
    order_ids = sorted({stop.order_id for stop in leaving})
    await _record_driver_in_orders(call, source, target, order_ids, request.reason)
    mark_routes_changed(call, source, target)
    await call.publish(
        StopsHandedOver(
            route_id=target.id,
            from_route_id=source.id,
            driver_id=target.driver_id,
            from_driver_id=source.driver_id,
            order_ids=tuple(order_ids),
            at=call.now,
        )
    )
    return target.id, source.id


def _stops_that_leave(stops: Sequence[StopRow], chosen: Sequence[int] | None) -> list[StopRow]:
    """Return the stops to hand over.

    All that can move, or the chosen ones with the other stops of their orders.
    """
    states = to_stop_states(stops)
    movable = {stop.id for stop in stops_to_hand_over(states)}
    if chosen is not None:
        if error := check_stops_on_route(chosen, {stop.id for stop in stops}):
            raise error
        if staying := [id for id in chosen if id not in movable]:
            raise STOP_STAYS(stop_id=staying[0])
        orders = {stop.order_id for stop in stops if stop.id in chosen}
        movable = {stop.id for stop in stops if stop.id in movable and stop.order_id in orders}
    if not movable:
        raise NOTHING_TO_HAND_OVER()
    return [stop for stop in stops if stop.id in movable]


def _require_taking_route(source: RouteRow, target: RouteRow) -> RouteRow:
    """Return the receiving route, or raise the error that prevents it.

    Another route under way, of the same day and planner.
    """
    if target.id == source.id:
        raise INVALID_REQUEST.for_fields(FieldError("to_route_id", "field.route_itself"))
    if target.status != RouteStatus.STARTED:
        raise ROUTE_ON_THE_ROAD()
    if error := check_routes_match(to_route_state(source), to_route_state(target)):
        raise error
    return target


async def _start_sibling_route(call: Call, source: RouteRow, driver_id: int) -> RouteRow:
    """Start a route of the same day and depot for another driver.

    Returns its row, without stops.
    """
    driver: DriverRow = await get_assignable_driver(call, driver_id, source.contractor_id)
    if driver.id == source.driver_id:
        raise INVALID_REQUEST.for_fields(FieldError("driver_id", "field.driver_the_same"))
    await require_driver_documents(call, driver.id)
    route_id = await store.insert_route(
        call.work,
        name=source.name,
        day=source.day,
        depot_id=source.depot_id,
        driver_id=driver.id,
        contractor_id=source.contractor_id,
        status=RouteStatus.STARTED,
        started_at=call.now,
        started_recorded_at=call.now,
        created_by=call.actor,
        created_at=call.now,
    )
    await call.publish(RouteCreated(route_id=route_id, day=source.day, contractor_id=source.contractor_id))
    await call.publish(RouteAssigned(route_id=route_id, driver_id=driver.id))
    await call.publish(RouteStarted(route_id=route_id, driver_id=driver.id, at=call.now))
    return (await store.get_route_rows(call.work, [route_id]))[route_id]


async def _transfer(
    call: Call, source: RouteRow, target: RouteRow, stops: Sequence[StopRow], leaving: Sequence[StopRow]
) -> None:
    """Append stops to the target.

    Completed pickups stay in the history, with their driver.
    """
    there = [stop.id for stop in await list_stops_of_routes(call, [target.id])]
    if len(there) + len(leaving) > STOPS_MAX:
        raise ROUTE_FULL(most=STOPS_MAX)
    leaving_ids = [stop.id for stop in leaving]
    still_failed = [
        stop.id
        for stop in leaving
        if stop.status == StopStatus.FAILED or stop.reason == StopCancelReason.ORDER_CANCELLED
    ]
    await hand_over_stops(call, target.id, source.id, leaving_ids, over=still_failed)
    orders = {stop.order_id for stop in leaving}
    await detach_stops(call, [stop.id for stop in stops if stop.order_id in orders and stop.id not in leaving_ids])
    await renumber_stops(call, [*there, *leaving_ids], [stop.id for stop in stops if stop.id not in leaving_ids])
    await store.update_routes(call.work, [source.id, target.id], **UNKNOWN_PLAN_END)


async def _record_driver_in_orders(
    call: Call, source: RouteRow, target: RouteRow, order_ids: Sequence[int], reason: str | None
) -> None:
    """Record the new driver in the orders' timelines, and share the orders with them."""
    between = {"from_route_id": source.id, "to_route_id": target.id}
    # Errors of single orders are ignored: failed and cancelled orders, and those at the depot, take no step.
    await apply_order_transition(call, OrderStep.HAND_OVER, order_ids, note=reason, extensions={"hand_over": between})
    await assign_orders_to_driver(call, order_ids, get_informed_driver_user_id(target), target.driver_id)
    call.add_audit_subjects("order", *order_ids)


CONTRACTOR_DISABLED, MODULE_OFF = "contractor_disabled", "module_off"
"""Why assignments ended and routes were cancelled."""
WAITING_STATUSES = (RouteStatus.DRAFT, RouteStatus.ASSIGNED)
DRIVERS_MAX = 1_000
ROUTES_MAX = 2_000
"""Maximum number of routes read, more than any planner has."""


class RouteWorkRelease:
    """Implements the port from the tables of routes and assignments."""

    async def release_for_user(self, call: Call, user_id: int, account: Account) -> LeftBehind:
        """Return the waiting work of a contractor or driver to the business.

        Work under way continues under the supervision of staff.
        """
        if account is Account.CONTRACTOR:
            left = await _return_routes_of_contractor(call, user_id)
            drivers, _ = await list_driver_rows(call, {"contractor": user_id}, limit=DRIVERS_MAX, offset=0)
        else:
            driver = await get_driver_row_by_user(call, user_id) if account is Account.DRIVER else None
            drivers = [driver] if driver else []
            left = await return_routes_of_driver(call, driver.id) if driver else LeftBehind()
        left.cash_minor = await call.adapter(CashCarried).get_cash_carried(call, [driver.id for driver in drivers])
        return left

    async def release_for_module(self, call: Call, module: Module) -> LeftBehind:
        """Give back what only a module could give back. Orders on routes stay on them."""
        if module is not Module.BROKER_ORDER_ASSIGNMENTS:
            return LeftBehind()
        given_back, kept = await _end_assignments(call, await list_held_order_ids(call), MODULE_OFF)
        return LeftBehind(orders_given_back=given_back, orders_on_routes=kept)


async def _return_routes_of_contractor(call: Call, contractor_id: int) -> LeftBehind:
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


async def return_routes_of_driver(call: Call, driver_id: int) -> LeftBehind:
    """Unassign the routes that a driver has not started. Routes under way continue."""
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
    """End the assignments of orders on no route.

    Returns the number of ended and of remaining assignments.
    """
    orders = await lock_assignment_candidates(call, order_ids) if order_ids else {}
    free = [order for order in orders.values() if order.route_id is None and order.holder_id is not None]
    await end_assignments(call, free, REVOKED, why)
    return len(free), len(orders) - len(free)


async def create_route(call: Call, request: CreateRoute) -> RouteAnswer:
    """Create a route without orders.

    It belongs to the calling contractor, else to the client itself. Raises `INVALID_REQUEST`.
    """
    contractor_id = call.actor if call.principal.account is Account.CONTRACTOR else None
    depot = await get_depot_row(call, request.depot_id)
    if depot is None or depot.closed:
        raise INVALID_REQUEST.for_fields(FieldError("depot_id", "field.depot_unknown"))
    if request.driver_id is not None:
        await get_assignable_driver(call, request.driver_id, contractor_id)
    if request.vehicle_id is not None:
        await require_usable_vehicle(call, request.vehicle_id, contractor_id)
    route_id = await store.insert_route(
        call.work,
        **request.model_dump(),
        contractor_id=contractor_id,
        status=RouteStatus.ASSIGNED if request.driver_id else RouteStatus.DRAFT,
        created_by=call.actor,
        created_at=call.now,
    )
    call.add_audit_subjects("route", route_id)
    notify_day_changed(call, request.day)
    await call.publish(RouteCreated(route_id=route_id, day=request.day, contractor_id=contractor_id))
    if request.driver_id is not None:
        await call.publish(RouteAssigned(route_id=route_id, driver_id=request.driver_id))
    return RouteAnswer(route=await load_route_detail(call, route_id))


async def insert_routes(call: Call, rows: Sequence[Mapping[str, Any]], *, published: bool = True) -> list[int]:
    """Insert routes with identical columns, and return their ids in row order."""
    return await store.insert_routes(call.work, rows, published=published)


async def update_route(call: Call, route_id: int, **values: Any) -> None:
    """Change columns of a route and raise its version by one."""
    await store.update_route(call.work, route_id, **values)
