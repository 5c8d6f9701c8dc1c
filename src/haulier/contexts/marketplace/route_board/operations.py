"""Drivers' operations: claim routes, stand by and withdraw."""

from msgspec import Struct

from haulier.contexts.fleet.public import DriverRow, get_driver_row_by_user
from haulier.contexts.marketplace.route_board import store
from haulier.contexts.marketplace.route_board.actions.standby_queue import (
    award_route,
    end_route_claim,
    promote_next_in_line,
)
from haulier.contexts.marketplace.route_board.contract import BoardRouteRef, ClaimRoute, RouteBoardEntryAnswer
from haulier.contexts.marketplace.route_board.operations.postings import PATH
from haulier.contexts.marketplace.route_board.queries import load_board_candidates, local_today, to_board_posting
from haulier.contexts.marketplace.route_board.rules import (
    BOARD_CLAIMS_OVER,
    BOARD_NOT_OPEN_YET,
    CLAIM_LIMIT_REACHED,
    DRIVER_BLOCKED,
    STANDBY_FULL,
    WITHDRAW_TOO_LATE,
    ClaimOutcome,
    check_claim_request,
    check_claim_withdrawal,
    is_admitted,
)
from haulier.contexts.marketplace.route_board.serializers import serialize_board_entries
from haulier.contexts.marketplace.route_board.store import ClaimRow, PostingRow
from haulier.contexts.routes.public import RouteRow, assign_driver, get_route_row, notify_day_changed
from haulier.contexts.routes.routes.rules.state_machine import ROUTE_CANNOT
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, writes
from haulier.kernel.operations.enums import Account, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND, declare_error

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
    doors=(Rest("POST", f"{PATH}/claim"), GraphQL("claimRoute")),
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
    doors=(Rest("POST", f"{PATH}/stand-by"), GraphQL("standByForRoute")),
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
    doors=(Rest("POST", f"{PATH}/withdraw"), GraphQL("withdrawFromRoute")),
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
