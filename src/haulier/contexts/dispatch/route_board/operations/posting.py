"""Putting routes on the board, changing on what terms they are there, and taking them off."""

from typing import Any

from haulier.contexts.dispatch.events import RoutePosted
from haulier.contexts.dispatch.route_board import store
from haulier.contexts.dispatch.route_board.closing import close_postings
from haulier.contexts.dispatch.route_board.contract import PostRoute, RouteOnBoardAnswer, Terms, TheRoute
from haulier.contexts.dispatch.route_board.rules import Admission, Closing
from haulier.contexts.dispatch.route_board.showing import board_routes, local_today
from haulier.contexts.dispatch.routes import store as route_store
from haulier.contexts.dispatch.routes.finding import route_for
from haulier.contexts.dispatch.routes.operations.planning import PLANNERS, touched
from haulier.contexts.dispatch.routes.ports import ROUTE_ON_BOARD
from haulier.contexts.dispatch.routes.rules.machine import ROUTE_CANNOT, RouteAct
from haulier.contexts.dispatch.routes.rules.people import ROUTE_NOT_YOURS_TO_PLAN
from haulier.contexts.dispatch.routes.rules.progress import ROUTE_EMPTY
from haulier.contexts.dispatch.stops import store as stop_store
from haulier.contexts.orders.public import facts
from haulier.kernel.call import Call
from haulier.kernel.declarations import Risk, Scope
from haulier.kernel.errors import INVALID_REQUEST, NOT_FOUND, Fault, problem
from haulier.kernel.operation import GraphQL, Rest, writes

TAG = "Driver Route Board"
PATH = "/v1/route-board/routes/{route_id}"
BOARD_MAX = 1000
PLANNED_HERE = (NOT_FOUND, ROUTE_CANNOT, ROUTE_NOT_YOURS_TO_PLAN)
BOARD_FULL = problem("board_full", 409)
ROUTE_HAS_DRIVER = problem("route_has_driver", 409)


@writes(
    "post_route_to_board",
    audience=PLANNERS,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=(*PLANNED_HERE, ROUTE_EMPTY, ROUTE_HAS_DRIVER, ROUTE_ON_BOARD, BOARD_FULL),
    doors=(Rest("POST", PATH, tag=TAG), GraphQL("postRouteToBoard")),
)
async def post_route_to_board(call: Call, request: PostRoute) -> RouteOnBoardAnswer:
    """Put a route without a driver on the board, for drivers to claim it. A route that was not published is published."""
    route, _ = await route_for(call, request.route_id, RouteAct.OFFER)
    if route.driver_id is not None:
        raise ROUTE_HAS_DRIVER()
    if route.id in await store.live(call.work, [route.id]):
        raise ROUTE_ON_BOARD()
    stops = await stop_store.of_routes(call.work, [route.id])
    if not stops:
        raise ROUTE_EMPTY()
    if await store.count_live(call.work, local_today(call)) >= BOARD_MAX:
        raise BOARD_FULL(most=BOARD_MAX)
    if route.published_at is None:
        await route_store.change(call.work, route.id, published_at=call.now, published_by=call.actor)
    terms = await _terms(call, route, request, [stop.order_id for stop in stops])
    await store.post(
        call.work,
        route_id=route.id,
        day=route.day,
        contractor_id=route.contractor_id,
        posted_at=call.now,
        posted_by=call.actor,
        **terms,
    )
    await call.announce(RoutePosted(route_id=route.id, day=route.day, opens_at=terms["opens_at"]))
    return await _answer(call, route)


@writes(
    "change_board_terms",
    audience=PLANNERS,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=PLANNED_HERE,
    doors=(Rest("PUT", PATH, tag=TAG), GraphQL("changeBoardTerms")),
)
async def change_board_terms(call: Call, request: PostRoute) -> RouteOnBoardAnswer:
    """Say anew on what terms a route is on the board. Who has it or stands by for it keeps that."""
    route, _ = await route_for(call, request.route_id, RouteAct.OFFER)
    posting = await _live(call, route.id)
    stops = await stop_store.of_routes(call.work, [route.id])
    terms = await _terms(call, route, request, [stop.order_id for stop in stops])
    await store.change_posting(call.work, posting.id, **terms)
    return await _answer(call, route)


@writes(
    "take_route_off_board",
    audience=PLANNERS,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=PLANNED_HERE,
    doors=(Rest("POST", f"{PATH}/close", tag=TAG), GraphQL("takeRouteOffBoard")),
)
async def take_route_off_board(call: Call, request: TheRoute) -> RouteOnBoardAnswer:
    """Take a route off the board. A driver who has it keeps it; nobody stands by for it any more."""
    route, _ = await route_for(call, request.route_id, RouteAct.OFFER)
    await _live(call, route.id)
    await close_postings(call, [route.id], Closing.TAKEN_OFF)
    return await _answer(call, route)


async def _live(call: Call, route_id: int) -> Any:
    posting = (await store.live(call.work, [route_id])).get(route_id)
    if posting is None:
        raise NOT_FOUND()
    return posting


async def _terms(call: Call, route: Any, request: Terms, order_ids: list[int]) -> dict[str, Any]:
    opens_at = request.opens_at or call.now
    for name, moment in (("closes_at", request.closes_at), ("withdraw_until", request.withdraw_until)):
        if moment is not None and moment <= opens_at:
            raise INVALID_REQUEST.at(Fault(name, "field.before_opening"))
    skills = request.skills
    if skills is None:
        skills = sorted({skill for order in (await facts(call, order_ids)).values() for skill in order.skills})
    theirs = route.contractor_id is not None
    admission = Admission(
        driver_ids=tuple(request.driver_ids),
        skills=tuple(skills),
        own_drivers=request.own_drivers and not theirs,
        contractor_ids=(route.contractor_id,) if theirs else tuple(request.contractor_ids),
        zones=tuple(request.zones),
    )
    return {
        "opens_at": opens_at,
        "closes_at": request.closes_at,
        "withdraw_until": request.withdraw_until,
        "claims_per_day": request.claims_per_day,
        "standby_max": request.standby_max,
        "admission": admission,
        "note": request.note,
    }


async def _answer(call: Call, route: Any) -> RouteOnBoardAnswer:
    touched(call, route)
    (shown,) = await board_routes(call, [await store.latest(call.work, route.id)])
    return RouteOnBoardAnswer(board_route=shown)
