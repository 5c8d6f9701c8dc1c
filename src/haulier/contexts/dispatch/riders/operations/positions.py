"""Positions: a device tells where it was; the office follows a driver's way."""

from datetime import timedelta

from haulier.contexts.dispatch.drivers.visibility import visible_driver
from haulier.contexts.dispatch.riders.acting import NO_DRIVER_RECORD, myself
from haulier.contexts.dispatch.riders.contract.positions import (
    TRAIL_MAX,
    Pings,
    PingsTaken,
    Trail,
    TrailAnswer,
    TrailPoint,
)
from haulier.contexts.dispatch.riders.operations.day import DRIVER, TAG
from haulier.contexts.dispatch.riders.pinging import note
from haulier.contexts.dispatch.riders.store import positions
from haulier.kernel.call import Call
from haulier.kernel.declarations import STAFF, Risk, Scope
from haulier.kernel.errors import NOT_FOUND
from haulier.kernel.operation import GraphQL, Rest, reads, writes

BODY_LIMIT_BYTES = 262_144


@writes(
    "push_positions",
    audience=DRIVER,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.LOW,
    errors=(NO_DRIVER_RECORD,),
    body_limit_bytes=BODY_LIMIT_BYTES,
    doors=(Rest("POST", "/v1/rider/positions", tag=TAG), GraphQL("pushPositions")),
)
async def push_positions(call: Call, request: Pings) -> PingsTaken:
    """Tell where the device was: up to 500 points in any order, also late and twice.

    The newest is always known; of the others at most one is kept for each stretch of time that the client's rules name, and
    deleted after as many days as they say.
    """
    return await note(call, await myself(call), [ping.point for ping in request.points])


@reads(
    "driver_trail",
    audience=STAFF,
    scopes={Scope.DRIVERS_READ},
    errors=(NOT_FOUND,),
    doors=(Rest("GET", "/v1/drivers/{driver_id}/positions", tag="Dispatch"), GraphQL("driverTrail")),
)
async def driver_trail(call: Call, request: Trail) -> TrailAnswer:
    """Show the way of a driver in a stretch of time, as far as it is kept. A driver sees only their own."""
    await visible_driver(call, request.driver_id)
    until = request.until or call.now + timedelta(minutes=1)
    rows = await positions.trail(call.work, request.driver_id, request.since, until, TRAIL_MAX + 1)
    points = [
        TrailPoint(
            occurred_at=row.occurred_at.astimezone(call.time_zone),
            recorded_at=row.recorded_at.astimezone(call.time_zone),
            **{name: getattr(row, name) for name in ("lat", "lng", "accuracy_m", "speed_mps", "heading_deg")},
        )
        for row in rows[:TRAIL_MAX]
    ]
    return TrailAnswer(driver_id=request.driver_id, points=points, more=len(rows) > TRAIL_MAX)
