"""Drivers take routes from the board, stand by for them, and give them back."""

from typing import Any

from msgspec import Struct

from haulier.contexts.dispatch.drivers import store as driver_store
from haulier.contexts.dispatch.notices import give_notice
from haulier.contexts.dispatch.route_board import store
from haulier.contexts.dispatch.route_board.contract import ClaimRoute, RouteOnBoardAnswer, TheRoute
from haulier.contexts.dispatch.route_board.operations.posting import PATH, TAG
from haulier.contexts.dispatch.route_board.rules import (
    BOARD_CLAIMS_OVER,
    BOARD_NOT_OPEN_YET,
    CLAIM_LIMIT_REACHED,
    DRIVER_BLOCKED,
    STANDBY_FULL,
    WITHDRAW_TOO_LATE,
    ClaimOutcome,
    admitted,
    why_not_line_up,
    why_not_withdraw,
)
from haulier.contexts.dispatch.route_board.showing import board_routes, local_today
from haulier.contexts.dispatch.route_board.succession import candidates, end_claim, hand_to, pass_on, posting_state
from haulier.contexts.dispatch.routes import store as route_store
from haulier.contexts.dispatch.routes.rules.machine import ROUTE_CANNOT
from haulier.contexts.dispatch.routes.seating import seat
from haulier.kernel.call import Call
from haulier.kernel.declarations import Account, Risk, Scope
from haulier.kernel.errors import NOT_FOUND, problem
from haulier.kernel.operation import GraphQL, Rest, writes

ROUTE_TAKEN = problem("route_taken", 409)
ROUTE_STILL_FREE = problem("route_still_free", 409)
NO_CLAIM = problem("no_claim", 409)
DRIVERS = {Account.DRIVER}
TOO_LATE_OR_TOO_MANY = (BOARD_NOT_OPEN_YET, BOARD_CLAIMS_OVER, DRIVER_BLOCKED, CLAIM_LIMIT_REACHED, STANDBY_FULL)


class Asked(Struct, frozen=True):
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
    errors=(NOT_FOUND, ROUTE_TAKEN, *TOO_LATE_OR_TOO_MANY),
    doors=(Rest("POST", f"{PATH}/claim", tag=TAG), GraphQL("claimRoute")),
)
async def claim_route(call: Call, request: ClaimRoute) -> RouteOnBoardAnswer:
    """Take a route from the board: first come, first served. Claimed again, it stays yours.

    With `stand_by`, who comes too late stands in line instead of being refused.
    """
    asked = await _asked(call, request.route_id)
    if asked.mine is not None and asked.mine is asked.holder:
        return await _answer(call, asked)
    await _may_line_up(call, asked)
    if asked.holder is None:
        claim_id = asked.mine.id if asked.mine else await _queue(call, asked)
        await hand_to(call, asked.route, claim_id, asked.driver.id)
    elif not request.stand_by:
        raise ROUTE_TAKEN()
    elif asked.mine is None:
        await _stand_by(call, asked)
    return await _answer(call, asked)


@writes(
    "stand_by_for_route",
    audience=DRIVERS,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, ROUTE_STILL_FREE, *TOO_LATE_OR_TOO_MANY),
    doors=(Rest("POST", f"{PATH}/stand-by", tag=TAG), GraphQL("standByForRoute")),
)
async def stand_by_for_route(call: Call, request: TheRoute) -> RouteOnBoardAnswer:
    """Stand in line for a route that somebody else has: it becomes yours when it is given back and you are first.

    The answer says at which place you stand. Said again, you keep it.
    """
    asked = await _asked(call, request.route_id)
    if asked.mine is not None:
        return await _answer(call, asked)
    await _may_line_up(call, asked)
    if asked.holder is None:
        raise ROUTE_STILL_FREE()
    await _stand_by(call, asked)
    return await _answer(call, asked)


@writes(
    "withdraw_from_route",
    audience=DRIVERS,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, NO_CLAIM, WITHDRAW_TOO_LATE, ROUTE_CANNOT),
    doors=(Rest("POST", f"{PATH}/withdraw", tag=TAG), GraphQL("withdrawFromRoute")),
)
async def withdraw_from_route(call: Call, request: TheRoute) -> RouteOnBoardAnswer:
    """Give a route back before its deadline, or leave the line for it at any time.

    A route given back goes, in the same step, to the first in line who may have it.
    """
    asked = await _asked(call, request.route_id)
    if asked.mine is None:
        raise NO_CLAIM()
    if asked.mine is not asked.holder:
        await end_claim(call, asked.mine, ClaimOutcome.LEFT)
    elif refusal := why_not_withdraw(posting_state(call, asked.posting), call.now):
        raise refusal
    else:
        await seat(call, asked.route, None)
        await pass_on(call, asked.route, ClaimOutcome.WITHDRAWN)
    return await _answer(call, asked)


async def _asked(call: Call, route_id: int) -> Asked:
    """Hold the route, then look at the line. Raises `NOT_FOUND` for what is not on the board, or not for this driver."""
    driver = await driver_store.by_user(call.work, call.actor or 0)
    route = await route_store.one(call.work, route_id, lock=True)
    if driver is None or route is None:
        raise NOT_FOUND()
    line = list(await store.line(call.work, [route_id]))
    mine = next((claim for claim in line if claim.driver_id == driver.id), None)
    posting = (await store.live(call.work, [route_id])).get(route_id)
    if posting is None and mine is not None:
        posting = await store.latest(call.work, route_id)  # taken off the board, it is still the driver's to give back
    if posting is None:
        raise NOT_FOUND()
    holder = next((claim for claim in line if claim.won_at is not None), None)
    return Asked(route, posting, driver, holder, [claim for claim in line if claim.won_at is None], mine)


async def _may_line_up(call: Call, asked: Asked) -> None:
    (driver,) = await candidates(call, asked.posting, [asked.driver.id])
    posting = posting_state(call, asked.posting)
    if not admitted(posting.admission, driver):
        raise NOT_FOUND()
    if refusal := why_not_line_up(posting, driver, call.now, local_today(call)):
        raise refusal


async def _stand_by(call: Call, asked: Asked) -> None:
    if len(asked.waiting) >= asked.posting.standby_max:
        raise STANDBY_FULL(most=asked.posting.standby_max)
    await _queue(call, asked)


async def _queue(call: Call, asked: Asked) -> int:
    return await store.queue(
        call.work,
        posting_id=asked.posting.id,
        route_id=asked.route.id,
        driver_id=asked.driver.id,
        day=asked.posting.day,
        queued_at=call.now,
        promoted=False,
    )


async def _answer(call: Call, asked: Asked) -> RouteOnBoardAnswer:
    call.concerns("route", asked.route.id)
    call.concerns("driver", asked.driver.id)
    give_notice(call, asked.route.day)
    (shown,) = await board_routes(call, [asked.posting], asked.driver.id)
    return RouteOnBoardAnswer(board_route=shown)
