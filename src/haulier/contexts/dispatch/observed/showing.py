"""What was seen, as answers show it."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from haulier.contexts.dispatch.observed.contract import CurrentStop, DriverSeen, RouteProgress
from haulier.contexts.dispatch.observed.reading import seen
from haulier.contexts.dispatch.observed.rules.seen import (
    Limits,
    RouteSeen,
    StopSeen,
    Tally,
    current,
    status_of,
)
from haulier.contexts.dispatch.routes.rules.machine import RouteStatus
from haulier.contexts.orders.public import OrderFacts
from haulier.kernel.call import Call


def driver_record(
    call: Call,
    row: Any,
    position: Any,
    route: Any,
    stops: Mapping[int, Sequence[StopSeen]],
    orders: Mapping[int, OrderFacts],
    limits: Limits,
) -> DriverSeen:
    """What was last seen of a driver; `route` is the one they are driving."""
    own = stops.get(route.id, ()) if route else ()
    driving = RouteSeen(id=route.id, status=RouteStatus(route.status), driver_id=row.id, stops=own) if route else None
    stop = current(own)
    return DriverSeen(
        driver_id=row.id,
        name=row.name,
        contractor_id=row.contractor_id,
        status=status_of(seen(position), driving, call.now, limits),
        lat=position and position.lat,
        lng=position and position.lng,
        observed_at=position and _local(call, position.occurred_at),
        age_s=position and max(0, round((call.now - position.occurred_at).total_seconds())),
        speed_mps=position and position.speed_mps,
        heading_deg=position and position.heading_deg,
        accuracy_m=position and position.accuracy_m,
        battery_percent=position and position.battery_percent,
        standing_since=position and _local(call, position.standing_since),
        route_id=route and route.id,
        current_stop=_stop(stop, orders.get(stop.order_id)) if stop else None,
    )


def progress_record(call: Call, row: Any, route: RouteSeen, so_far: Tally) -> RouteProgress:
    """How far a route is."""
    return RouteProgress(
        route_id=row.id,
        name=row.name,
        status=route.status,
        driver_id=row.driver_id,
        driver_name=row.driver_name,
        contractor_id=row.contractor_id,
        stops_total=so_far.total,
        stops_done=so_far.done,
        stops_failed=so_far.failed,
        stops_left=so_far.left,
        on_time=so_far.on_time,
        late=so_far.late,
        planned_start_at=_local(call, row.planned_start_at),
        started_at=_local(call, row.started_at),
        finished_at=_local(call, row.finished_at),
        last_seen_at=_local(call, route.seen.occurred_at if route.seen else None),
    )


def _stop(stop: StopSeen, order: OrderFacts | None) -> CurrentStop:
    at_this_door = order is not None and stop.place == (order.lat, order.lng)
    return CurrentStop(
        stop_id=stop.id,
        order_id=stop.order_id,
        kind=stop.kind,
        status=stop.status,
        address=order.address if order and at_this_door else None,
        lat=stop.place[0] if stop.place else None,
        lng=stop.place[1] if stop.place else None,
    )


def _local(call: Call, at: datetime | None) -> datetime | None:
    return at and at.astimezone(call.time_zone)
