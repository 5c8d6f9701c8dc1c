"""Operations on routes: routes."""

from collections.abc import Sequence

from haulier.contexts.fleet.public import get_driver_row_by_user, get_visible_driver
from haulier.contexts.routes.assignments.serializers import serialize_order_errors
from haulier.contexts.routes.events import RouteCancelled, RoutePublished, RouteUnpublished
from haulier.contexts.routes.ports import ROUTE_ON_BOARD, StandbyEndReason, StandbyQueue
from haulier.contexts.routes.routes import store
from haulier.contexts.routes.routes.actions import driver_assignment as driver_assignment_actions
from haulier.contexts.routes.routes.actions.arrangement import load_route_warnings
from haulier.contexts.routes.routes.actions.driver_assignment import (
    assign_driver_and_vehicle,
    get_assignable_driver,
    resolve_vehicle,
    share_route_orders_with_driver,
)
from haulier.contexts.routes.routes.actions.route_orders import ROUTE_FULL, add_orders, remove_orders
from haulier.contexts.routes.routes.contract import (
    AssignRouteDriver,
    CancelRoute,
    ChangeRouteOrders,
    CreateRoute,
    DriverRoutesToday,
    GetDriverRoutesToday,
    ListRoutes,
    RouteAnswer,
    RouteList,
    RouteOrdersResult,
    RouteRef,
    StopSelection,
    VersionedRouteRef,
)
from haulier.contexts.routes.routes.notifications import mark_routes_changed
from haulier.contexts.routes.routes.queries import (
    ROUTE_CHANGED,
    get_visible_route,
    lock_route_for_action,
    to_stop_states,
)
from haulier.contexts.routes.routes.rules.progress import (
    ROUTE_CANNOT,
    ROUTE_LOCKED,
    ROUTE_NOT_YOURS_TO_PLAN,
    ROUTE_PLANNERS,
    RouteAction,
    RouteStatus,
    open_stops,
    orders_not_loaded,
)
from haulier.contexts.routes.routes.rules.sequence import (
    GOODS_ABOARD,
    STOP_NOT_ON_ROUTE,
    STOP_STAYS,
    check_stops_on_route,
)
from haulier.contexts.routes.routes.serializers import load_route_detail, serialize_route_summaries, serialize_routes
from haulier.contexts.routes.routes.store import RouteRow
from haulier.contexts.routes.stops.actions import lock_stop_positions, unlock_stop_positions
from haulier.contexts.routes.stops.queries import StopRow, list_stops_of_routes
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Mcp, Rest, reads, writes
from haulier.kernel.operations.enums import STAFF, Account, Risk, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, NOT_FOUND, FieldError, OperationError, declare_error


@reads(
    "get_routes",
    audience=STAFF,
    scopes={Scope.ROUTES_READ},
    interfaces=(Rest("GET", "/v1/routes"), GraphQL("routes"), Mcp("get_routes", title="List routes")),
)
async def get_routes(call: Call, request: ListRoutes) -> RouteList:
    """List routes.

    Contractors see their own routes. Drivers see published routes assigned to them.
    """
    account = call.principal.account
    filters = {
        "on_day": request.day,
        "since": request.date_from,
        "until": request.date_to,
        "standing": request.status,
        "driver": request.driver_id,
        "contractor": call.actor if account is Account.CONTRACTOR else request.contractor_id,
        "depot": request.depot_id,
        "vehicle": request.vehicle_id,
        "driving_user": call.actor if account is Account.DRIVER else None,
    }
    given_filters = {name: value for name, value in filters.items() if value is not None}
    if request.unassigned is not None:
        given_filters["undriven" if request.unassigned else "driven"] = True
    if request.published is not None:
        given_filters["published" if request.published else "unpublished"] = True
    rows, total = await store.list_route_rows(
        call.work, given_filters, limit=request.per_page, offset=request.offset, sort=request.sort
    )
    return RouteList(
        total=total, page=request.page, per_page=request.per_page, routes=await serialize_route_summaries(call, rows)
    )


@reads(
    "get_route_detail",
    audience=STAFF,
    scopes={Scope.ROUTES_READ},
    errors=(NOT_FOUND,),
    interfaces=(
        Rest("GET", "/v1/routes/{route_id}"),
        GraphQL("route"),
        Mcp("get_route_detail", title="Get a route"),
    ),
)
async def get_route_detail(call: Call, request: RouteRef) -> RouteAnswer:
    """Get a route.

    Includes its stops, planned and actual times, and the actions available to the caller. Actual times are observed;
    there are no forecasts.
    """
    row = await get_visible_route(call, request.route_id)
    return RouteAnswer(route=(await serialize_routes(call, [row]))[0])


@reads(
    "get_driver_routes_today",
    audience=STAFF,
    scopes={Scope.ROUTES_READ, Scope.DRIVERS_READ},
    errors=(NOT_FOUND,),
    interfaces=(
        Rest("GET", "/v1/drivers/{driver_id}/routes/today"),
        Rest("GET", "/v1/drivers/me/routes/today"),
        GraphQL("driverRoutesToday"),
        Mcp("get_driver_routes_today", title="Get a driver's routes today"),
    ),
)
async def get_driver_routes_today(call: Call, request: GetDriverRoutesToday) -> DriverRoutesToday:
    """List the routes of a driver today.

    Returns all stops. “Today” is the calendar day of the business. Drivers see only their own published routes.
    Contractors see only their own drivers.
    """
    driver_id = request.driver_id or await _calling_driver_id(call)
    await get_visible_driver(call, driver_id)
    day = call.today
    planner = call.principal.account is not Account.DRIVER
    rows = await store.list_driver_route_rows(call.work, driver_id, day, unpublished=planner)
    return DriverRoutesToday(driver_id=driver_id, day=day, routes=await serialize_routes(call, rows))


async def _calling_driver_id(call: Call) -> int:
    """Return the id of the calling driver.

    Raises `INVALID_REQUEST` for other callers, who must name a driver.
    """
    driver = await get_driver_row_by_user(call, call.actor or 0)
    if driver is None:
        raise INVALID_REQUEST.for_fields(FieldError("driver_id", "field.missing"))
    return driver.id


ORDER_NOT_ON_ROUTE = declare_error("order_not_on_route", 404)

PATH = "/v1/routes/{route_id}"
MANAGEMENT_ERRORS = (NOT_FOUND, ROUTE_CANNOT, ROUTE_CHANGED)
PLANNING_ERRORS = (*MANAGEMENT_ERRORS, ROUTE_NOT_YOURS_TO_PLAN)
PLAN_CHANGE_ERRORS = (*PLANNING_ERRORS, ROUTE_LOCKED)


@writes(
    "create_route",
    audience=ROUTE_PLANNERS,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", "/v1/routes"), GraphQL("createRoute")),
)
async def create_route(call: Call, request: CreateRoute) -> RouteAnswer:
    """Create an empty route.

    The route has a day and a depot. A route created by a contractor belongs to them; any other belongs to staff.
    """
    return await driver_assignment_actions.create_route(call, request)


@writes(
    "add_orders_to_route",
    available_when={"allowed_actions": "add_orders"},
    reversed_by="remove_orders_from_route",
    audience=ROUTE_PLANNERS,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=(*PLAN_CHANGE_ERRORS, ROUTE_FULL),
    interfaces=(Rest("POST", f"{PATH}/orders"), GraphQL("addOrdersToRoute")),
)
async def add_orders_to_route(call: Call, request: ChangeRouteOrders) -> RouteOrdersResult:
    """Add orders to a route.

    Appends orders of your own planning pool as the last stops, also while the route is under way. Orders that cannot be
    planned are listed in the answer; the others are added. Warnings report an overload, a missing skill or another day.
    On a route under way, pickups can be collected at once; goods at the depot must be loaded first with
    `load_at_depot`.
    """
    route, _ = await lock_route_for_action(
        call, request.route_id, RouteAction.ADD_ORDERS, expected=request.expected_version
    )
    planned, errors = await add_orders(call, route, request.order_ids)
    mark_routes_changed(call, route)
    return RouteOrdersResult(
        result=bool(planned),
        changed=len(planned),
        skipped=len(errors),
        errors=serialize_order_errors(call, errors),
        route=await load_route_detail(call, route.id),
        warnings=await load_route_warnings(call, route, planned),
    )


@writes(
    "remove_orders_from_route",
    available_when={"allowed_actions": "remove_orders"},
    audience=ROUTE_PLANNERS,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=(*MANAGEMENT_ERRORS, ROUTE_LOCKED),
    interfaces=(
        Rest("POST", f"{PATH}/orders/remove"),
        GraphQL("removeOrdersFromRoute"),
        Mcp("remove_orders_from_route", title="Remove orders from a route"),
    ),
)
async def remove_orders_from_route(call: Call, request: ChangeRouteOrders) -> RouteOrdersResult:
    """Remove orders from a route.

    Unplans the orders: each returns to its planning pool. On a route under way, only orders that are not in the vehicle
    yet can be removed.
    """
    route, _ = await lock_route_for_action(
        call, request.route_id, RouteAction.REMOVE_ORDERS, expected=request.expected_version
    )
    order_ids = dict.fromkeys(request.order_ids)
    stops = [stop for stop in await list_stops_of_routes(call, [route.id]) if stop.order_id in order_ids]
    locked = {stop.order_id: STOP_STAYS(stop_id=stop.id) for stop in stops if stop.locked_at is not None}
    locked |= _orders_aboard(route, stops)
    removed = {stop.order_id for stop in stops} - locked.keys()
    errors = locked | {id: ORDER_NOT_ON_ROUTE(order_id=id) for id in order_ids if id not in removed | locked.keys()}
    await remove_orders(call, route, [stop for stop in stops if stop.order_id in removed])
    mark_routes_changed(call, route)
    return RouteOrdersResult(
        result=bool(removed),
        changed=len(removed),
        skipped=len(errors),
        errors=serialize_order_errors(call, errors),
        route=await load_route_detail(call, route.id),
    )


def _orders_aboard(route: RouteRow, stops: Sequence[StopRow]) -> dict[int, OperationError]:
    """Of a route under way, the orders that its vehicle holds, or that it has visited."""
    if route.status != RouteStatus.STARTED:
        return {}
    elsewhere = orders_not_loaded(to_stop_states(stops))
    return {stop.order_id: GOODS_ABOARD(order_id=stop.order_id) for stop in stops if stop.order_id not in elsewhere}


@writes(
    "assign_route_driver",
    available_when={"allowed_actions": "assign_driver"},
    reversed_by="assign_route_driver",
    audience=ROUTE_PLANNERS,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=PLAN_CHANGE_ERRORS,
    interfaces=(
        Rest("PUT", f"{PATH}/driver"),
        GraphQL("assignRouteDriver"),
        Mcp("assign_route_driver", title="Assign a driver to a route"),
    ),
)
async def assign_route_driver(call: Call, request: AssignRouteDriver) -> RouteAnswer:
    """Assign or unassign the driver of a route.

    Also sets the vehicle. The driver sees the orders at once. A route with a driver leaves the driver route board. If
    the driver is unassigned while the route is on the board, it goes to the first driver on its waiting list.
    """
    action = RouteAction.UNASSIGN_DRIVER if request.driver_id is None else RouteAction.ASSIGN_DRIVER
    route, _ = await lock_route_for_action(call, request.route_id, action, expected=request.expected_version)
    vehicle_id = await resolve_vehicle(call, request, route)
    if request.driver_id:
        driver = await get_assignable_driver(call, request.driver_id, route.contractor_id)
        await assign_driver_and_vehicle(call, route, driver, vehicle_id)
        if request.driver_id != route.driver_id:
            await call.adapter(StandbyQueue).close(call, [route.id], StandbyEndReason.ASSIGNED)
    else:
        await assign_driver_and_vehicle(call, route, None, vehicle_id)
        await call.adapter(StandbyQueue).promote_next(call, route)
    mark_routes_changed(call, route)
    return RouteAnswer(route=await load_route_detail(call, route.id))


@writes(
    "cancel_route",
    available_when={"allowed_actions": "cancel"},
    audience=ROUTE_PLANNERS,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.HIGH,
    errors=(*MANAGEMENT_ERRORS, ROUTE_LOCKED),
    interfaces=(Rest("POST", f"{PATH}/cancel"), GraphQL("cancelRoute")),
)
async def cancel_route(call: Call, request: CancelRoute) -> RouteAnswer:
    """Cancel a route.

    The route must not have started. Its orders return to their planning pools.
    """
    route, status = await lock_route_for_action(
        call, request.route_id, RouteAction.CANCEL, expected=request.expected_version
    )
    stops = await list_stops_of_routes(call, [route.id])
    await remove_orders(call, route, stops)
    await store.update_route(call.work, route.id, status=status, cancel_reason=request.reason)
    await call.adapter(StandbyQueue).close(call, [route.id], StandbyEndReason.CANCELLED)
    mark_routes_changed(call, route)
    order_ids = tuple(sorted({stop.order_id for stop in stops}))
    await call.publish(RouteCancelled(route_id=route.id, order_ids=order_ids))
    return RouteAnswer(route=await load_route_detail(call, route.id))


@writes(
    "lock_stops",
    available_when={"allowed_actions": "lock_stops"},
    reversed_by="unlock_stops",
    audience=ROUTE_PLANNERS,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=(*PLAN_CHANGE_ERRORS, STOP_NOT_ON_ROUTE),
    interfaces=(Rest("POST", f"{PATH}/stops/lock"), GraphQL("lockStops")),
)
async def lock_stops(call: Call, request: StopSelection) -> RouteAnswer:
    """Lock open stops in position.

    Planners and new plans cannot move them. Repeating it changes nothing.
    """
    return await _change_stop_locks(call, request, locked=True)


@writes(
    "unlock_stops",
    available_when={"allowed_actions": "lock_stops"},
    reversed_by="lock_stops",
    audience=ROUTE_PLANNERS,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=(*PLAN_CHANGE_ERRORS, STOP_NOT_ON_ROUTE),
    interfaces=(Rest("POST", f"{PATH}/stops/unlock"), GraphQL("unlockStops")),
)
async def unlock_stops(call: Call, request: StopSelection) -> RouteAnswer:
    """Unlock stops.

    The stops can be planned again. Stops that are not locked are unchanged.
    """
    return await _change_stop_locks(call, request, locked=False)


@writes(
    "lock_route",
    available_when={"allowed_actions": "lock"},
    reversed_by="unlock_route",
    audience=ROUTE_PLANNERS,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=PLANNING_ERRORS,
    interfaces=(Rest("POST", f"{PATH}/lock"), GraphQL("lockRoute")),
)
async def lock_route(call: Call, request: VersionedRouteRef) -> RouteAnswer:
    """Lock a route.

    Its stops, their order and its driver cannot be changed, and the route cannot be cancelled. It can still be driven.
    """
    route, _ = await lock_route_for_action(call, request.route_id, RouteAction.LOCK, expected=request.expected_version)
    if route.locked_at is None:
        await store.update_route(call.work, route.id, locked_at=call.now, locked_by=call.actor)
    return await _load_route_answer(call, route)


@writes(
    "unlock_route",
    available_when={"allowed_actions": "unlock"},
    reversed_by="lock_route",
    audience=ROUTE_PLANNERS,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=PLANNING_ERRORS,
    interfaces=(Rest("POST", f"{PATH}/unlock"), GraphQL("unlockRoute")),
)
async def unlock_route(call: Call, request: VersionedRouteRef) -> RouteAnswer:
    """Unlock a route.

    The route can be planned again. Individually locked stops remain locked.
    """
    route, _ = await lock_route_for_action(
        call, request.route_id, RouteAction.UNLOCK, expected=request.expected_version
    )
    if route.locked_at is not None:
        await store.update_route(call.work, route.id, locked_at=None, locked_by=None)
    return await _load_route_answer(call, route)


async def _change_stop_locks(call: Call, request: StopSelection, *, locked: bool) -> RouteAnswer:
    route, _ = await lock_route_for_action(
        call, request.route_id, RouteAction.LOCK_STOPS, expected=request.expected_version
    )
    stops = open_stops(to_stop_states(await list_stops_of_routes(call, [route.id])))
    if error := check_stops_on_route(request.stop_ids, {stop.id for stop in stops}):
        raise error
    if changing := [stop.id for stop in stops if stop.id in set(request.stop_ids) and stop.locked is not locked]:
        await (lock_stop_positions if locked else unlock_stop_positions)(call, changing)
        await store.update_route(call.work, route.id)
    return await _load_route_answer(call, route)


async def _load_route_answer(call: Call, route: RouteRow) -> RouteAnswer:
    mark_routes_changed(call, route)
    return RouteAnswer(route=await load_route_detail(call, route.id))


@writes(
    "publish_route",
    available_when={"allowed_actions": "publish"},
    reversed_by="unpublish_route",
    audience=ROUTE_PLANNERS,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=PLANNING_ERRORS,
    interfaces=(Rest("POST", f"{PATH}/publish"), GraphQL("publishRoute")),
)
async def publish_route(call: Call, request: VersionedRouteRef) -> RouteAnswer:
    """Publish a route to its driver.

    The driver then has its orders. Repeating it changes nothing.
    """
    route, _ = await lock_route_for_action(
        call, request.route_id, RouteAction.PUBLISH, expected=request.expected_version
    )
    if route.published_at is None:
        await store.update_route(call.work, route.id, published_at=call.now, published_by=call.actor)
        await share_route_orders_with_driver(call, route.id, route.driver_user_id, route.driver_id)
        await call.publish(RoutePublished(route_id=route.id, day=route.day, driver_id=route.driver_id))
    mark_routes_changed(call, route)
    return RouteAnswer(route=await load_route_detail(call, route.id))


@writes(
    "unpublish_route",
    available_when={"allowed_actions": "unpublish"},
    reversed_by="publish_route",
    audience=ROUTE_PLANNERS,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=(*PLANNING_ERRORS, ROUTE_ON_BOARD),
    interfaces=(Rest("POST", f"{PATH}/unpublish"), GraphQL("unpublishRoute")),
)
async def unpublish_route(call: Call, request: VersionedRouteRef) -> RouteAnswer:
    """Unpublish a route.

    Hides a route that has not started from its driver. The driver remains assigned.
    """
    route, _ = await lock_route_for_action(
        call, request.route_id, RouteAction.UNPUBLISH, expected=request.expected_version
    )
    if await call.adapter(StandbyQueue).is_on_board(call, route.id):
        raise ROUTE_ON_BOARD()
    if route.published_at is not None:
        await store.update_route(call.work, route.id, published_at=None, published_by=None)
        await share_route_orders_with_driver(call, route.id, None, route.driver_id)
        await call.publish(RouteUnpublished(route_id=route.id, day=route.day, driver_id=route.driver_id))
    mark_routes_changed(call, route)
    return RouteAnswer(route=await load_route_detail(call, route.id))
