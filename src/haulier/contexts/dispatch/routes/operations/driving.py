"""Driving routes: start, bring back what could not be delivered, finish."""

from haulier.contexts.dispatch.drivers.papers.asking import demand_papers
from haulier.contexts.dispatch.drivers.papers.rules import PAPERS_NOT_IN_ORDER
from haulier.contexts.dispatch.events import RouteFinished, RouteStarted
from haulier.contexts.dispatch.notices import give_notice
from haulier.contexts.dispatch.refusals import told
from haulier.contexts.dispatch.routes import store
from haulier.contexts.dispatch.routes.boarding import hand_in, take_off
from haulier.contexts.dispatch.routes.contract import OnTheRoad, RouteAnswer, RouteOutcome
from haulier.contexts.dispatch.routes.finding import route_for, route_state, stop_states
from haulier.contexts.dispatch.routes.rules.machine import ROUTE_CANNOT, RouteAct
from haulier.contexts.dispatch.routes.rules.occurrence import occurred
from haulier.contexts.dispatch.routes.rules.progress import (
    ROUTE_EMPTY,
    ROUTE_HAS_OPEN_STOPS,
    ROUTE_NOT_PUBLISHED,
    ROUTE_STILL_CARRIES,
    why_not_finish,
    why_not_start,
)
from haulier.contexts.dispatch.routes.showing import shown
from haulier.contexts.dispatch.stops import store as stop_store
from haulier.contexts.orders.public import Step, take
from haulier.kernel.call import Call
from haulier.kernel.declarations import STAFF, Risk, Scope
from haulier.kernel.errors import NOT_FOUND
from haulier.kernel.operation import GraphQL, Rest, writes

TAG = "Dispatch"
PATH = "/v1/routes/{route_id}"


@writes(
    "start_route",
    audience=STAFF,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, ROUTE_CANNOT, ROUTE_EMPTY, ROUTE_NOT_PUBLISHED, PAPERS_NOT_IN_ORDER),
    doors=(Rest("POST", f"{PATH}/start", tag=TAG), GraphQL("startRoute")),
)
async def start_route(call: Call, request: OnTheRoad) -> RouteOutcome:
    """Leave the depot: everything loaded is out for delivery, and what is to be collected is out for pickup.

    An order that may not leave (it was cancelled meanwhile) stays behind, comes off the route and is named.
    """
    route, reached = await route_for(call, request.route_id, RouteAct.START)
    stops = await stop_store.of_routes(call.work, [route.id])
    if refusal := why_not_start(route_state(route), stop_states(stops)):
        raise refusal
    await demand_papers(call, route.driver_id)
    at = occurred(request.occurred_at, call.now)
    order_ids = sorted({stop.order_id for stop in stops})
    refused = await take(call, Step.START, order_ids, at=at)
    await take_off(call, route, [stop for stop in stops if stop.order_id in refused])
    await store.change(call.work, route.id, status=reached, started_at=at, started_recorded_at=call.now)
    call.concerns("route", route.id)
    give_notice(call, route.day)
    await call.announce(RouteStarted(route_id=route.id, driver_id=route.driver_id, at=at))
    return RouteOutcome(
        result=True,
        changed=len(order_ids) - len(refused),
        skipped=len(refused),
        errors=told(call, refused),
        route=await shown(call, route.id),
    )


@writes(
    "return_route_to_depot",
    audience=STAFF,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, ROUTE_CANNOT),
    doors=(Rest("POST", f"{PATH}/return-to-depot", tag=TAG), GraphQL("returnRouteToDepot")),
)
async def return_route_to_depot(call: Call, request: OnTheRoad) -> RouteOutcome:
    """Hand in at the depot what was collected, and what could not be delivered: to wait for another try, or as returned.

    With nothing to hand in, nothing changes. Said of an earlier time, it is about what was on board by then.
    """
    route, _ = await route_for(call, request.route_id, RouteAct.RETURN_TO_DEPOT)
    at = occurred(request.occurred_at, call.now)
    orders, refused = await hand_in(call, route, at, until=request.occurred_at and at)
    call.concerns("route", route.id)
    give_notice(call, route.day)
    return RouteOutcome(
        result=len(orders) > len(refused),
        changed=len(orders) - len(refused),
        skipped=len(refused),
        errors=told(call, refused),
        route=await shown(call, route.id),
    )


@writes(
    "finish_route",
    audience=STAFF,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, ROUTE_CANNOT, ROUTE_HAS_OPEN_STOPS, ROUTE_STILL_CARRIES),
    doors=(Rest("POST", f"{PATH}/finish", tag=TAG), GraphQL("finishRoute")),
)
async def finish_route(call: Call, request: OnTheRoad) -> RouteAnswer:
    """End a route: every stop is over and nothing is in the vehicle any more."""
    route, reached = await route_for(call, request.route_id, RouteAct.FINISH)
    stops = stop_states(await stop_store.of_routes(call.work, [route.id]))
    if refusal := why_not_finish(stops):
        raise refusal
    at = occurred(request.occurred_at, call.now)
    await store.change(call.work, route.id, status=reached, finished_at=at, finished_recorded_at=call.now)
    call.concerns("route", route.id)
    give_notice(call, route.day)
    await call.announce(RouteFinished(route_id=route.id, at=at))
    return RouteAnswer(route=await shown(call, route.id))
