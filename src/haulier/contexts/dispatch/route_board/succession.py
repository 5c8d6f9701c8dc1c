"""Who has a route of the board next: claimed, given back, freed, and handed on to the first who stands by."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from msgspec import convert

from haulier.contexts.dispatch.drivers import store as driver_store
from haulier.contexts.dispatch.events import ClaimEnded, RouteClaimed
from haulier.contexts.dispatch.route_board import store
from haulier.contexts.dispatch.route_board.rules import Admission, Candidate, ClaimOutcome, Posting, next_in_line
from haulier.contexts.dispatch.routes import store as route_store
from haulier.contexts.dispatch.routes.seating import seat
from haulier.kernel.call import Call


def posting_state(call: Call, row: Any) -> Posting:
    """A route on the board, as the rules see it."""
    return Posting(
        day=row.day,
        opens_at=row.opens_at.astimezone(call.time_zone),
        closes_at=local(call, row.closes_at),
        withdraw_until=local(call, row.withdraw_until),
        claims_per_day=row.claims_per_day,
        standby_max=row.standby_max,
        admission=convert(row.admission, Admission),
        closed=row.closed_at is not None,
    )


def candidate(call: Call, driver: Any, rule: Any, held: int = 0) -> Candidate:
    """A driver, as the rules see them."""
    return Candidate(
        driver_id=driver.id,
        contractor_id=driver.contractor_id,
        skills=frozenset(driver.skills),
        active=bool(driver.active),
        zones=frozenset(rule.zones if rule else ()),
        blocked_until=local(call, rule.blocked_until) if rule else None,
        claims_per_day=rule.claims_per_day if rule else None,
        held=held,
    )


def local(call: Call, at: datetime | None) -> datetime | None:
    """A moment by the business's clock."""
    return at and at.astimezone(call.time_zone)


async def candidates(call: Call, posting: Any, driver_ids: Sequence[int]) -> list[Candidate]:
    """These drivers in this order, held for this call, with what they have on the day of a posting."""
    await store.hold_drivers(call.work, driver_ids)
    drivers = await driver_store.some(call.work, driver_ids)
    rules = await store.rules(call.work, driver_ids)
    held = await store.held(call.work, driver_ids, posting.day)
    return [
        candidate(call, drivers[id], rules.get(id), held.get(id, 0))
        for id in dict.fromkeys(driver_ids)
        if id in drivers
    ]


async def hand_to(call: Call, route: Any, claim_id: int, driver_id: int, *, promoted: bool = False) -> None:
    """The route becomes the driver's, who stood in line with this claim."""
    await store.win(call.work, claim_id, at=call.now, promoted=promoted)
    await seat(call, route, await driver_store.one(call.work, driver_id))
    await call.announce(
        RouteClaimed(route_id=route.id, claim_id=claim_id, driver_id=driver_id, promoted=promoted, at=call.now)
    )


async def end_claim(call: Call, claim: Any, how: ClaimOutcome) -> None:
    """End one claim."""
    await store.end(call.work, [claim.id], at=call.now, by=call.actor, how=how)
    await call.announce(
        ClaimEnded(route_id=claim.route_id, claim_id=claim.id, driver_id=claim.driver_id, outcome=how, at=call.now)
    )


async def pass_on(call: Call, route: Any, how: ClaimOutcome) -> None:
    """A route that was just taken from its driver goes, in the same step, to the first in line who may have it."""
    line = await store.line(call.work, [route.id])
    for claim in line:
        if claim.won_at is not None:
            await end_claim(call, claim, how)
    posting = (await store.live(call.work, [route.id])).get(route.id)
    waiting = {claim.driver_id: claim for claim in line if claim.won_at is None}
    if posting is None or not waiting:
        return
    fit = next_in_line(posting_state(call, posting), await candidates(call, posting, list(waiting)), call.now)
    if fit is not None:
        freed = await route_store.one(call.work, route.id)
        await hand_to(call, freed, waiting[fit.driver_id].id, fit.driver_id, promoted=True)
