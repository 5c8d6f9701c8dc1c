"""Rules of routes: sequence.

A stop that is over, or locked, *stays*: it keeps its number. Nothing is put before it, and nothing that stands before it is
put behind it. When stops before a locked one leave the route, those behind close up, and it is visited that much earlier.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Protocol

from msgspec import Struct

from haulier.contexts.routes.routes.rules.progress import (
    RouteState,
    RouteStatus,
    StopState,
    open_stops,
    orders_not_loaded,
)
from haulier.contexts.routes.stops.rules import OPEN, StopKind, StopStatus
from haulier.kernel.operations.errors import OperationError, declare_error
from haulier.kernel.values.geography import LatLng, great_circle_m


class OrderLocations(Protocol):
    """Locations of an order: its destination and its pickup, as far as known."""

    @property
    def lat(self) -> float | None: ...
    @property
    def lng(self) -> float | None: ...
    @property
    def pickup(self) -> LatLng | None: ...


def locate_stop(kind: StopKind, order: OrderLocations | None) -> LatLng | None:
    """Return the location of a stop at the shipper or consignee, if known."""
    if order is None:
        return None
    if kind is StopKind.PICKUP:
        return order.pickup
    return None if order.lat is None or order.lng is None else (order.lat, order.lng)


def distance_to_stop_m(stop: LatLng | None, driver: LatLng | None) -> int | None:
    """Return the distance of a stop to its driver in whole metres, or None."""
    return None if stop is None or driver is None else round(great_circle_m(stop, driver))


def geofence_extension(away_m: int | None) -> dict[str, Any] | None:
    """The distance as an extension of a tracking event."""
    return None if away_m is None else {"geofence": {"distance_m": away_m}}


TOLERANCE = timedelta(minutes=5)
"""Where nothing was promised, an arrival this far behind the plan still counts as on time."""


class Punctuality(StrEnum):
    """Punctuality of a stop. An `overdue` stop is still open after its due time."""

    EARLY = "early"
    ON_TIME = "on_time"
    LATE = "late"
    OVERDUE = "overdue"


class StopTimes(Struct, frozen=True, kw_only=True):
    """Times of a stop, as far as known. `reached_at` is the arrival, or else the end."""

    status: StopStatus
    planned_arrival_at: datetime | None = None
    window_start: datetime | None = None
    window_end: datetime | None = None
    reached_at: datetime | None = None


def seconds_behind_plan(stop: StopTimes, now: datetime) -> int | None:
    """Return the seconds between planned and actual arrival, negative if early.

    Before the arrival, the seconds since the planned arrival. None without a plan, and while the stop is not due.
    """
    if stop.planned_arrival_at is None:
        return None
    if stop.reached_at is not None:
        return _seconds(stop.reached_at - stop.planned_arrival_at)
    overdue_s = _seconds(now - stop.planned_arrival_at)
    return overdue_s if _is_open(stop) and overdue_s > 0 else None


def assess_punctuality(stop: StopTimes, now: datetime) -> Punctuality | None:
    """Return the punctuality by the delivery window, or else by the plan.

    The plan allows a tolerance. None while a stop is not due, and without window and plan.
    """
    latest = _latest_arrival(stop)
    if latest is None:
        return None
    if stop.reached_at is None:
        return Punctuality.OVERDUE if _is_open(stop) and now > latest else None
    if stop.reached_at > latest:
        return Punctuality.LATE
    early = stop.window_start is not None and stop.reached_at < stop.window_start
    return Punctuality.EARLY if early else Punctuality.ON_TIME


def _latest_arrival(stop: StopTimes) -> datetime | None:
    if stop.window_end is not None:
        return stop.window_end
    return stop.planned_arrival_at and stop.planned_arrival_at + TOLERANCE


def _is_open(stop: StopTimes) -> bool:
    return stop.status in OPEN


def _seconds(span: timedelta) -> int:
    return round(span.total_seconds())


STOPS_DO_NOT_MATCH = declare_error("stops_do_not_match", 409)
PICKUP_COMES_FIRST = declare_error("pickup_comes_first", 409)
STOP_NOT_ON_ROUTE = declare_error("stop_not_on_route", 409)
STOP_STAYS = declare_error("stop_stays", 409)
GOODS_ABOARD = declare_error("goods_aboard", 409)
GOODS_AT_DEPOT = declare_error("goods_at_depot", 409)
ROUTE_ON_THE_ROAD = declare_error("route_on_the_road", 409)
ROUTES_DO_NOT_MATCH = declare_error("routes_do_not_match", 409)


def is_stop_fixed(stop: StopState) -> bool:
    """Return True if a stop keeps its number when other stops are moved."""
    return stop.locked or stop.status not in OPEN


def arrange_open_stops(stops: Sequence[StopState], order_of_visit: Sequence[int]) -> list[int]:
    """Return the sequence with open stops as in `order_of_visit`.

    All other stops keep their number.
    """
    following = iter(order_of_visit)
    return [next(following) if stop.status in OPEN else stop.id for stop in stops]


def insert_stop_ids(stop_ids: Sequence[int], arriving: Sequence[int], position: int | None) -> list[int]:
    """Return the sequence after inserting stops at a position from 1, or at the end.

    Stops that are already on the route move to the position.
    """
    staying = [stop_id for stop_id in stop_ids if stop_id not in set(arriving)]
    index = len(staying) if position is None else min(position - 1, len(staying))
    return [*staying[:index], *arriving, *staying[index:]]


def check_stop_reorder(stops: Sequence[StopState], order_of_visit: Sequence[int]) -> OperationError | None:
    """Return the error that prevents this sequence of open stops, or None.

    Every open stop must occur once, including locked ones.
    """
    if sorted(order_of_visit) != sorted(stop.id for stop in open_stops(stops)):
        return STOPS_DO_NOT_MATCH()
    return check_stop_sequence(stops, {stop.id: stop for stop in stops}, arrange_open_stops(stops, order_of_visit))


def check_stop_sequence(
    before: Sequence[StopState], stops_by_id: Mapping[int, StopState], order_of_visit: Sequence[int]
) -> OperationError | None:
    """Return the error that prevents this sequence of a route, or None.

    `stops_by_id` also holds the arriving stops. Fixed stops keep their number, and a point-to-point pickup precedes its
    delivery.
    """
    for stop, now in zip(before, order_of_visit, strict=False):
        if is_stop_fixed(stop) and stop.id != now:
            return STOP_STAYS(stop_id=stop.id)
    delivered: set[int] = set()
    for stop in (stops_by_id[stop_id] for stop_id in order_of_visit):
        if stop.kind is StopKind.PICKUP and stop.order_id in delivered:
            return PICKUP_COMES_FIRST(order_id=stop.order_id)
        if stop.kind is StopKind.DELIVERY:
            delivered.add(stop.order_id)
    return None


def stops_of_whole_orders(stops: Iterable[StopState], chosen: Collection[int]) -> list[StopState]:
    """Return the chosen stops with the other stops of their orders.

    Pickup and delivery leave a route together, in sequence.
    """
    whole_orders = list(stops)
    orders = {stop.order_id for stop in whole_orders if stop.id in chosen}
    return [stop for stop in whole_orders if stop.order_id in orders and stop.on_route]


def check_stops_on_route(stop_ids: Iterable[int], allowed_ids: Collection[int]) -> OperationError | None:
    """Why stops cannot be named, or None: they are not among the allowed ones."""
    return next((STOP_NOT_ON_ROUTE(stop_id=stop_id) for stop_id in stop_ids if stop_id not in allowed_ids), None)


def with_partner_stops(named: Sequence[StopState], along: Iterable[StopState]) -> list[StopState]:
    """Return the named stops, each followed by its unnamed pickup or delivery."""
    partners = {stop.order_id: stop for stop in along if stop.id not in {named_stop.id for named_stop in named}}
    stop_list: list[StopState] = []
    for stop in named:
        partner = partners.pop(stop.order_id, None)
        pair = [stop] if partner is None else [stop, partner]
        stop_list += pair if stop.kind is StopKind.PICKUP else reversed(pair)
    return stop_list


def check_stops_may_leave(route: RouteState, leaving: Sequence[StopState], to: RouteState) -> OperationError | None:
    """Why these stops cannot go from one route to another, or None.

    What is in a vehicle under way stays on its route, and what is at the depot cannot be taken on by a vehicle that has
    left it; what is still to be collected from a person can change vehicles at any time before.
    """
    under_way, theirs = (state.status is RouteStatus.STARTED for state in (route, to))
    elsewhere = orders_not_loaded(leaving)
    for stop in leaving:
        if under_way and stop.order_id not in elsewhere:
            return GOODS_ABOARD(order_id=stop.order_id)
        if is_stop_fixed(stop):
            return STOP_STAYS(stop_id=stop.id)
        if under_way and not theirs:
            return ROUTE_ON_THE_ROAD()
        if theirs and stop.order_id not in elsewhere:
            return GOODS_AT_DEPOT(order_id=stop.order_id)
    return None


def check_routes_match(route: RouteState, other: RouteState, *, merging: bool = False) -> OperationError | None:
    """Return the error that prevents moving stops between two routes, or None.

    Both routes need the same day and planner; to merge, also the same depot.
    """
    alike = (route.day, route.contractor_id) == (other.day, other.contractor_id)
    if not alike or (merging and route.depot_id != other.depot_id):
        return ROUTES_DO_NOT_MATCH()
    return None


def stops_with_outdated_plan(before: Sequence[int], now: Sequence[int]) -> list[int]:
    """Return the stops with outdated planned times.

    All from the first position with a different stop.
    """
    same = next(
        (n for n, (old, new) in enumerate(zip(before, now, strict=False)) if old != new), min(len(before), len(now))
    )
    return list(now[same:])
