"""Positions are taken in: the newest is known at once, the journal is thinned, and what is too old is forgotten."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from msgspec import Struct

from haulier.contexts.driver_app.policy.store import load_rider_policy
from haulier.contexts.driver_app.positions import store as positions
from haulier.contexts.driver_app.positions.contract import PushPositionsResult
from haulier.contexts.driver_app.positions.rules.downsampling import (
    DevicePoint,
    Standstill,
    downsample_points,
    plausible_points,
    points_after,
    time_slot,
    update_standstill,
)
from haulier.kernel.call import Call

DELETE_DEVICE_DATA_JOB = "riders.forget"


class DeleteDeviceData(Struct, frozen=True, kw_only=True):
    """Old points of the client are to be deleted."""


async def record_positions(call: Call, driver: Any, told: Sequence[DevicePoint]) -> PushPositionsResult:
    """Write down where a driver was. Six statements, however many points."""
    rules = await load_rider_policy(call.work)
    await positions.lock_driver(call.work, driver.id)
    points = plausible_points(told, call.now, rules.positions_kept_days)
    slots = {time_slot(point.occurred_at, rules.position_every_s) for point in points}
    kept = downsample_points(
        points, rules.position_every_s, await positions.list_taken_slots(call.work, driver.id, slots)
    )
    await positions.insert_points(call.work, driver.id, kept, call.now)
    latest = await _update_latest_position(call, driver, points)
    return PushPositionsResult(
        stored=len(kept),
        thinned=len(points) - len(kept),
        refused=len(told) - len(points),
        latest_at=latest and latest.astimezone(call.time_zone),
        every_s=rules.position_every_s,
    )


async def _update_latest_position(call: Call, driver: Any, points: Sequence[DevicePoint]) -> datetime | None:
    """Note the newest position, where one of the points is newer than what is known. Returns when it was."""
    row = (await positions.get_latest_positions(call.work, [driver.id])).get(driver.id)
    new = points_after(points, row.occurred_at if row else None)
    if not new:
        return row.occurred_at if row else None
    before = Standstill((row.standing_lat, row.standing_lng), row.standing_since) if row else None
    standing = update_standstill(before, new)
    assert standing is not None
    await positions.upsert_latest_position(
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
        await _schedule_deletion(call)
    return new[-1].occurred_at


async def _schedule_deletion(call: Call) -> None:
    """Once a day and client; the first point of a driver's day sees to it."""
    day = call.now.date() + timedelta(days=1)
    at = call.now + timedelta(days=1)
    await call.enqueue(DELETE_DEVICE_DATA_JOB, DeleteDeviceData(), run_at=at, idempotency_key=day.isoformat())
