"""Planning routes: create, add orders, take them off, assign a driver, cancel."""

from haulier.contexts.fleet.depots import store as depot_store
from haulier.contexts.routes.assignments.serializers import serialize_order_errors
from haulier.contexts.routes.events import RouteAssigned, RouteCancelled, RouteCreated
from haulier.contexts.routes.ports import StandbyEndReason, StandbyQueue
from haulier.contexts.routes.routes import store
from haulier.contexts.routes.routes.actions.driver_assignment import assign_driver, get_assignable_driver
from haulier.contexts.routes.routes.actions.route_orders import ROUTE_FULL, add_orders, remove_orders
from haulier.contexts.routes.routes.contract.routes import (
    AssignRouteDriver,
    CancelRoute,
    ChangeRouteOrders,
    CreateRoute,
    RouteAnswer,
    RouteOrdersResult,
)
from haulier.contexts.routes.routes.notifications import mark_routes_changed, notify_day_changed
from haulier.contexts.routes.routes.queries import ROUTE_CHANGED, lock_route_for_action
from haulier.contexts.routes.routes.rules.permissions import ROUTE_LOCKED, ROUTE_NOT_YOURS_TO_PLAN, ROUTE_PLANNERS
from haulier.contexts.routes.routes.rules.sequence import STOP_STAYS
from haulier.contexts.routes.routes.rules.state_machine import ROUTE_CANNOT, RouteAction, RouteStatus
from haulier.contexts.routes.routes.serializers import load_route_detail
from haulier.contexts.routes.stops import store as stop_store
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, writes
from haulier.kernel.operations.enums import Account, Risk, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, NOT_FOUND, FieldError, declare_error

TAG = "Dispatch"
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
    doors=(Rest("POST", "/v1/routes", tag=TAG), GraphQL("createRoute")),
)
async def create_route(call: Call, request: CreateRoute) -> RouteAnswer:
    """Draw up a route for a day from a depot, without orders yet. A contractor's route is theirs, another is the office's."""
    contractor_id = call.actor if call.principal.account is Account.CONTRACTOR else None
    depot = await depot_store.get_depot_row(call.work, request.depot_id)
    if depot is None or depot.closed:
        raise INVALID_REQUEST.for_fields(FieldError("depot_id", "field.depot_unknown"))
    if request.driver_id is not None:
        await get_assignable_driver(call, request.driver_id, contractor_id)
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


@writes(
    "add_orders_to_route",
    audience=ROUTE_PLANNERS,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=(*PLAN_CHANGE_ERRORS, ROUTE_FULL),
    doors=(Rest("POST", f"{PATH}/orders", tag=TAG), GraphQL("addOrdersToRoute")),
)
async def add_orders_to_route(call: Call, request: ChangeRouteOrders) -> RouteOrdersResult:
    """Put orders of your own planning pool on a route, as its last stops.

    An order that cannot be planned is named in the answer; the others still go.
    """
    route, _ = await lock_route_for_action(
        call, request.route_id, RouteAction.ADD_ORDERS, expected=request.expected_version
    )
    planned, refused = await add_orders(call, route, request.order_ids)
    mark_routes_changed(call, route)
    return RouteOrdersResult(
        result=bool(planned),
        changed=len(planned),
        skipped=len(refused),
        errors=serialize_order_errors(call, refused),
        route=await load_route_detail(call, route.id),
    )


@writes(
    "remove_orders_from_route",
    audience=ROUTE_PLANNERS,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=(*MANAGEMENT_ERRORS, ROUTE_LOCKED),
    doors=(Rest("POST", f"{PATH}/orders/remove", tag=TAG), GraphQL("removeOrdersFromRoute")),
)
async def remove_orders_from_route(call: Call, request: ChangeRouteOrders) -> RouteOrdersResult:
    """Take orders off a route that has not started; each is back in the pool it came from."""
    route, _ = await lock_route_for_action(
        call, request.route_id, RouteAction.REMOVE_ORDERS, expected=request.expected_version
    )
    asked = dict.fromkeys(request.order_ids)
    stops = [stop for stop in await stop_store.list_stops_of_routes(call.work, [route.id]) if stop.order_id in asked]
    kept = {stop.order_id: STOP_STAYS(stop_id=stop.id) for stop in stops if stop.locked_at is not None}
    found = {stop.order_id for stop in stops} - kept.keys()
    missing = kept | {id: ORDER_NOT_ON_ROUTE(order_id=id) for id in asked if id not in found | kept.keys()}
    await remove_orders(call, route, [stop for stop in stops if stop.order_id in found])
    mark_routes_changed(call, route)
    return RouteOrdersResult(
        result=bool(found),
        changed=len(found),
        skipped=len(missing),
        errors=serialize_order_errors(call, missing),
        route=await load_route_detail(call, route.id),
    )


@writes(
    "assign_route_driver",
    audience=ROUTE_PLANNERS,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=PLAN_CHANGE_ERRORS,
    doors=(Rest("PUT", f"{PATH}/driver", tag=TAG), GraphQL("assignRouteDriver")),
)
async def assign_route_driver(call: Call, request: AssignRouteDriver) -> RouteAnswer:
    """Give a route to one of your drivers, or take it back from its driver. The driver then sees its orders.

    Given away, a route leaves the driver route board. Taken back while it is on the board, it goes to the first driver who
    stands by for it.
    """
    act = RouteAction.UNASSIGN_DRIVER if request.driver_id is None else RouteAction.ASSIGN_DRIVER
    route, _ = await lock_route_for_action(call, request.route_id, act, expected=request.expected_version)
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
    audience=ROUTE_PLANNERS,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.HIGH,
    errors=(*MANAGEMENT_ERRORS, ROUTE_LOCKED),
    doors=(Rest("POST", f"{PATH}/cancel", tag=TAG), GraphQL("cancelRoute")),
)
async def cancel_route(call: Call, request: CancelRoute) -> RouteAnswer:
    """Cancel a route that has not started. Its orders are back in the pools they came from."""
    route, reached = await lock_route_for_action(
        call, request.route_id, RouteAction.CANCEL, expected=request.expected_version
    )
    stops = await stop_store.list_stops_of_routes(call.work, [route.id])
    await remove_orders(call, route, stops)
    await store.update_route(call.work, route.id, status=reached, cancel_reason=request.reason)
    await call.adapter(StandbyQueue).close(call, [route.id], StandbyEndReason.CANCELLED)
    mark_routes_changed(call, route)
    order_ids = tuple(sorted({stop.order_id for stop in stops}))
    await call.publish(RouteCancelled(route_id=route.id, order_ids=order_ids))
    return RouteAnswer(route=await load_route_detail(call, route.id))
