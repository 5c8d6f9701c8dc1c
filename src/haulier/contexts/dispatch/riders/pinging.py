"""Positions are taken in: the newest is known at once, the journal is thinned, and what is too old is forgotten."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from msgspec import Struct

from haulier.contexts.dispatch.riders.contract.positions import PingsTaken
from haulier.contexts.dispatch.riders.rules.thinning import (
    DevicePoint,
    Standing,
    believable,
    newer,
    slot,
    stands,
    thinned,
)
from haulier.contexts.dispatch.riders.store import positions, queue
from haulier.contexts.dispatch.riders.store.policy import policy
from haulier.kernel.call import Call
from haulier.kernel.errands import errand
from haulier.kernel.run import Run

FORGET = "riders.forget"
EVENTS_KEPT = timedelta(days=90)
"""For so long the offline queue remembers what a device told: a repeat after that finds the deed itself done."""


class ForgetPoints(Struct, frozen=True, kw_only=True):
    """Old points of the client are to be deleted."""


async def note(call: Call, driver: Any, told: Sequence[DevicePoint]) -> PingsTaken:
    """Write down where a driver was. Six statements, however many points."""
    rules = await policy(call.work)
    await positions.hold(call.work, driver.id)
    points = believable(told, call.now, rules.positions_kept_days)
    slots = {slot(point.occurred_at, rules.position_every_s) for point in points}
    kept = thinned(points, rules.position_every_s, await positions.taken(call.work, driver.id, slots))
    await positions.keep(call.work, driver.id, kept, call.now)
    latest = await _move(call, driver, points)
    return PingsTaken(
        stored=len(kept),
        thinned=len(points) - len(kept),
        refused=len(told) - len(points),
        latest_at=latest and latest.astimezone(call.time_zone),
        every_s=rules.position_every_s,
    )


async def _move(call: Call, driver: Any, points: Sequence[DevicePoint]) -> datetime | None:
    """Note the newest position, where one of the points is newer than what is known. Returns when it was."""
    row = (await positions.latest(call.work, [driver.id])).get(driver.id)
    new = newer(points, row.occurred_at if row else None)
    if not new:
        return row.occurred_at if row else None
    before = Standing((row.standing_lat, row.standing_lng), row.standing_since) if row else None
    standing = stands(before, new)
    assert standing is not None
    await positions.move(
        call.work,
        driver.id,
        new[-1],
        call.now,
        known=row is not None,
        standing_since=standing.since,
        standing_lat=standing.place[0],
        standing_lng=standing.place[1],
    )
    if row is None or row.recorded_at.date() != call.now.date():
        await _forget_tomorrow(call)
    return new[-1].occurred_at


async def _forget_tomorrow(call: Call) -> None:
    """Once a day and client; the first point of a driver's day sees to it."""
    day = call.now.date() + timedelta(days=1)
    at = call.now + timedelta(days=1)
    await call.post(FORGET, ForgetPoints(), run_at=at, idempotency_key=day.isoformat())


@errand(FORGET, ForgetPoints)
async def forget(run: Run, args: ForgetPoints) -> None:
    """Delete the points that are older than the client's rules say, and what the offline queue no longer needs."""
    async with run.call() as call:
        before = call.now - timedelta(days=(await policy(call.work)).positions_kept_days)
        await positions.forget(call.work, before)
        await queue.forget(call.work, call.now - EVENTS_KEPT)
