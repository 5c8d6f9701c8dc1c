"""Rules of monitoring."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from enum import StrEnum

from msgspec import Struct

from haulier.contexts.orders.delivery_orders.rules.packages import PieceOutcome
from haulier.contexts.routes.routes.rules.progress import RouteStatus
from haulier.contexts.routes.stops.rules import (
    OPEN,
    SUCCESSFUL,
    UNSUCCESSFUL,
    StopCancelReason,
    StopDispute,
    StopKind,
    StopStatus,
)
from haulier.kernel.values.geography import LatLng, distance_to_line_m


class ActivityStatus(StrEnum):
    """Last observed activity of a driver.

    Offline means that the device has sent no position for some time.
    """

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
        """Return the arrival time, or the end of the stop if no arrival was recorded."""
        return self.arrived_at or self.ended_at


class MonitoredRoute(Struct, frozen=True, kw_only=True):
    """A route of the day with its stops in order, and its driver's newest position."""

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
    """Progress of a route's stops.

    A stop without a plan and without a window is neither on time nor late.
    """

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
    """Return the latest punctual arrival at a stop.

    The end of its window, else the planned arrival plus `late_after`.
    """
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
    """Return the activity of a driver; `route` is the one under way, if any."""
    if position is None or now - position.occurred_at > limits.silent_after:
        return ActivityStatus.OFFLINE
    if route is None:
        return ActivityStatus.IDLE
    if any(stop.status is StopStatus.ARRIVED for stop in route.stops):
        return ActivityStatus.AT_STOP
    return ActivityStatus.IDLE if now - position.standing_since > limits.idle_after else ActivityStatus.DRIVING


class DayExceptionKind(StrEnum):
    """The kind of an exception."""

    LATE_START = "late_start"
    LATE = "late"
    MISSED_WINDOW = "missed_window"
    FAILED_STOP = "failed_stop"
    IDLE = "idle"
    OFF_ROUTE = "off_route"
    NO_SIGNAL = "no_signal"
    CLOCK_OFF = "clock_off"
    """The clock of the driver's device is off, so that times had to be corrected."""
    DECLINED = "declined"
    DRIVER_INACTIVE = "driver_inactive"
    """Its driver was deactivated or left, so that no driver is on it."""
    CANCELLED_ABOARD = "cancelled_aboard"
    """The order was cancelled while its goods were in the vehicle; they have to come back."""
    ABORTED_ABOARD = "aborted_aboard"
    """The route was given up; the goods are in its vehicle, to be handed over or brought back."""
    DELIVERED_BEFORE_CANCEL = "delivered_before_cancel"
    DELIVERED_AFTER_CANCEL = "delivered_after_cancel"
    DELIVERED_AFTER_HAND_OVER = "delivered_after_hand_over"
    PIECE_MISSING = "piece_missing"
    """The order was delivered without a piece that was not in the vehicle."""
    PIECE_DAMAGED = "piece_damaged"
    """The order was delivered without a damaged piece, which goes back to the depot."""


ABOARD_BY_REASON = {
    StopCancelReason.ORDER_CANCELLED: DayExceptionKind.CANCELLED_ABOARD,
    StopCancelReason.ROUTE_ABORTED: DayExceptionKind.ABORTED_ABOARD,
}
BY_PIECE_OUTCOME = {
    PieceOutcome.MISSING: DayExceptionKind.PIECE_MISSING,
    PieceOutcome.DAMAGED: DayExceptionKind.PIECE_DAMAGED,
}
UNFINISHED = frozenset({RouteStatus.DRAFT, RouteStatus.ASSIGNED, RouteStatus.STARTED})


class DetectedException(Struct, frozen=True, kw_only=True):
    """One exception. `since` is None if unknown; `seconds` or `metres` measure it."""

    kind: DayExceptionKind
    route_id: int
    driver_id: int | None
    stop_id: int | None = None
    order_id: int | None = None
    since: datetime | None = None
    seconds: int | None = None
    metres: int | None = None
    piece: str | None = None
    """The tracking number of the piece, for an exception about one piece."""


def detect_exceptions(
    routes: Iterable[MonitoredRoute], now: datetime, limits: MonitoringLimits
) -> list[DetectedException]:
    """All exceptions of some routes, route by route."""
    return [exception for route in routes for exception in _route_exceptions(route, now, limits)]


def _route_exceptions(route: MonitoredRoute, now: datetime, limits: MonitoringLimits) -> Iterator[DetectedException]:
    if route.status is RouteStatus.DRAFT and route.declined_at is not None:
        yield _exception_of_route(DayExceptionKind.DECLINED, route, since=route.declined_at)
    if route.status in UNFINISHED and route.driver_id is not None and not route.driver_active:
        yield _exception_of_route(DayExceptionKind.DRIVER_INACTIVE, route)
    due = route.planned_start_at and route.planned_start_at + limits.late_after
    if route.status in {RouteStatus.DRAFT, RouteStatus.ASSIGNED} and due is not None and now > due:
        yield _exception_of_route(
            DayExceptionKind.LATE_START, route, since=route.planned_start_at, seconds=_seconds(due, now)
        )
    if route.clock_ahead_s is not None:
        yield _exception_of_route(
            DayExceptionKind.CLOCK_OFF, route, since=route.clock_off_since, seconds=route.clock_ahead_s
        )
    for stop in route.stops:
        yield from _stop_exceptions(route, stop, now, limits)
    if route.status is RouteStatus.STARTED and any(stop.status in OPEN for stop in route.stops):
        yield from _under_way_exceptions(route, now, limits)


def _stop_exceptions(
    route: MonitoredRoute, stop: MonitoredStop, now: datetime, limits: MonitoringLimits
) -> Iterator[DetectedException]:
    if stop.status in UNSUCCESSFUL:
        yield _exception_at_stop(DayExceptionKind.FAILED_STOP, route, stop, since=stop.ended_at)
    if stop.status is StopStatus.CANCELLED and stop.on_route and stop.cancel_reason is not None:
        yield _exception_at_stop(ABOARD_BY_REASON[stop.cancel_reason], route, stop, since=stop.ended_at)
    if stop.dispute is not None:
        yield _exception_at_stop(DayExceptionKind(stop.dispute.value), route, stop, since=stop.ended_at)
    for piece, outcome in stop.pieces_left:
        if outcome in BY_PIECE_OUTCOME:
            yield _exception_at_stop(BY_PIECE_OUTCOME[outcome], route, stop, since=stop.ended_at, piece=piece)
    pending = route.status is RouteStatus.STARTED and stop.status in OPEN
    reached = stop.reached_at or (now if pending else None)
    if reached is None or stop.status is StopStatus.CANCELLED:
        return
    if stop.window_end is not None and reached > stop.window_end:
        yield _exception_at_stop(
            DayExceptionKind.MISSED_WINDOW,
            route,
            stop,
            since=stop.window_end,
            seconds=_seconds(stop.window_end, reached),
        )
    planned = stop.planned_arrival_at
    if pending and stop.arrived_at is None and planned is not None and now > planned + limits.late_after:
        yield _exception_at_stop(DayExceptionKind.LATE, route, stop, since=planned, seconds=_seconds(planned, now))


def _under_way_exceptions(
    route: MonitoredRoute, now: datetime, limits: MonitoringLimits
) -> Iterator[DetectedException]:
    position, status = route.last_position, activity_status(route.last_position, route, now, limits)
    if position is None:
        yield _exception_of_route(DayExceptionKind.NO_SIGNAL, route)
    elif status is ActivityStatus.OFFLINE:
        since = position.occurred_at
        yield _exception_of_route(DayExceptionKind.NO_SIGNAL, route, since=since, seconds=_seconds(since, now))
    else:
        if status is ActivityStatus.IDLE:
            since = position.standing_since
            yield _exception_of_route(DayExceptionKind.IDLE, route, since=since, seconds=_seconds(since, now))
        away_m = distance_to_line_m(position.place, expected_line(route))
        if away_m is not None and away_m > limits.off_route_m:
            yield _exception_of_route(
                DayExceptionKind.OFF_ROUTE, route, since=position.occurred_at, metres=round(away_m)
            )


def expected_line(route: MonitoredRoute) -> list[LatLng]:
    """Return the line from the depot through the stops and back.

    Unknown places are left out.
    """
    depot = [route.depot] if route.depot else []
    return [*depot, *(stop.place for stop in route.stops if stop.place is not None), *depot]


def _exception_of_route(
    kind: DayExceptionKind,
    route: MonitoredRoute,
    *,
    since: datetime | None = None,
    seconds: int | None = None,
    metres: int | None = None,
) -> DetectedException:
    stop = find_current_stop(route.stops) if route.status is RouteStatus.STARTED else None
    return DetectedException(
        kind=kind,
        route_id=route.id,
        driver_id=route.driver_id,
        stop_id=stop.id if stop else None,
        order_id=stop.order_id if stop else None,
        since=since,
        seconds=seconds,
        metres=metres,
    )


def _exception_at_stop(
    kind: DayExceptionKind,
    route: MonitoredRoute,
    stop: MonitoredStop,
    *,
    since: datetime | None,
    seconds: int | None = None,
    piece: str | None = None,
) -> DetectedException:
    return DetectedException(
        kind=kind,
        route_id=route.id,
        driver_id=route.driver_id,
        stop_id=stop.id,
        order_id=stop.order_id,
        since=since,
        seconds=seconds,
        piece=piece,
    )


def _seconds(since: datetime, now: datetime) -> int:
    return round((now - since).total_seconds())
