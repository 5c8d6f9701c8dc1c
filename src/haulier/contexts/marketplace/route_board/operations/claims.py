"""Drivers take routes from the board, stand by for them, and give them back."""

from typing import Any

from msgspec import Struct

from haulier.contexts.fleet.drivers import store as driver_store
from haulier.contexts.marketplace.route_board import store
from haulier.contexts.marketplace.route_board.actions.standby_queue import (
    award_route,
    end_route_claim,
    load_board_candidates,
    promote_next_in_line,
    to_board_posting,
)
from haulier.contexts.marketplace.route_board.contract import BoardRouteRef, ClaimRoute, RouteBoardEntryAnswer
from haulier.contexts.marketplace.route_board.operations.postings import PATH, TAG
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
from haulier.contexts.marketplace.route_board.serializers import local_today, serialize_board_entries
from haulier.contexts.routes.routes import store as route_store
from haulier.contexts.routes.routes.actions.driver_assignment import assign_driver
from haulier.contexts.routes.routes.notifications import notify_day_changed
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
    """A route on the board, held for this call: who asks, who has it, who stands by, and where the asker stands."""

    route: Any
    posting: Any
    driver: Any
    holder: Any
    waiting: list[Any]
    mine: Any


@writes(
    "claim_route",
    audience=DRIVERS,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, ROUTE_TAKEN, *CLAIM_ERRORS),
    doors=(Rest("POST", f"{PATH}/claim", tag=TAG), GraphQL("claimRoute")),
)
async def claim_route(call: Call, request: ClaimRoute) -> RouteBoardEntryAnswer:
    """Take a route from the board: first come, first served. Claimed again, it stays yours.

    With `stand_by`, who comes too late stands in line instead of being refused.
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
    doors=(Rest("POST", f"{PATH}/stand-by", tag=TAG), GraphQL("standByForRoute")),
)
async def stand_by_for_route(call: Call, request: BoardRouteRef) -> RouteBoardEntryAnswer:
    """Stand in line for a route that somebody else has: it becomes yours when it is given back and you are first.

    The answer says at which place you stand. Said again, you keep it.
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
    doors=(Rest("POST", f"{PATH}/withdraw", tag=TAG), GraphQL("withdrawFromRoute")),
)
async def withdraw_from_route(call: Call, request: BoardRouteRef) -> RouteBoardEntryAnswer:
    """Give a route back before its deadline, or leave the line for it at any time.

    A route given back goes, in the same step, to the first in line who may have it.
    """
    situation = await _lock_claim_situation(call, request.route_id)
    if situation.mine is None:
        raise NO_CLAIM()
    if situation.mine is not situation.holder:
        await end_route_claim(call, situation.mine, ClaimOutcome.LEFT)
    elif refusal := check_claim_withdrawal(to_board_posting(call, situation.posting), call.now):
        raise refusal
    else:
        await assign_driver(call, situation.route, None)
        await promote_next_in_line(call, situation.route, ClaimOutcome.WITHDRAWN)
    return await _claim_answer(call, situation)


async def _lock_claim_situation(call: Call, route_id: int) -> ClaimSituation:
    """Hold the route, then look at the line. Raises `NOT_FOUND` for what is not on the board, or not for this driver."""
    driver = await driver_store.get_driver_row_by_user(call.work, call.actor or 0)
    route = await route_store.get_route_row(call.work, route_id, lock=True)
    if driver is None or route is None:
        raise NOT_FOUND()
    line = list(await store.list_open_claims(call.work, [route_id]))
    mine = next((claim for claim in line if claim.driver_id == driver.id), None)
    posting = (await store.get_live_postings(call.work, [route_id])).get(route_id)
    if posting is None and mine is not None:
        posting = await store.get_latest_posting(
            call.work, route_id
        )  # taken off the board, it is still the driver's to give back
    if posting is None:
        raise NOT_FOUND()
    holder = next((claim for claim in line if claim.won_at is not None), None)
    return ClaimSituation(route, posting, driver, holder, [claim for claim in line if claim.won_at is None], mine)


async def _require_claimable(call: Call, situation: ClaimSituation) -> None:
    (driver,) = await load_board_candidates(call, situation.posting, [situation.driver.id])
    posting = to_board_posting(call, situation.posting)
    if not is_admitted(posting.admission, driver):
        raise NOT_FOUND()
    if refusal := check_claim_request(posting, driver, call.now, local_today(call)):
        raise refusal


async def _join_standby(call: Call, situation: ClaimSituation) -> None:
    if len(situation.waiting) >= situation.posting.standby_max:
        raise STANDBY_FULL(most=situation.posting.standby_max)
    await _insert_claim(call, situation)


async def _insert_claim(call: Call, situation: ClaimSituation) -> int:
    return await store.insert_claim(
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
    (shown,) = await serialize_board_entries(call, [situation.posting], situation.driver.id)
    return RouteBoardEntryAnswer(board_route=shown)
