"""Storage of positions: newest positions, a downsampled log, and its cleanup job."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from msgspec import Struct

from haulier.contexts.driver_app.policy.queries import load_rider_policy
from haulier.contexts.driver_app.policy.rules import RiderPolicy
from haulier.contexts.driver_app.positions import store
from haulier.contexts.driver_app.positions.contract import PushPositionsResult
from haulier.contexts.driver_app.positions.rules import (
    DevicePoint,
    Standstill,
    downsample_points,
    in_order_of_time,
    plausible_points,
    points_after,
    time_slot,
    update_standstill,
)
from haulier.contexts.driver_app.positions.store import NewestPosition
from haulier.contexts.fleet.public import DriverRow, lock_drivers
from haulier.kernel.call import Call

DELETE_DEVICE_DATA_JOB = "riders.forget"


class DeleteDeviceData(Struct, frozen=True, kw_only=True):
    """No arguments: the job deletes the old points of its client."""


class ReceivedPoints(Struct, frozen=True, kw_only=True):
    """Points reported by a driver's device, with the time of receipt."""

    driver_id: int
    at: datetime
    points: Sequence[DevicePoint]


class RecordedPoints(Struct, frozen=True, kw_only=True):
    """Result for a driver's points.

    Number of plausible and of stored points, and the time of the newest known position.
    """

    plausible: int
    stored: int
    latest: datetime | None


async def record_positions(call: Call, driver: DriverRow, received: Sequence[DevicePoint]) -> PushPositionsResult:
    """Store a driver's positions. Six statements for any number of points."""
    policy = await load_rider_policy(call)
    told = ReceivedPoints(driver_id=driver.id, at=call.now, points=received)
    recorded = (await write_positions(call, policy, [told]))[driver.id]
    return PushPositionsResult(
        stored=recorded.stored,
        thinned=recorded.plausible - recorded.stored,
        refused=len(received) - recorded.plausible,
        latest_at=call.local_time(recorded.latest),
        every_s=policy.position_every_s,
    )


async def write_positions(
    call: Call, policy: RiderPolicy, received: Sequence[ReceivedPoints]
) -> dict[int, RecordedPoints]:
    """Store the positions of drivers.

    A constant number of statements for any number of drivers.
    """
    told: dict[int, list[DevicePoint]] = {}
    for each in received:
        plausible = plausible_points(each.points, each.at, policy.positions_kept_days)
        told[each.driver_id] = in_order_of_time([*told.get(each.driver_id, ()), *plausible])
    await lock_drivers(call, told)
    slots = {time_slot(point.occurred_at, policy.position_every_s) for points in told.values() for point in points}
    taken = await store.list_taken_slots(call.work, told, slots)
    sampled = {
        driver_id: downsample_points(points, policy.position_every_s, taken[driver_id])
        for driver_id, points in told.items()
    }
    await store.insert_points(call.work, sampled, call.now)
    latest = await _write_newest(call, told)
    return {
        driver_id: RecordedPoints(plausible=len(points), stored=len(sampled[driver_id]), latest=latest.get(driver_id))
        for driver_id, points in told.items()
    }


async def _write_newest(call: Call, told: Mapping[int, Sequence[DevicePoint]]) -> dict[int, datetime]:
    """Store newer positions of drivers, and return their times."""
    rows = await store.get_latest_positions(call.work, list(told))
    latest = {driver_id: row.occurred_at for driver_id, row in rows.items()}
    newest: dict[int, NewestPosition] = {}
    for driver_id, points in told.items():
        row = rows.get(driver_id)
        if newer := points_after(points, row.occurred_at if row else None):
            before = Standstill((row.standing_lat, row.standing_lng), row.standing_since) if row else None
            standstill = update_standstill(before, newer)
            assert standstill is not None
            newest[driver_id] = NewestPosition(newer[-1], standstill)
            latest[driver_id] = newer[-1].occurred_at
    await store.upsert_newest_positions(call.work, newest, call.now)
    if any(driver_id not in rows or rows[driver_id].recorded_at.date() != call.now.date() for driver_id in newest):
        await _schedule_deletion(call)
    return latest


async def _schedule_deletion(call: Call) -> None:
    """Schedule the deletion for tomorrow; the key makes it one job a day and client."""
    day = call.now.date() + timedelta(days=1)
    run_at = call.now + timedelta(days=1)
    await call.enqueue(DELETE_DEVICE_DATA_JOB, DeleteDeviceData(), run_at=run_at, idempotency_key=day.isoformat())


async def delete_old_points(call: Call) -> None:
    """Delete the points that are older than the client's policy allows."""
    policy = await load_rider_policy(call)
    await store.delete_points_before(call.work, call.now - timedelta(days=policy.positions_kept_days))
