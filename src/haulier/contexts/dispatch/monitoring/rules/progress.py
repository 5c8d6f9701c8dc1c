"""Routes, stops and positions of a day as the rules see them, and what follows for drivers and routes."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from enum import StrEnum

from msgspec import Struct

from haulier.contexts.orders.delivery_orders.rules.pieces import PieceOutcome
from haulier.contexts.routes.routes.rules.state_machine import RouteStatus
from haulier.contexts.routes.stops.rules import (
    OPEN,
    SUCCESSFUL,
    UNSUCCESSFUL,
    StopCancelReason,
    StopDispute,
    StopKind,
    StopStatus,
)
from haulier.kernel.values.geography import LatLng


class ActivityStatus(StrEnum):
    """What a driver was last seen doing. Offline says only that no position came from the device for some time."""

    DRIVING = "driving"
    AT_STOP = "at_stop"
    IDLE = "idle"
    OFFLINE = "offline"


class MonitoringLimits(Struct, frozen=True, kw_only=True):
    """From which values on something is an exception."""

    late_after: timedelta = timedelta(minutes=15)
    idle_after: timedelta = timedelta(minutes=20)
    silent_after: timedelta = timedelta(minutes=10)
    off_route_m: int = 2_000


class LastPosition(Struct, frozen=True, kw_only=True):
    """The newest position of a driver, and since when the device has not moved."""

    occurred_at: datetime
    place: LatLng
    standing_since: datetime


class MonitoredStop(Struct, frozen=True, kw_only=True):
    """A stop as it was planned and as it went."""

    id: int
    order_id: int
    kind: StopKind
    status: StopStatus
    place: LatLng | None = None
    planned_arrival_at: datetime | None = None
    window_end: datetime | None = None
    arrived_at: datetime | None = None
    ended_at: datetime | None = None
    on_route: bool = True
    cancel_reason: StopCancelReason | None = None
    dispute: StopDispute | None = None
    pieces_left: tuple[tuple[str, PieceOutcome], ...] = ()
    """The pieces that were not handed over, by tracking number, with the outcome of each."""

    @property
    def reached_at(self) -> datetime | None:
        """When the driver was there: at the arrival, or at the end where no arrival was recorded."""
        return self.arrived_at or self.ended_at


class MonitoredRoute(Struct, frozen=True, kw_only=True):
    """A route of the day with its stops, in the order of visit, and its driver's newest position."""

    id: int
    status: RouteStatus
    driver_id: int | None = None
    driver_active: bool = True
    depot: LatLng | None = None
    planned_start_at: datetime | None = None
    declined_at: datetime | None = None
    clock_ahead_s: int | None = None
    clock_off_since: datetime | None = None
    stops: Sequence[MonitoredStop] = ()
    last_position: LastPosition | None = None


class StopTally(Struct, frozen=True, kw_only=True):
    """How many stops of a route are done. A stop without a plan and without a window is neither on time nor late."""

    total: int
    done: int
    failed: int
    left: int
    cancelled: int
    on_time: int
    late: int


def find_current_stop(stops: Sequence[MonitoredStop]) -> MonitoredStop | None:
    """The stop where the driver is, else the next that is open, or None."""
    reached = next((stop for stop in stops if stop.status is StopStatus.ARRIVED), None)
    return reached or next((stop for stop in stops if stop.status in OPEN), None)


def latest_on_time(stop: MonitoredStop, late_after: timedelta) -> datetime | None:
    """The latest time to reach a stop and be on time: the end of its window, else the planned arrival and `late_after`."""
    if stop.window_end is not None:
        return stop.window_end
    return stop.planned_arrival_at and stop.planned_arrival_at + late_after


def tally_stops(stops: Sequence[MonitoredStop], limits: MonitoringLimits) -> StopTally:
    """Count the stops of a route."""
    on_time = [
        stop.reached_at <= latest
        for stop in stops
        if stop.reached_at is not None and (latest := latest_on_time(stop, limits.late_after)) is not None
    ]
    return StopTally(
        total=len(stops),
        done=sum(stop.status in SUCCESSFUL for stop in stops),
        failed=sum(stop.status in UNSUCCESSFUL for stop in stops),
        left=sum(stop.status in OPEN for stop in stops),
        cancelled=sum(stop.status is StopStatus.CANCELLED for stop in stops),
        on_time=sum(on_time),
        late=len(on_time) - sum(on_time),
    )


def activity_status(
    position: LastPosition | None, route: MonitoredRoute | None, now: datetime, limits: MonitoringLimits
) -> ActivityStatus:
    """What a driver is doing; `route` is the one they are driving, if any."""
    if position is None or now - position.occurred_at > limits.silent_after:
        return ActivityStatus.OFFLINE
    if route is None:
        return ActivityStatus.IDLE
    if any(stop.status is StopStatus.ARRIVED for stop in route.stops):
        return ActivityStatus.AT_STOP
    return ActivityStatus.IDLE if now - position.standing_since > limits.idle_after else ActivityStatus.DRIVING
