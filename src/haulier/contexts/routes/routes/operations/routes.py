"""Planning routes: create, add orders, take them off, assign a driver, cancel."""

from collections.abc import Sequence

from haulier.contexts.routes.assignments.serializers import serialize_order_errors
from haulier.contexts.routes.events import RouteCancelled
from haulier.contexts.routes.ports import StandbyEndReason, StandbyQueue
from haulier.contexts.routes.routes import store
from haulier.contexts.routes.routes.actions import routes as route_actions
from haulier.contexts.routes.routes.actions.driver_assignment import assign_driver, get_assignable_driver
from haulier.contexts.routes.routes.actions.route_orders import ROUTE_FULL, add_orders, remove_orders
from haulier.contexts.routes.routes.actions.route_warnings import load_route_warnings
from haulier.contexts.routes.routes.contract.routes import (
    AssignRouteDriver,
    CancelRoute,
    ChangeRouteOrders,
    CreateRoute,
    RouteAnswer,
    RouteOrdersResult,
)
from haulier.contexts.routes.routes.notifications import mark_routes_changed
from haulier.contexts.routes.routes.queries import ROUTE_CHANGED, lock_route_for_action, to_stop_states
from haulier.contexts.routes.routes.rules.permissions import ROUTE_LOCKED, ROUTE_NOT_YOURS_TO_PLAN, ROUTE_PLANNERS
from haulier.contexts.routes.routes.rules.progress import orders_not_loaded
from haulier.contexts.routes.routes.rules.sequence import GOODS_ABOARD, STOP_STAYS
from haulier.contexts.routes.routes.rules.state_machine import ROUTE_CANNOT, RouteAction, RouteStatus
from haulier.contexts.routes.routes.serializers import load_route_detail
from haulier.contexts.routes.routes.store import RouteRow
from haulier.contexts.routes.stops.queries import StopRow, list_stops_of_routes
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Mcp, Rest, writes
from haulier.kernel.operations.enums import Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND, OperationError, declare_error

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
    doors=(Rest("POST", "/v1/routes"), GraphQL("createRoute")),
)
async def create_route(call: Call, request: CreateRoute) -> RouteAnswer:
    """Create an empty route.

    The route has a day and a depot. A route created by a contractor belongs to them; any other belongs to staff.
    """
    return await route_actions.create_route(call, request)


@writes(
    "add_orders_to_route",
    allowed_where={"allowed_actions": "add_orders"},
    undone_by="remove_orders_from_route",
    audience=ROUTE_PLANNERS,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=(*PLAN_CHANGE_ERRORS, ROUTE_FULL),
    doors=(Rest("POST", f"{PATH}/orders"), GraphQL("addOrdersToRoute")),
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
    allowed_where={"allowed_actions": "remove_orders"},
    audience=ROUTE_PLANNERS,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=(*MANAGEMENT_ERRORS, ROUTE_LOCKED),
    doors=(
        Rest("POST", f"{PATH}/orders/remove"),
        GraphQL("removeOrdersFromRoute"),
        Mcp("remove_orders_from_route", title="Take orders off a route"),
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
    allowed_where={"allowed_actions": "assign_driver"},
    undone_by="assign_route_driver",
    audience=ROUTE_PLANNERS,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=PLAN_CHANGE_ERRORS,
    doors=(
        Rest("PUT", f"{PATH}/driver"),
        GraphQL("assignRouteDriver"),
        Mcp("assign_route_driver", title="Give a route to a driver"),
    ),
)
async def assign_route_driver(call: Call, request: AssignRouteDriver) -> RouteAnswer:
    """Assign or unassign the driver of a route.

    The driver sees its orders at once. A route with a driver leaves the driver route board. If the driver is unassigned
    while the route is on the board, it goes to the first driver on its waiting list.
    """
    action = RouteAction.UNASSIGN_DRIVER if request.driver_id is None else RouteAction.ASSIGN_DRIVER
    route, _ = await lock_route_for_action(call, request.route_id, action, expected=request.expected_version)
    if request.driver_id:
        await assign_driver(call, route, await get_assignable_driver(call, request.driver_id, route.contractor_id))
        if request.driver_id != route.driver_id:
            await call.adapter(StandbyQueue).close(call, [route.id], StandbyEndReason.ASSIGNED)
    else:
        await assign_driver(call, route, None)
        await call.adapter(StandbyQueue).promote_next(call, route)
    mark_routes_changed(call, route)
    return RouteAnswer(route=await load_route_detail(call, route.id))


@writes(
    "cancel_route",
    allowed_where={"allowed_actions": "cancel"},
    audience=ROUTE_PLANNERS,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.HIGH,
    errors=(*MANAGEMENT_ERRORS, ROUTE_LOCKED),
    doors=(Rest("POST", f"{PATH}/cancel"), GraphQL("cancelRoute")),
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
