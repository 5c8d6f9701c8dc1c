"""Who has a route of the board next: claimed, given back, freed, and handed on to the first who stands by."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from msgspec import convert

from haulier.contexts.fleet.drivers import store as driver_store
from haulier.contexts.marketplace.events import ClaimEnded, RouteClaimed
from haulier.contexts.marketplace.route_board import store
from haulier.contexts.marketplace.route_board.rules import (
    BoardAdmission,
    BoardCandidate,
    BoardPosting,
    ClaimOutcome,
    find_next_in_line,
)
from haulier.contexts.routes.routes import store as route_store
from haulier.contexts.routes.routes.actions.driver_assignment import assign_driver
from haulier.kernel.call import Call


def to_board_posting(call: Call, row: Any) -> BoardPosting:
    """A route on the board, as the rules see it."""
    return BoardPosting(
        day=row.day,
        opens_at=row.opens_at.astimezone(call.time_zone),
        closes_at=to_local_time(call, row.closes_at),
        withdraw_until=to_local_time(call, row.withdraw_until),
        claims_per_day=row.claims_per_day,
        standby_max=row.standby_max,
        admission=convert(row.admission, BoardAdmission),
        closed=row.closed_at is not None,
    )


def to_board_candidate(call: Call, driver: Any, rule: Any, held: int = 0) -> BoardCandidate:
    """A driver, as the rules see them."""
    return BoardCandidate(
        driver_id=driver.id,
        contractor_id=driver.contractor_id,
        skills=frozenset(driver.skills),
        active=bool(driver.active),
        zones=frozenset(rule.zones if rule else ()),
        blocked_until=to_local_time(call, rule.blocked_until) if rule else None,
        claims_per_day=rule.claims_per_day if rule else None,
        held=held,
    )


def to_local_time(call: Call, at: datetime | None) -> datetime | None:
    """A moment by the business's clock."""
    return at and at.astimezone(call.time_zone)


async def load_board_candidates(call: Call, posting: Any, driver_ids: Sequence[int]) -> list[BoardCandidate]:
    """These drivers in this order, held for this call, with what they have on the day of a posting."""
    await store.lock_board_drivers(call.work, driver_ids)
    drivers = await driver_store.get_driver_rows(call.work, driver_ids)
    rules = await store.get_board_driver_rules(call.work, driver_ids)
    held = await store.count_held_routes(call.work, driver_ids, posting.day)
    return [
        to_board_candidate(call, drivers[id], rules.get(id), held.get(id, 0))
        for id in dict.fromkeys(driver_ids)
        if id in drivers
    ]


async def award_route(call: Call, route: Any, claim_id: int, driver_id: int, *, promoted: bool = False) -> None:
    """The route becomes the driver's, who stood in line with this claim."""
    await store.mark_claim_won(call.work, claim_id, at=call.now, promoted=promoted)
    await assign_driver(call, route, await driver_store.get_driver_row(call.work, driver_id))
    await call.publish(
        RouteClaimed(route_id=route.id, claim_id=claim_id, driver_id=driver_id, promoted=promoted, at=call.now)
    )


async def end_route_claim(call: Call, claim: Any, how: ClaimOutcome) -> None:
    """End one claim."""
    await store.mark_claims_ended(call.work, [claim.id], at=call.now, by=call.actor, how=how)
    await call.publish(
        ClaimEnded(route_id=claim.route_id, claim_id=claim.id, driver_id=claim.driver_id, outcome=how, at=call.now)
    )


async def promote_next_in_line(call: Call, route: Any, how: ClaimOutcome) -> None:
    """A route that was just taken from its driver goes, in the same step, to the first in line who may have it."""
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
        freed = await route_store.get_route_row(call.work, route.id)
        await award_route(call, freed, waiting[fit.driver_id].id, fit.driver_id, promoted=True)
