"""Stores positions: the newest of a driver, a downsampled log, and the job that deletes old points."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from msgspec import Struct

from haulier.contexts.driver_app.policy.queries import load_rider_policy
from haulier.contexts.driver_app.positions import store
from haulier.contexts.driver_app.positions.contract import PushPositionsResult
from haulier.contexts.driver_app.positions.rules import (
    DevicePoint,
    Standstill,
    downsample_points,
    plausible_points,
    points_after,
    time_slot,
    update_standstill,
)
from haulier.contexts.fleet.public import DriverRow, lock_drivers
from haulier.kernel.call import Call

DELETE_DEVICE_DATA_JOB = "riders.forget"


class DeleteDeviceData(Struct, frozen=True, kw_only=True):
    """No arguments: the job deletes the old points of its client."""


async def record_positions(call: Call, driver: DriverRow, received: Sequence[DevicePoint]) -> PushPositionsResult:
    """Store where a driver was. It takes six statements, however many points there are."""
    policy = await load_rider_policy(call)
    await lock_drivers(call, [driver.id])
    points = plausible_points(received, call.now, policy.positions_kept_days)
    slots = {time_slot(point.occurred_at, policy.position_every_s) for point in points}
    sampled = downsample_points(
        points, policy.position_every_s, await store.list_taken_slots(call.work, driver.id, slots)
    )
    await store.insert_points(call.work, driver.id, sampled, call.now)
    latest = await _update_latest_position(call, driver, points)
    return PushPositionsResult(
        stored=len(sampled),
        thinned=len(points) - len(sampled),
        refused=len(received) - len(points),
        latest_at=call.local_time(latest),
        every_s=policy.position_every_s,
    )


async def _update_latest_position(call: Call, driver: DriverRow, points: Sequence[DevicePoint]) -> datetime | None:
    """Store the newest position where one of the points is newer than the stored one. Returns when it was."""
    row = (await store.get_latest_positions(call.work, [driver.id])).get(driver.id)
    newer = points_after(points, row.occurred_at if row else None)
    if not newer:
        return row.occurred_at if row else None
    before = Standstill((row.standing_lat, row.standing_lng), row.standing_since) if row else None
    standstill = update_standstill(before, newer)
    assert standstill is not None
    await store.upsert_latest_position(
        call.work,
        driver.id,
        newer[-1],
        call.now,
        has_row=row is not None,
        standing_since=standstill.since,
        standing_lat=standstill.place[0],
        standing_lng=standstill.place[1],
    )
    if row is None or row.recorded_at.date() != call.now.date():
        await _schedule_deletion(call)
    return newer[-1].occurred_at


async def _schedule_deletion(call: Call) -> None:
    """Schedule the deletion for tomorrow; the key makes it one job a day and client."""
    day = call.now.date() + timedelta(days=1)
    run_at = call.now + timedelta(days=1)
    await call.enqueue(DELETE_DEVICE_DATA_JOB, DeleteDeviceData(), run_at=run_at, idempotency_key=day.isoformat())


async def delete_old_points(call: Call) -> None:
    """Delete the points that are older than the client's policy allows."""
    policy = await load_rider_policy(call)
    await store.delete_points_before(call.work, call.now - timedelta(days=policy.positions_kept_days))
