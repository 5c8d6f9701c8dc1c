"""Reads of the board: postings, single routes and claims."""

from typing import Any

from haulier.contexts.fleet.public import DriverRow, get_driver_row_by_user
from haulier.contexts.marketplace.route_board import store
from haulier.contexts.marketplace.route_board.contract import (
    BoardRouteRef,
    ListRouteBoard,
    ListRouteClaims,
    RouteBoard,
    RouteBoardEntryAnswer,
    RouteClaims,
)
from haulier.contexts.marketplace.route_board.operations.postings import MAX_BOARD_ROUTES, PATH
from haulier.contexts.marketplace.route_board.queries import local_today, to_board_candidate, to_board_posting
from haulier.contexts.marketplace.route_board.rules import is_admitted
from haulier.contexts.marketplace.route_board.serializers import (
    serialize_board_entries,
    serialize_route_claims,
)
from haulier.contexts.marketplace.route_board.store import PostingRow
from haulier.contexts.routes.public import get_visible_route
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads
from haulier.kernel.operations.enums import STAFF, Account, Scope
from haulier.kernel.operations.errors import NOT_FOUND


@reads(
    "list_route_board",
    audience=STAFF,
    scopes={Scope.ROUTES_READ},
    doors=(Rest("GET", "/v1/route-board"), GraphQL("routeBoard")),
)
async def list_route_board(call: Call, request: ListRouteBoard) -> RouteBoard:
    """List the route board.

    Drivers see routes that they can claim from today on, contractors their own routes, and staff all routes.
    """
    if call.principal.account is Account.DRIVER:
        driver = await get_driver_row_by_user(call, call.actor or 0)
        visible = await _list_postings_for_driver(call, driver, request) if driver else []
        rows, total = visible[request.offset : request.offset + request.per_page], len(visible)
        entries = await serialize_board_entries(call, rows, driver.id if driver else None)
    else:
        filters = _day_filters(request) | _live_filter(request.live) | _contractor_filter(call)
        rows, total = await store.find_postings(call.work, filters, request.per_page, request.offset)
        entries = await serialize_board_entries(call, rows)
    return RouteBoard(total=total, page=request.page, per_page=request.per_page, board_routes=entries)


@reads(
    "get_board_route",
    audience=STAFF,
    scopes={Scope.ROUTES_READ},
    errors=(NOT_FOUND,),
    doors=(Rest("GET", PATH), GraphQL("boardRoute")),
)
async def get_board_route(call: Call, request: BoardRouteRef) -> RouteBoardEntryAnswer:
    """Get a route on the board.

    Returns the current or last posting of the route. Drivers see routes that they can claim.
    """
    posting = await store.get_latest_posting(call.work, request.route_id)
    if posting is None:
        raise NOT_FOUND()
    if call.principal.account is not Account.DRIVER:
        await get_visible_route(call, request.route_id)
        (entry,) = await serialize_board_entries(call, [posting])
        return RouteBoardEntryAnswer(board_route=entry)
    driver = await get_driver_row_by_user(call, call.actor or 0)
    if driver is None or not await _is_visible_to_driver(call, driver, posting):
        raise NOT_FOUND()
    (entry,) = await serialize_board_entries(call, [posting], driver.id)
    return RouteBoardEntryAnswer(board_route=entry)


@reads(
    "list_route_claims",
    audience=STAFF,
    scopes={Scope.ROUTES_READ},
    doors=(Rest("GET", "/v1/route-board/claims"), GraphQL("routeClaims")),
)
async def list_route_claims(call: Call, request: ListRouteClaims) -> RouteClaims:
    """List claims of routes.

    Shows the driver, the time and the end of each claim. Drivers see their own claims. Contractors see claims of
    their routes and drivers.
    """
    filters: dict[str, Any] = _day_filters(request) | _live_filter(request.live) | _contractor_filter(call)
    if request.route_id is not None:
        filters["route"] = request.route_id
    if request.driver_id is not None:
        filters["driver"] = request.driver_id
    if call.principal.account is Account.DRIVER:
        driver = await get_driver_row_by_user(call, call.actor or 0)
        filters["driver"] = driver.id if driver else 0
    rows, total = await store.find_route_claims(call.work, filters, request.per_page, request.offset)
    claims = await serialize_route_claims(call, rows)
    return RouteClaims(total=total, page=request.page, per_page=request.per_page, claims=claims)


async def _list_postings_for_driver(call: Call, driver: DriverRow, request: ListRouteBoard) -> list[PostingRow]:
    """Return the postings that a driver may see."""
    # At most `MAX_BOARD_ROUTES` are on the board, so the rules select here instead of repeating them in SQL.
    postings = await store.list_live_postings(call.work, local_today(call), MAX_BOARD_ROUTES)
    candidate = to_board_candidate(
        call, driver, (await store.get_board_driver_rules(call.work, [driver.id])).get(driver.id)
    )
    return [
        posting
        for posting in postings
        if is_admitted(to_board_posting(call, posting).admission, candidate)
        and (request.date_from is None or posting.day >= request.date_from)
        and (request.date_to is None or posting.day <= request.date_to)
    ]


async def _is_visible_to_driver(call: Call, driver: DriverRow, posting: PostingRow) -> bool:
    if any(claim.driver_id == driver.id for claim in await store.list_open_claims(call.work, [posting.route_id])):
        return True
    rule = (await store.get_board_driver_rules(call.work, [driver.id])).get(driver.id)
    return posting.closed_at is None and is_admitted(
        to_board_posting(call, posting).admission, to_board_candidate(call, driver, rule)
    )


def _day_filters(request: ListRouteBoard | ListRouteClaims) -> dict[str, Any]:
    days = {"since": request.date_from, "until": request.date_to}
    return {name: day for name, day in days.items() if day is not None}


def _live_filter(live: bool | None) -> dict[str, Any]:
    return {} if live is None else {"live" if live else "over": True}


def _contractor_filter(call: Call) -> dict[str, Any]:
    return {"owner": call.actor} if call.principal.account is Account.CONTRACTOR else {}
