"""Operations to post routes, update their terms and remove them."""

from typing import Any

from haulier.contexts.marketplace.events import RoutePosted
from haulier.contexts.marketplace.route_board import store
from haulier.contexts.marketplace.route_board.actions.posting_closure import close_postings
from haulier.contexts.marketplace.route_board.contract import (
    BoardRouteRef,
    BoardTerms,
    PostRoute,
    RouteBoardEntryAnswer,
)
from haulier.contexts.marketplace.route_board.queries import local_today
from haulier.contexts.marketplace.route_board.rules import BoardAdmission, BoardClosingReason
from haulier.contexts.marketplace.route_board.serializers import serialize_board_entries
from haulier.contexts.marketplace.route_board.store import PostingRow
from haulier.contexts.orders.public import get_order_facts
from haulier.contexts.routes.public import (
    ROUTE_ON_BOARD,
    RouteRow,
    list_stops_of_routes,
    lock_route_for_action,
    mark_routes_changed,
    update_route,
)
from haulier.contexts.routes.routes.rules.permissions import ROUTE_NOT_YOURS_TO_PLAN, ROUTE_PLANNERS
from haulier.contexts.routes.routes.rules.progress import ROUTE_EMPTY
from haulier.contexts.routes.routes.rules.state_machine import ROUTE_CANNOT, RouteAction
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, writes
from haulier.kernel.operations.enums import Risk, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, NOT_FOUND, FieldError, declare_error

PATH = "/v1/route-board/routes/{route_id}"
MAX_BOARD_ROUTES = 1000
PLANNER_ERRORS = (NOT_FOUND, ROUTE_CANNOT, ROUTE_NOT_YOURS_TO_PLAN)
BOARD_FULL = declare_error("board_full", 409)
ROUTE_HAS_DRIVER = declare_error("route_has_driver", 409)


@writes(
    "post_route_to_board",
    allowed_where={"allowed_actions": "offer"},
    audience=ROUTE_PLANNERS,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=(*PLANNER_ERRORS, ROUTE_EMPTY, ROUTE_HAS_DRIVER, ROUTE_ON_BOARD, BOARD_FULL),
    doors=(Rest("POST", PATH), GraphQL("postRouteToBoard")),
)
async def post_route_to_board(call: Call, request: PostRoute) -> RouteBoardEntryAnswer:
    """Post a route to the board.

    Drivers can then claim the route, which must not have a driver. An unpublished route is published.
    """
    route, _ = await lock_route_for_action(call, request.route_id, RouteAction.OFFER)
    if route.driver_id is not None:
        raise ROUTE_HAS_DRIVER()
    if route.id in await store.get_live_postings(call.work, [route.id]):
        raise ROUTE_ON_BOARD()
    stops = await list_stops_of_routes(call, [route.id])
    if not stops:
        raise ROUTE_EMPTY()
    if await store.count_live_postings(call.work, local_today(call)) >= MAX_BOARD_ROUTES:
        raise BOARD_FULL(most=MAX_BOARD_ROUTES)
    if route.published_at is None:
        await update_route(call, route.id, published_at=call.now, published_by=call.actor)
    terms = await _posting_values(call, route, request, [stop.order_id for stop in stops])
    await PostingRow.insert(
        call.work,
        route_id=route.id,
        day=route.day,
        contractor_id=route.contractor_id,
        posted_at=call.now,
        posted_by=call.actor,
        **terms,
    )
    await call.publish(RoutePosted(route_id=route.id, day=route.day, opens_at=terms["opens_at"]))
    return await _posting_answer(call, route)


@writes(
    "update_board_terms",
    allowed_where={"allowed_actions": "offer"},
    audience=ROUTE_PLANNERS,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=PLANNER_ERRORS,
    doors=(Rest("PUT", PATH), GraphQL("updateBoardTerms")),
)
async def update_board_terms(call: Call, request: PostRoute) -> RouteBoardEntryAnswer:
    """Update the board terms of a route.

    Existing claims and standby positions stay.
    """
    route, _ = await lock_route_for_action(call, request.route_id, RouteAction.OFFER)
    posting = await _get_live_posting(call, route.id)
    stops = await list_stops_of_routes(call, [route.id])
    terms = await _posting_values(call, route, request, [stop.order_id for stop in stops])
    await PostingRow.update(call.work, posting.id, terms)
    return await _posting_answer(call, route)


@writes(
    "remove_route_from_board",
    allowed_where={"allowed_actions": "offer"},
    audience=ROUTE_PLANNERS,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=PLANNER_ERRORS,
    doors=(Rest("POST", f"{PATH}/close"), GraphQL("removeRouteFromBoard")),
)
async def remove_route_from_board(call: Call, request: BoardRouteRef) -> RouteBoardEntryAnswer:
    """Remove a route from the board.

    A driver who has the route keeps it. The standby queue ends.
    """
    route, _ = await lock_route_for_action(call, request.route_id, RouteAction.OFFER)
    await _get_live_posting(call, route.id)
    await close_postings(call, [route.id], BoardClosingReason.TAKEN_OFF)
    return await _posting_answer(call, route)


async def _get_live_posting(call: Call, route_id: int) -> PostingRow:
    posting = (await store.get_live_postings(call.work, [route_id])).get(route_id)
    if posting is None:
        raise NOT_FOUND()
    return posting


async def _posting_values(call: Call, route: RouteRow, request: BoardTerms, order_ids: list[int]) -> dict[str, Any]:
    opens_at = request.opens_at or call.now
    for name, moment in (("closes_at", request.closes_at), ("withdraw_until", request.withdraw_until)):
        if moment is not None and moment <= opens_at:
            raise INVALID_REQUEST.for_fields(FieldError(name, "field.before_opening"))
    skills = request.skills
    if skills is None:
        skills = sorted(
            {skill for order in (await get_order_facts(call, order_ids)).values() for skill in order.skills}
        )
    admission = BoardAdmission(
        driver_ids=tuple(request.driver_ids),
        skills=tuple(skills),
        own_drivers=request.own_drivers and route.contractor_id is None,
        contractor_ids=tuple(request.contractor_ids) if route.contractor_id is None else (route.contractor_id,),
        zones=tuple(request.zones),
    )
    terms = request.model_dump(include={"closes_at", "withdraw_until", "claims_per_day", "standby_max", "note"})
    return {**terms, "opens_at": opens_at, "admission": admission}


async def _posting_answer(call: Call, route: RouteRow) -> RouteBoardEntryAnswer:
    mark_routes_changed(call, route)
    posting = await store.get_latest_posting(call.work, route.id)
    assert posting is not None
    (entry,) = await serialize_board_entries(call, [posting])
    return RouteBoardEntryAnswer(board_route=entry)
