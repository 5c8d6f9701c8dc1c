"""Claims of routes: awarded, ended, and passed on to the first standby driver."""

from haulier.contexts.fleet.public import get_driver_row
from haulier.contexts.marketplace.events import ClaimEnded, RouteClaimed
from haulier.contexts.marketplace.route_board import store
from haulier.contexts.marketplace.route_board.queries import load_board_candidates, to_board_posting
from haulier.contexts.marketplace.route_board.rules import ClaimOutcome, find_next_in_line
from haulier.contexts.marketplace.route_board.store import ClaimRow
from haulier.contexts.routes.public import RouteRow, assign_driver, get_route_row
from haulier.kernel.call import Call


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
