"""Reading the board: what is on it, one route of it, and every claim that was made."""

from typing import Any

from haulier.contexts.dispatch.drivers import store as driver_store
from haulier.contexts.dispatch.route_board import store
from haulier.contexts.dispatch.route_board.contract import (
    ListBoard,
    ListClaims,
    RouteBoard,
    RouteClaims,
    RouteOnBoardAnswer,
    TheRoute,
)
from haulier.contexts.dispatch.route_board.operations.posting import BOARD_MAX, PATH, TAG
from haulier.contexts.dispatch.route_board.rules import admitted
from haulier.contexts.dispatch.route_board.showing import board_routes, claims_shown, local_today
from haulier.contexts.dispatch.route_board.succession import candidate, posting_state
from haulier.contexts.dispatch.routes.finding import visible_route
from haulier.kernel.call import Call
from haulier.kernel.declarations import STAFF, Account, Scope
from haulier.kernel.errors import NOT_FOUND
from haulier.kernel.operation import GraphQL, Rest, reads


@reads(
    "list_route_board",
    audience=STAFF,
    scopes={Scope.ROUTES_READ},
    doors=(Rest("GET", "/v1/route-board", tag=TAG), GraphQL("routeBoard")),
)
async def list_route_board(call: Call, request: ListBoard) -> RouteBoard:
    """List the board: drivers see what is on it for them from today on, contractors their own routes, the office all."""
    if call.principal.account is Account.DRIVER:
        driver = await driver_store.by_user(call.work, call.actor or 0)
        found = await _for_driver(call, driver, request) if driver else []
        rows, total = found[request.offset : request.offset + request.per_page], len(found)
        shown = await board_routes(call, rows, driver.id if driver else None)
    else:
        filters = _days(request) | _live(request.live) | _owner(call)
        rows, total = await store.page_of_postings(call.work, filters, request.per_page, request.offset)
        shown = await board_routes(call, rows)
    return RouteBoard(total=total, page=request.page, per_page=request.per_page, board_routes=shown)


@reads(
    "get_board_route",
    audience=STAFF,
    scopes={Scope.ROUTES_READ},
    errors=(NOT_FOUND,),
    doors=(Rest("GET", PATH, tag=TAG), GraphQL("boardRoute")),
)
async def get_board_route(call: Call, request: TheRoute) -> RouteOnBoardAnswer:
    """Show a route as it is on the board, or as it was there last. Drivers see one that is on it for them."""
    posting = await store.latest(call.work, request.route_id)
    if posting is None:
        raise NOT_FOUND()
    if call.principal.account is not Account.DRIVER:
        await visible_route(call, request.route_id)
        (shown,) = await board_routes(call, [posting])
        return RouteOnBoardAnswer(board_route=shown)
    driver = await driver_store.by_user(call.work, call.actor or 0)
    if driver is None or not await _exists_for(call, driver, posting):
        raise NOT_FOUND()
    (shown,) = await board_routes(call, [posting], driver.id)
    return RouteOnBoardAnswer(board_route=shown)


@reads(
    "list_route_claims",
    audience=STAFF,
    scopes={Scope.ROUTES_READ},
    doors=(Rest("GET", "/v1/route-board/claims", tag=TAG), GraphQL("routeClaims")),
)
async def list_route_claims(call: Call, request: ListClaims) -> RouteClaims:
    """List who claimed which route, when, and how it ended. Drivers see their own; contractors those of their routes and
    of their drivers."""
    filters: dict[str, Any] = _days(request) | _live(request.live) | _owner(call)
    if request.route_id is not None:
        filters["route"] = request.route_id
    if request.driver_id is not None:
        filters["driver"] = request.driver_id
    if call.principal.account is Account.DRIVER:
        driver = await driver_store.by_user(call.work, call.actor or 0)
        filters["driver"] = driver.id if driver else 0
    rows, total = await store.page_of_claims(call.work, filters, request.per_page, request.offset)
    shown = await claims_shown(call, rows)
    return RouteClaims(total=total, page=request.page, per_page=request.per_page, claims=shown)


async def _for_driver(call: Call, driver: Any, request: ListBoard) -> list[Any]:
    """What is on the board for a driver. The board has an end, so the rules choose here and not in the database."""
    postings = await store.for_drivers(call.work, local_today(call), BOARD_MAX)
    asker = candidate(call, driver, (await store.rules(call.work, [driver.id])).get(driver.id))
    return [
        posting
        for posting in postings
        if admitted(posting_state(call, posting).admission, asker)
        and (request.date_from is None or posting.day >= request.date_from)
        and (request.date_to is None or posting.day <= request.date_to)
    ]


async def _exists_for(call: Call, driver: Any, posting: Any) -> bool:
    if any(claim.driver_id == driver.id for claim in await store.line(call.work, [posting.route_id])):
        return True
    rule = (await store.rules(call.work, [driver.id])).get(driver.id)
    return posting.closed_at is None and admitted(posting_state(call, posting).admission, candidate(call, driver, rule))


def _days(request: ListBoard | ListClaims) -> dict[str, Any]:
    days = {"since": request.date_from, "until": request.date_to}
    return {name: day for name, day in days.items() if day is not None}


def _live(live: bool | None) -> dict[str, Any]:
    return {} if live is None else {"live" if live else "over": True}


def _owner(call: Call) -> dict[str, Any]:
    return {"owner": call.actor} if call.principal.account is Account.CONTRACTOR else {}
