"""Writes of the route board for other families."""

from collections.abc import Collection

from haulier.contexts.fleet.public import get_driver_row
from haulier.contexts.marketplace.events import ClaimEnded, RouteClaimed, RouteLeftBoard
from haulier.contexts.marketplace.route_board import store
from haulier.contexts.marketplace.route_board.queries import load_board_candidates, to_board_posting
from haulier.contexts.marketplace.route_board.rules import (
    BoardClosingReason,
    ClaimOutcome,
    check_claim_withdrawal,
    find_next_in_line,
)
from haulier.contexts.marketplace.route_board.store import ClaimRow
from haulier.contexts.routes.public import RouteRow, StandbyEndReason, assign_driver, get_route_row
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import OperationError


async def close_postings(call: Call, route_ids: Collection[int], why: BoardClosingReason) -> None:
    """Take routes off the board and end their claims.

    A route that was removed by hand stays with its driver. In every other case its claim ends too.
    """
    postings = await store.get_live_postings(call.work, route_ids)
    line = await store.list_open_claims(call.work, route_ids)
    ended = [claim for claim in line if claim.won_at is None or why is not BoardClosingReason.TAKEN_OFF]
    if postings:
        ids = [posting.id for posting in postings.values()]
        await store.mark_postings_closed(call.work, ids, at=call.now, by=call.actor, why=why)
    await store.mark_claims_ended(
        call.work, [claim.id for claim in ended], at=call.now, by=call.actor, how=ClaimOutcome.CLOSED
    )
    for claim in ended:
        if claim.won_at is not None:
            await call.publish(
                ClaimEnded(
                    route_id=claim.route_id,
                    claim_id=claim.id,
                    driver_id=claim.driver_id,
                    outcome=ClaimOutcome.CLOSED,
                    at=call.now,
                )
            )
    for route_id in postings:
        waiting = tuple(claim.driver_id for claim in ended if claim.route_id == route_id and claim.won_at is None)
        await call.publish(RouteLeftBoard(route_id=route_id, closing=why, standing_by=waiting))


async def award_route(call: Call, route: RouteRow, claim_id: int, driver_id: int, *, promoted: bool = False) -> None:
    """Assign a route to the driver of a claim."""
    await store.mark_claim_won(call.work, claim_id, at=call.now, promoted=promoted)
    await assign_driver(call, route, await get_driver_row(call, driver_id))
    await call.publish(
        RouteClaimed(route_id=route.id, claim_id=claim_id, driver_id=driver_id, promoted=promoted, at=call.now)
    )


async def end_route_claim(call: Call, claim: ClaimRow, how: ClaimOutcome) -> None:
    """End one claim."""
    await store.mark_claims_ended(call.work, [claim.id], at=call.now, by=call.actor, how=how)
    await call.publish(
        ClaimEnded(route_id=claim.route_id, claim_id=claim.id, driver_id=claim.driver_id, outcome=how, at=call.now)
    )


async def promote_next_in_line(call: Call, route: RouteRow, how: ClaimOutcome) -> None:
    """End the current claim and assign the route to the next eligible driver."""
    line = await store.list_open_claims(call.work, [route.id])
    for claim in line:
        if claim.won_at is not None:
            await end_route_claim(call, claim, how)
    posting = (await store.get_live_postings(call.work, [route.id])).get(route.id)
    waiting = {claim.driver_id: claim for claim in line if claim.won_at is None}
    if posting is None or not waiting:
        return
    fit = find_next_in_line(
        to_board_posting(call, posting), await load_board_candidates(call, posting, list(waiting)), call.now
    )
    if fit is not None:
        # Read the row again: the route has lost its driver since `route` was read.
        freed = await get_route_row(call, route.id)
        assert freed is not None
        await award_route(call, freed, waiting[fit.driver_id].id, fit.driver_id, promoted=True)


class BoardStandbyQueue:
    """Standby queue of each route on the board."""

    async def is_on_board(self, call: Call, route_id: int) -> bool:
        """Return True if a route is on the board."""
        return route_id in await store.get_live_postings(call.work, [route_id])

    async def check_give_back(self, call: Call, route_id: int, driver_id: int) -> OperationError | None:
        """Return the reason why the driver cannot return the route, or None.

        The withdrawal deadline may have passed.
        """
        held = any(
            claim.driver_id == driver_id and claim.won_at
            for claim in await store.list_open_claims(call.work, [route_id])
        )
        posting = await store.get_latest_posting(call.work, route_id) if held else None
        return posting and check_claim_withdrawal(to_board_posting(call, posting), call.now)

    async def promote_next(self, call: Call, route: RouteRow, *, by_driver: bool = False) -> None:
        """Promote the next driver after staff or the driver freed a route."""
        await promote_next_in_line(call, route, ClaimOutcome.WITHDRAWN if by_driver else ClaimOutcome.FREED)

    async def close(self, call: Call, route_ids: Collection[int], why: StandbyEndReason) -> None:
        """Take routes off the board and end all their claims."""
        await close_postings(call, route_ids, BoardClosingReason(why.value))
