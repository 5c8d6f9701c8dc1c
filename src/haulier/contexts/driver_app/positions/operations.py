"""Positions: a device reports where it was; the office reads a driver's trail."""

from datetime import timedelta

from haulier.contexts.driver_app.driver_account.queries import NO_DRIVER_RECORD, get_calling_driver
from haulier.contexts.driver_app.policy.operations import DRIVERS_ONLY
from haulier.contexts.driver_app.positions import store
from haulier.contexts.driver_app.positions.actions import record_positions
from haulier.contexts.driver_app.positions.contract import (
    TRAIL_MAX,
    DriverTrail,
    DriverTrailPoint,
    GetDriverTrail,
    PushPositions,
    PushPositionsResult,
)
from haulier.contexts.driver_app.positions.jobs import stream_positions
from haulier.contexts.driver_app.positions.rules import correct_points
from haulier.contexts.fleet.public import get_visible_driver
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import STAFF, Area, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND
from haulier.kernel.operations.records import record

BODY_LIMIT_BYTES = 262_144


@writes(
    "push_positions",
    audience=DRIVERS_ONLY,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.LOW,
    errors=(NO_DRIVER_RECORD,),
    body_limit_bytes=BODY_LIMIT_BYTES,
    interfaces=(Rest("POST", "/v1/rider/positions"), GraphQL("pushPositions")),
)
async def push_positions(call: Call, request: PushPositions) -> PushPositionsResult:
    """Report positions of the device.

    Takes up to 500 points in any order, including late and repeated ones. The newest position is always available. Of
    the others, one per interval is stored. The driver app policy sets the interval and the days until deletion.
    """
    driver = await get_calling_driver(call)
    points = correct_points([point.point for point in request.points], call.now, request.sent_at)
    return await stream_positions(call, driver, points) or await record_positions(call, driver, points)


@reads(
    "get_driver_trail",
    audience=STAFF,
    scopes={Scope.DRIVERS_READ},
    errors=(NOT_FOUND,),
    interfaces=(Rest("GET", "/v1/drivers/{driver_id}/positions", area=Area.DISPATCH), GraphQL("driverTrail")),
)
async def get_driver_trail(call: Call, request: GetDriverTrail) -> DriverTrail:
    """Get the positions of a driver.

    Returns the stored points of a period. A driver sees only their own.
    """
    await get_visible_driver(call, request.driver_id)
    until = request.until or call.now + timedelta(minutes=1)
    rows = await store.list_trail_points(call.work, request.driver_id, request.since, until, TRAIL_MAX + 1)
    points = [
        record(
            DriverTrailPoint,
            row,
            occurred_at=call.local_time(row.occurred_at),
            recorded_at=call.local_time(row.recorded_at),
        )
        for row in rows[:TRAIL_MAX]
    ]
    return DriverTrail(driver_id=request.driver_id, points=points, more=len(rows) > TRAIL_MAX)
