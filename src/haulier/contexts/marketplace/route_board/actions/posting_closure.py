"""Removal of routes from the board, and the end of their claims."""

from collections.abc import Collection

from haulier.contexts.marketplace.events import ClaimEnded, RouteLeftBoard
from haulier.contexts.marketplace.route_board import store
from haulier.contexts.marketplace.route_board.rules import BoardClosingReason, ClaimOutcome
from haulier.kernel.call import Call


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
