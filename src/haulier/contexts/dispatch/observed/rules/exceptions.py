"""What is out of the ordinary about a day, by what was seen. Each exception says since when, and how much."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from enum import StrEnum

from msgspec import Struct

from haulier.contexts.dispatch.observed.rules.seen import Activity, Limits, RouteSeen, StopSeen, current, status_of
from haulier.contexts.dispatch.routes.rules.machine import RouteStatus
from haulier.contexts.dispatch.stops.rules import IN_VAIN, OPEN
from haulier.kernel.geography import LatLng, distance_to_line_m


class ExceptionKind(StrEnum):
    """What is out of the ordinary."""

    LATE_START = "late_start"
    LATE = "late"
    MISSED_WINDOW = "missed_window"
    FAILED_STOP = "failed_stop"
    IDLE = "idle"
    OFF_ROUTE = "off_route"
    NO_SIGNAL = "no_signal"
    DECLINED = "declined"


class Oddity(Struct, frozen=True, kw_only=True):
    """One exception. `since` is None where nobody knows; `seconds` or `metres` is how much."""

    kind: ExceptionKind
    route_id: int
    driver_id: int | None
    stop_id: int | None = None
    order_id: int | None = None
    since: datetime | None = None
    seconds: int | None = None
    metres: int | None = None


def oddities(routes: Iterable[RouteSeen], now: datetime, limits: Limits) -> list[Oddity]:
    """Everything out of the ordinary about some routes, route by route."""
    return [oddity for route in routes for oddity in _of_route(route, now, limits)]


def _of_route(route: RouteSeen, now: datetime, limits: Limits) -> Iterator[Oddity]:
    if route.status is RouteStatus.DRAFT and route.declined_at is not None:
        yield _of(ExceptionKind.DECLINED, route, since=route.declined_at)
    due = route.planned_start_at and route.planned_start_at + limits.late_after
    if route.status in {RouteStatus.DRAFT, RouteStatus.ASSIGNED} and due is not None and now > due:
        yield _of(ExceptionKind.LATE_START, route, since=route.planned_start_at, seconds=_seconds(due, now))
    for stop in route.stops:
        yield from _of_stop(route, stop, now, limits)
    if route.status is RouteStatus.STARTED:
        yield from _under_way(route, now, limits)


def _of_stop(route: RouteSeen, stop: StopSeen, now: datetime, limits: Limits) -> Iterator[Oddity]:
    if stop.status in IN_VAIN:
        yield _at(ExceptionKind.FAILED_STOP, route, stop, since=stop.ended_at)
    going = route.status is RouteStatus.STARTED and stop.status in OPEN
    reached = stop.reached_at or (now if going else None)
    if reached is None:
        return
    if stop.window_end is not None and reached > stop.window_end:
        yield _at(
            ExceptionKind.MISSED_WINDOW,
            route,
            stop,
            since=stop.window_end,
            seconds=_seconds(stop.window_end, reached),
        )
    planned = stop.planned_arrival_at
    if going and stop.arrived_at is None and planned is not None and now > planned + limits.late_after:
        yield _at(ExceptionKind.LATE, route, stop, since=planned, seconds=_seconds(planned, now))


def _under_way(route: RouteSeen, now: datetime, limits: Limits) -> Iterator[Oddity]:
    seen, status = route.seen, status_of(route.seen, route, now, limits)
    if seen is None:
        yield _of(ExceptionKind.NO_SIGNAL, route)
    elif status is Activity.OFFLINE:
        at = seen.occurred_at
        yield _of(ExceptionKind.NO_SIGNAL, route, since=at, seconds=_seconds(at, now))
    else:
        if status is Activity.IDLE:
            since = seen.standing_since
            yield _of(ExceptionKind.IDLE, route, since=since, seconds=_seconds(since, now))
        away_m = distance_to_line_m(seen.place, line_of(route))
        if away_m is not None and away_m > limits.off_route_m:
            yield _of(ExceptionKind.OFF_ROUTE, route, since=seen.occurred_at, metres=round(away_m))


def line_of(route: RouteSeen) -> list[LatLng]:
    """The line on which a driver is expected: from the depot through the stops and back, as far as the places are known."""
    depot = [route.depot] if route.depot else []
    return [*depot, *(stop.place for stop in route.stops if stop.place is not None), *depot]


def _of(
    kind: ExceptionKind,
    route: RouteSeen,
    *,
    since: datetime | None = None,
    seconds: int | None = None,
    metres: int | None = None,
) -> Oddity:
    stop = current(route.stops) if route.status is RouteStatus.STARTED else None
    return Oddity(
        kind=kind,
        route_id=route.id,
        driver_id=route.driver_id,
        stop_id=stop.id if stop else None,
        order_id=stop.order_id if stop else None,
        since=since,
        seconds=seconds,
        metres=metres,
    )


def _at(
    kind: ExceptionKind, route: RouteSeen, stop: StopSeen, *, since: datetime | None, seconds: int | None = None
) -> Oddity:
    return Oddity(
        kind=kind,
        route_id=route.id,
        driver_id=route.driver_id,
        stop_id=stop.id,
        order_id=stop.order_id,
        since=since,
        seconds=seconds,
    )


def _seconds(since: datetime, now: datetime) -> int:
    return round((now - since).total_seconds())
