"""Routes leave the board: what stood in line is told so, whoever made the route leave."""

from collections.abc import Collection

from haulier.contexts.dispatch.events import ClaimEnded, RouteLeftBoard
from haulier.contexts.dispatch.route_board import store
from haulier.contexts.dispatch.route_board.rules import ClaimOutcome, Closing
from haulier.kernel.call import Call


async def close_postings(call: Call, route_ids: Collection[int], why: Closing) -> None:
    """Take those of these routes that are on the board off it, and end what is claimed of them.

    Taken off by hand, a route stays with the driver who has it; in every other case nobody has it any more.
    """
    postings = await store.live(call.work, route_ids)
    line = await store.line(call.work, route_ids)
    over = [claim for claim in line if claim.won_at is None or why is not Closing.TAKEN_OFF]
    if postings:
        ids = [posting.id for posting in postings.values()]
        await store.close(call.work, ids, at=call.now, by=call.actor, why=why)
    await store.end(call.work, [claim.id for claim in over], at=call.now, by=call.actor, how=ClaimOutcome.CLOSED)
    for claim in over:
        if claim.won_at is not None:
            await call.announce(
                ClaimEnded(
                    route_id=claim.route_id,
                    claim_id=claim.id,
                    driver_id=claim.driver_id,
                    outcome=ClaimOutcome.CLOSED,
                    at=call.now,
                )
            )
    for route_id in postings:
        waiting = tuple(claim.driver_id for claim in over if claim.route_id == route_id and claim.won_at is None)
        await call.announce(RouteLeftBoard(route_id=route_id, closing=why, standing_by=waiting))
