"""Drives of the demo: events of routes, and positions between them."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from zlib import crc32

from haulier.demo.city import point_along, tours
from haulier.demo.people import recipient_of
from haulier.demo.tours import find_tour
from haulier.kernel.values.geography import LatLng

FAILURES = {"DEMO-0004": ("recipient_absent", "retry")}
"""Failed attempts of the first day."""
FIRST_DAY = "DEMO-"
AT_DEPOT = timedelta(minutes=4)


class DriveEvent(NamedTuple):
    """A report of the driver: an operation with its values, and its time."""

    at: datetime
    operation: str
    values: dict[str, Any]


def failure_of(order_ref: str | None) -> tuple[str, str] | None:
    """Return the reason and outcome of a failed attempt, or None.

    Except on the first day, one order in thirty fails.
    """
    if order_ref is None or order_ref.startswith(FIRST_DAY):
        return FAILURES.get(order_ref or "")
    draw = crc32(order_ref.encode()) % 60
    return {7: ("recipient_absent", "return"), 37: ("address_incorrect", "return")}.get(draw)


def events_of(route: Any, until: datetime) -> Iterator[DriveEvent]:
    """Yield the events of a route that are due, in order."""
    ref = {"route_id": route.id}
    if route.planned_start_at is None or route.planned_end_at is None or route.planned_start_at > until:
        return
    before = route.started_at or route.planned_start_at
    if route.status == "assigned":
        # In the first hours of a day, the drive begins on the previous evening, ahead of the route's day.
        yield DriveEvent(before, "start_route", {**ref, "ahead_of_day": True})
    for stop in route.stops:
        if stop.status not in ("planned", "arrived"):
            before = stop.ended_at or before
            continue
        arrival, end = visit_times(stop, before)
        before = end
        if arrival <= until and stop.status == "planned":
            yield DriveEvent(arrival, "arrive_at_stop", {**ref, "stop_id": stop.id})
        if end > until:
            return
        yield DriveEvent(end, *_end_of_visit(stop, ref))
    back = max(route.planned_end_at, before + AT_DEPOT)
    if back <= until:
        yield DriveEvent(back, "return_route_to_depot", ref)
    if back + AT_DEPOT <= until:
        yield DriveEvent(back + AT_DEPOT, "finish_route", ref)


def visit_times(stop: Any, before: datetime) -> tuple[datetime, datetime]:
    """Return the arrival at a stop and the departure.

    They deviate from the plan by up to two minutes.
    """
    off = timedelta(seconds=stop.id * 53 % 200 - 60)
    arrival = stop.arrived_at or max((stop.planned_arrival_at or before) + off, before + timedelta(seconds=30))
    end = max((stop.planned_departure_at or arrival) + off, arrival + timedelta(minutes=1))
    return arrival, end


def _end_of_visit(stop: Any, ref: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    values: dict[str, Any] = {**ref, "stop_id": stop.id}
    if stop.lat is not None:
        values["position"] = {"lat": stop.lat, "lng": stop.lng}
    if stop.kind == "pickup":
        return "pick_up_at_stop", {**values, "recipient": "Front desk"}
    if failed := failure_of(stop.order_ref):
        return "fail_stop", {**values, "reason": failed[0], "outcome": failed[1]}
    return "deliver_stop", {**values, "recipient": recipient_of(stop.order_ref or "").name}


def place_of(route: Any, now: datetime) -> LatLng | None:
    """Return the position of the driver of a started route.

    It is at a stop, or on the line along the streets to the next one.
    """
    found = find_tour(route.stops)
    if found is None or route.started_at is None:
        return None
    tour, before, at = tours()[found[0]], route.started_at, None
    for stop, index in zip(route.stops, found[1], strict=True):
        if stop.status == "arrived":
            return tour.line[tour.at[index]]
        if stop.status == "planned":
            return _between(tour.leg(at, index), before, visit_times(stop, before)[0], now)
        before, at = stop.ended_at or before, index
    return _between(tour.leg(at, None), before, route.planned_end_at or now, now)


def _between(line: Sequence[LatLng], start: datetime, end: datetime, now: datetime) -> LatLng:
    share = (now - start) / (end - start) if end > start else 1.0
    return point_along(line, share)
