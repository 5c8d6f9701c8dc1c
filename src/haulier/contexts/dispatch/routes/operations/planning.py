"""Planning routes: create, add orders, take them off, assign a driver, cancel."""

from typing import Any

from haulier.contexts.dispatch.depots import store as depot_store
from haulier.contexts.dispatch.events import RouteAssigned, RouteCancelled, RouteCreated
from haulier.contexts.dispatch.notices import give_notice
from haulier.contexts.dispatch.refusals import told
from haulier.contexts.dispatch.routes import store
from haulier.contexts.dispatch.routes.boarding import ROUTE_FULL, put_on, take_off
from haulier.contexts.dispatch.routes.contract import (
    AssignDriver,
    CancelRoute,
    CreateRoute,
    RouteAnswer,
    RouteOrders,
    RouteOutcome,
)
from haulier.contexts.dispatch.routes.finding import ROUTE_CHANGED, route_for
from haulier.contexts.dispatch.routes.ports import Ending, Line
from haulier.contexts.dispatch.routes.rules.machine import ROUTE_CANNOT, RouteAct, RouteStatus
from haulier.contexts.dispatch.routes.rules.people import ROUTE_LOCKED, ROUTE_NOT_YOURS_TO_PLAN
from haulier.contexts.dispatch.routes.rules.sequence import STOP_STAYS
from haulier.contexts.dispatch.routes.seating import driver_for, seat
from haulier.contexts.dispatch.routes.showing import shown
from haulier.contexts.dispatch.stops import store as stop_store
from haulier.kernel.call import Call
from haulier.kernel.declarations import OFFICE, Account, Risk, Scope
from haulier.kernel.errors import INVALID_REQUEST, NOT_FOUND, Fault, problem
from haulier.kernel.operation import GraphQL, Rest, writes

TAG = "Dispatch"
ORDER_NOT_ON_ROUTE = problem("order_not_on_route", 404)

PLANNERS = OFFICE | {Account.CONTRACTOR}
PATH = "/v1/routes/{route_id}"
MANAGED = (NOT_FOUND, ROUTE_CANNOT, ROUTE_CHANGED)
PLANNED = (*MANAGED, ROUTE_NOT_YOURS_TO_PLAN)
REFUSALS = (*PLANNED, ROUTE_LOCKED)


@writes(
    "create_route",
    audience=PLANNERS,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("POST", "/v1/routes", tag=TAG), GraphQL("createRoute")),
)
async def create_route(call: Call, request: CreateRoute) -> RouteAnswer:
    """Draw up a route for a day from a depot, without orders yet. A contractor's route is theirs, another is the office's."""
    contractor_id = call.actor if call.principal.account is Account.CONTRACTOR else None
    depot = await depot_store.one(call.work, request.depot_id)
    if depot is None or depot.closed:
        raise INVALID_REQUEST.at(Fault("depot_id", "field.depot_unknown"))
    if request.driver_id is not None:
        await driver_for(call, request.driver_id, contractor_id)
    route_id = await store.add(
        call.work,
        **request.model_dump(),
        contractor_id=contractor_id,
        status=RouteStatus.ASSIGNED if request.driver_id else RouteStatus.DRAFT,
        created_by=call.actor,
        created_at=call.now,
    )
    call.concerns("route", route_id)
    give_notice(call, request.day)
    await call.announce(RouteCreated(route_id=route_id, day=request.day, contractor_id=contractor_id))
    if request.driver_id is not None:
        await call.announce(RouteAssigned(route_id=route_id, driver_id=request.driver_id))
    return RouteAnswer(route=await shown(call, route_id))


@writes(
    "add_orders_to_route",
    audience=PLANNERS,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=(*REFUSALS, ROUTE_FULL),
    doors=(Rest("POST", f"{PATH}/orders", tag=TAG), GraphQL("addOrdersToRoute")),
)
async def add_orders_to_route(call: Call, request: RouteOrders) -> RouteOutcome:
    """Put orders of your own planning pool on a route, as its last stops.

    An order that cannot be planned is named in the answer; the others still go.
    """
    route, _ = await route_for(call, request.route_id, RouteAct.ADD_ORDERS, expected=request.expected_version)
    planned, refused = await put_on(call, route, request.order_ids)
    touched(call, route)
    return RouteOutcome(
        result=bool(planned),
        changed=len(planned),
        skipped=len(refused),
        errors=told(call, refused),
        route=await shown(call, route.id),
    )


@writes(
    "take_orders_off_route",
    audience=PLANNERS,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=(*MANAGED, ROUTE_LOCKED),
    doors=(Rest("POST", f"{PATH}/orders/remove", tag=TAG), GraphQL("takeOrdersOffRoute")),
)
async def take_orders_off_route(call: Call, request: RouteOrders) -> RouteOutcome:
    """Take orders off a route that has not started; each is back in the pool it came from."""
    route, _ = await route_for(call, request.route_id, RouteAct.TAKE_ORDERS_OFF, expected=request.expected_version)
    asked = dict.fromkeys(request.order_ids)
    stops = [stop for stop in await stop_store.of_routes(call.work, [route.id]) if stop.order_id in asked]
    kept = {stop.order_id: STOP_STAYS(stop_id=stop.id) for stop in stops if stop.locked_at is not None}
    found = {stop.order_id for stop in stops} - kept.keys()
    missing = kept | {id: ORDER_NOT_ON_ROUTE(order_id=id) for id in asked if id not in found | kept.keys()}
    await take_off(call, route, [stop for stop in stops if stop.order_id in found])
    touched(call, route)
    return RouteOutcome(
        result=bool(found),
        changed=len(found),
        skipped=len(missing),
        errors=told(call, missing),
        route=await shown(call, route.id),
    )


@writes(
    "assign_route_driver",
    audience=PLANNERS,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=REFUSALS,
    doors=(Rest("PUT", f"{PATH}/driver", tag=TAG), GraphQL("assignRouteDriver")),
)
async def assign_route_driver(call: Call, request: AssignDriver) -> RouteAnswer:
    """Give a route to one of your drivers, or take it back from its driver. The driver then sees its orders.

    Given away, a route leaves the driver route board. Taken back while it is on the board, it goes to the first driver who
    stands by for it.
    """
    act = RouteAct.UNASSIGN_DRIVER if request.driver_id is None else RouteAct.ASSIGN_DRIVER
    route, _ = await route_for(call, request.route_id, act, expected=request.expected_version)
    if request.driver_id:
        await seat(call, route, await driver_for(call, request.driver_id, route.contractor_id))
        if request.driver_id != route.driver_id:
            await call.adapter(Line).over(call, [route.id], Ending.ASSIGNED)
    else:
        await seat(call, route, None)
        await call.adapter(Line).freed(call, route)
    touched(call, route)
    return RouteAnswer(route=await shown(call, route.id))


@writes(
    "cancel_route",
    audience=PLANNERS,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.HIGH,
    errors=(*MANAGED, ROUTE_LOCKED),
    doors=(Rest("POST", f"{PATH}/cancel", tag=TAG), GraphQL("cancelRoute")),
)
async def cancel_route(call: Call, request: CancelRoute) -> RouteAnswer:
    """Cancel a route that has not started. Its orders are back in the pools they came from."""
    route, reached = await route_for(call, request.route_id, RouteAct.CANCEL, expected=request.expected_version)
    stops = await stop_store.of_routes(call.work, [route.id])
    await take_off(call, route, stops)
    await store.change(call.work, route.id, status=reached, cancel_reason=request.reason)
    await call.adapter(Line).over(call, [route.id], Ending.CANCELLED)
    touched(call, route)
    order_ids = tuple(sorted({stop.order_id for stop in stops}))
    await call.announce(RouteCancelled(route_id=route.id, order_ids=order_ids))
    return RouteAnswer(route=await shown(call, route.id))


def touched(call: Call, *routes: Any) -> None:
    """Say which routes a call was about: for the audit trail, and to those who follow the day live."""
    call.concerns("route", *(route.id for route in routes))
    for day in {route.day for route in routes}:
        give_notice(call, day)
