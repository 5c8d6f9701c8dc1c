"""Operations on the route board."""

from typing import Any

from msgspec import Struct

from haulier.contexts.fleet.public import DriverRow, get_driver_row_by_user, get_visible_driver, lock_drivers
from haulier.contexts.marketplace.events import RoutePosted
from haulier.contexts.marketplace.route_board import store
from haulier.contexts.marketplace.route_board.actions import (
    award_route,
    close_postings,
    end_route_claim,
    promote_next_in_line,
)
from haulier.contexts.marketplace.route_board.contract import (
    BoardDriverRule,
    BoardDriverRuleAnswer,
    BoardDriverRules,
    BoardRouteRef,
    BoardTerms,
    ClaimRoute,
    ListBoardDriverRules,
    ListRouteBoard,
    ListRouteClaims,
    PostRoute,
    RouteBoard,
    RouteBoardEntryAnswer,
    RouteClaims,
    SetBoardDriverRule,
)
from haulier.contexts.marketplace.route_board.queries import (
    load_board_candidates,
    local_today,
    to_board_candidate,
    to_board_posting,
)
from haulier.contexts.marketplace.route_board.rules import (
    BOARD_CLAIMS_OVER,
    BOARD_NOT_OPEN_YET,
    CLAIM_LIMIT_REACHED,
    DRIVER_BLOCKED,
    STANDBY_FULL,
    BoardAdmission,
    BoardClosingReason,
    ClaimOutcome,
    check_claim_request,
    check_claim_withdrawal,
    is_admitted,
)
from haulier.contexts.marketplace.route_board.serializers import (
    serialize_board_entries,
    serialize_route_claims,
)
from haulier.contexts.marketplace.route_board.store import BoardDriverRuleRow, ClaimRow, PostingRow
from haulier.contexts.orders.public import get_order_facts
from haulier.contexts.routes.public import (
    ROUTE_ON_BOARD,
    RouteRow,
    assign_driver,
    get_route_row,
    get_visible_route,
    list_stops_of_routes,
    lock_route_for_action,
    mark_routes_changed,
    notify_day_changed,
    update_route,
)
from haulier.contexts.routes.routes.rules.progress import (
    ROUTE_CANNOT,
    ROUTE_EMPTY,
    ROUTE_NOT_YOURS_TO_PLAN,
    ROUTE_PLANNERS,
    WITHDRAW_TOO_LATE,
    RouteAction,
)
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import STAFF, Account, Risk, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, NOT_FOUND, FieldError, declare_error
from haulier.kernel.operations.records import record


@writes(
    "set_board_driver_rule",
    audience=ROUTE_PLANNERS,
    scopes={Scope.DRIVERS_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND,),
    interfaces=(Rest("PUT", "/v1/route-board/drivers/{driver_id}"), GraphQL("setBoardDriverRule")),
)
async def set_board_driver_rule(call: Call, request: SetBoardDriverRule) -> BoardDriverRuleAnswer:
    """Set the board rule of a driver.

    Existing claims stay. Contractors can set rules for their own drivers.
    """
    driver = await get_visible_driver(call, request.driver_id)
    await lock_drivers(call, [driver.id])
    values = request.model_dump(exclude={"driver_id"})
    await store.upsert_board_driver_rule(call.work, driver.id, **values, changed_at=call.now, changed_by=call.actor)
    call.add_audit_subjects("driver", driver.id)
    rule = (await store.get_board_driver_rules(call.work, [driver.id]))[driver.id]
    return BoardDriverRuleAnswer(rule=_driver_rule_record(call, rule, driver.name))


@reads(
    "list_board_driver_rules",
    audience=ROUTE_PLANNERS,
    scopes={Scope.DRIVERS_READ},
    interfaces=(Rest("GET", "/v1/route-board/drivers"), GraphQL("boardDriverRules")),
)
async def list_board_driver_rules(call: Call, request: ListBoardDriverRules) -> BoardDriverRules:
    """List board rules of drivers.

    Results are ordered by name. Contractors see rules of their own drivers.
    """
    filters: dict[str, Any] = {"blocked": call.now} if request.blocked else {}
    if call.principal.account is Account.CONTRACTOR:
        filters["owner"] = call.actor
    rows, total = await store.find_board_driver_rules(call.work, filters, request.per_page, request.offset)
    rules = [_driver_rule_record(call, row, row.driver_name) for row in rows]
    return BoardDriverRules(total=total, page=request.page, per_page=request.per_page, rules=rules)


def _driver_rule_record(call: Call, rule: BoardDriverRuleRow, driver_name: str) -> BoardDriverRule:
    return record(
        BoardDriverRule,
        rule,
        driver_name=driver_name,
        blocked_until=call.local_time(rule.blocked_until),
        changed_at=call.local_time(rule.changed_at),
    )


PATH = "/v1/route-board/routes/{route_id}"
MAX_BOARD_ROUTES = 1000
PLANNER_ERRORS = (NOT_FOUND, ROUTE_CANNOT, ROUTE_NOT_YOURS_TO_PLAN)
BOARD_FULL = declare_error("board_full", 409)
ROUTE_HAS_DRIVER = declare_error("route_has_driver", 409)


@writes(
    "post_route_to_board",
    available_when={"allowed_actions": "offer"},
    audience=ROUTE_PLANNERS,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=(*PLANNER_ERRORS, ROUTE_EMPTY, ROUTE_HAS_DRIVER, ROUTE_ON_BOARD, BOARD_FULL),
    interfaces=(Rest("POST", PATH), GraphQL("postRouteToBoard")),
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
    available_when={"allowed_actions": "offer"},
    audience=ROUTE_PLANNERS,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=PLANNER_ERRORS,
    interfaces=(Rest("PUT", PATH), GraphQL("updateBoardTerms")),
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
    available_when={"allowed_actions": "offer"},
    audience=ROUTE_PLANNERS,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=PLANNER_ERRORS,
    interfaces=(Rest("POST", f"{PATH}/close"), GraphQL("removeRouteFromBoard")),
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


@reads(
    "list_route_board",
    audience=STAFF,
    scopes={Scope.ROUTES_READ},
    interfaces=(Rest("GET", "/v1/route-board"), GraphQL("routeBoard")),
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
    interfaces=(Rest("GET", PATH), GraphQL("boardRoute")),
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
    interfaces=(Rest("GET", "/v1/route-board/claims"), GraphQL("routeClaims")),
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


ROUTE_TAKEN = declare_error("route_taken", 409)
ROUTE_STILL_FREE = declare_error("route_still_free", 409)
NO_CLAIM = declare_error("no_claim", 409)
DRIVERS = {Account.DRIVER}
CLAIM_ERRORS = (BOARD_NOT_OPEN_YET, BOARD_CLAIMS_OVER, DRIVER_BLOCKED, CLAIM_LIMIT_REACHED, STANDBY_FULL)


class ClaimSituation(Struct, frozen=True):
    """Locked route on the board, with the driver and all claims.

    Includes the calling driver's claim, the winning claim and the standby claims.
    """

    route: RouteRow
    posting: PostingRow
    driver: DriverRow
    holder: ClaimRow | None
    waiting: list[ClaimRow]
    mine: ClaimRow | None


@writes(
    "claim_route",
    audience=DRIVERS,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, ROUTE_TAKEN, *CLAIM_ERRORS),
    interfaces=(Rest("POST", f"{PATH}/claim"), GraphQL("claimRoute")),
)
async def claim_route(call: Call, request: ClaimRoute) -> RouteBoardEntryAnswer:
    """Claim a route from the board.

    The first driver gets the route. Repeated calls change nothing. With `stand_by`, a driver who is too late stands
    by instead of being refused.
    """
    situation = await _lock_claim_situation(call, request.route_id)
    if situation.mine is not None and situation.mine is situation.holder:
        return await _claim_answer(call, situation)
    await _require_claimable(call, situation)
    if situation.holder is None:
        claim_id = situation.mine.id if situation.mine else await _insert_claim(call, situation)
        await award_route(call, situation.route, claim_id, situation.driver.id)
    elif not request.stand_by:
        raise ROUTE_TAKEN()
    elif situation.mine is None:
        await _join_standby(call, situation)
    return await _claim_answer(call, situation)


@writes(
    "stand_by_for_route",
    audience=DRIVERS,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, ROUTE_STILL_FREE, *CLAIM_ERRORS),
    interfaces=(Rest("POST", f"{PATH}/stand-by"), GraphQL("standByForRoute")),
)
async def stand_by_for_route(call: Call, request: BoardRouteRef) -> RouteBoardEntryAnswer:
    """Stand by for a claimed route.

    The route is assigned to the first standby driver when it is returned. The answer shows your position. Repeated
    calls keep it.
    """
    situation = await _lock_claim_situation(call, request.route_id)
    if situation.mine is not None:
        return await _claim_answer(call, situation)
    await _require_claimable(call, situation)
    if situation.holder is None:
        raise ROUTE_STILL_FREE()
    await _join_standby(call, situation)
    return await _claim_answer(call, situation)


@writes(
    "withdraw_from_route",
    audience=DRIVERS,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, NO_CLAIM, WITHDRAW_TOO_LATE, ROUTE_CANNOT),
    interfaces=(Rest("POST", f"{PATH}/withdraw"), GraphQL("withdrawFromRoute")),
)
async def withdraw_from_route(call: Call, request: BoardRouteRef) -> RouteBoardEntryAnswer:
    """Withdraw from a route.

    Returns a claimed route before its deadline, or leaves the standby queue at any time. A returned route is
    assigned to the first eligible standby driver in the same step.
    """
    situation = await _lock_claim_situation(call, request.route_id)
    if situation.mine is None:
        raise NO_CLAIM()
    if situation.mine is not situation.holder:
        await end_route_claim(call, situation.mine, ClaimOutcome.LEFT)
    elif error := check_claim_withdrawal(to_board_posting(call, situation.posting), call.now):
        raise error
    else:
        await assign_driver(call, situation.route, None)
        await promote_next_in_line(call, situation.route, ClaimOutcome.WITHDRAWN)
    return await _claim_answer(call, situation)


async def _lock_claim_situation(call: Call, route_id: int) -> ClaimSituation:
    """Lock a route and load its claims.

    Raises `NOT_FOUND` if it is not on the board, or not for this driver.
    """
    driver = await get_driver_row_by_user(call, call.actor or 0)
    route = await get_route_row(call, route_id, lock=True)
    if driver is None or route is None:
        raise NOT_FOUND()
    claims = list(await store.list_open_claims(call.work, [route_id]))
    mine = next((claim for claim in claims if claim.driver_id == driver.id), None)
    posting = (await store.get_live_postings(call.work, [route_id])).get(route_id)
    if posting is None and mine is not None:
        # A driver can still return a route that was taken off the board.
        posting = await store.get_latest_posting(call.work, route_id)
    if posting is None:
        raise NOT_FOUND()
    holder = next((claim for claim in claims if claim.won_at is not None), None)
    return ClaimSituation(route, posting, driver, holder, [claim for claim in claims if claim.won_at is None], mine)


async def _require_claimable(call: Call, situation: ClaimSituation) -> None:
    (driver,) = await load_board_candidates(call, situation.posting, [situation.driver.id])
    posting = to_board_posting(call, situation.posting)
    if not is_admitted(posting.admission, driver):
        raise NOT_FOUND()
    if error := check_claim_request(posting, driver, call.now, local_today(call)):
        raise error


async def _join_standby(call: Call, situation: ClaimSituation) -> None:
    if len(situation.waiting) >= situation.posting.standby_max:
        raise STANDBY_FULL(most=situation.posting.standby_max)
    await _insert_claim(call, situation)


async def _insert_claim(call: Call, situation: ClaimSituation) -> int:
    return await ClaimRow.insert(
        call.work,
        posting_id=situation.posting.id,
        route_id=situation.route.id,
        driver_id=situation.driver.id,
        day=situation.posting.day,
        queued_at=call.now,
        promoted=False,
    )


async def _claim_answer(call: Call, situation: ClaimSituation) -> RouteBoardEntryAnswer:
    call.add_audit_subjects("route", situation.route.id)
    call.add_audit_subjects("driver", situation.driver.id)
    notify_day_changed(call, situation.route.day)
    (entry,) = await serialize_board_entries(call, [situation.posting], situation.driver.id)
    return RouteBoardEntryAnswer(board_route=entry)
