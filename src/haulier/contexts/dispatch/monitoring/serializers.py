"""What was seen, as answers show it."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from haulier.contexts.dispatch.monitoring.contract import CurrentStop, DriverActivity, RouteProgress
from haulier.contexts.dispatch.monitoring.queries.monitored_routes import to_last_position
from haulier.contexts.dispatch.monitoring.rules.progress import (
    MonitoredRoute,
    MonitoredStop,
    MonitoringLimits,
    StopTally,
    activity_status,
    find_current_stop,
)
from haulier.contexts.orders.public import OrderFacts
from haulier.contexts.routes.routes.rules.state_machine import RouteStatus
from haulier.kernel.call import Call


def serialize_driver_activity(
    call: Call,
    row: Any,
    position: Any,
    route: Any,
    stops: Mapping[int, Sequence[MonitoredStop]],
    orders: Mapping[int, OrderFacts],
    limits: MonitoringLimits,
) -> DriverActivity:
    """What was last seen of a driver; `route` is the one they are driving."""
    own = stops.get(route.id, ()) if route else ()
    driving = (
        MonitoredRoute(id=route.id, status=RouteStatus(route.status), driver_id=row.id, stops=own) if route else None
    )
    stop = find_current_stop(own)
    return DriverActivity(
        driver_id=row.id,
        name=row.name,
        contractor_id=row.contractor_id,
        status=activity_status(to_last_position(position), driving, call.now, limits),
        lat=position and position.lat,
        lng=position and position.lng,
        observed_at=position and _local_time(call, position.occurred_at),
        age_s=position and max(0, round((call.now - position.occurred_at).total_seconds())),
        speed_mps=position and position.speed_mps,
        heading_deg=position and position.heading_deg,
        accuracy_m=position and position.accuracy_m,
        battery_percent=position and position.battery_percent,
        standing_since=position and _local_time(call, position.standing_since),
        route_id=route and route.id,
        current_stop=_serialize_current_stop(stop, orders.get(stop.order_id)) if stop else None,
    )


def serialize_route_progress(call: Call, row: Any, route: MonitoredRoute, so_far: StopTally) -> RouteProgress:
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
        planned_start_at=_local_time(call, row.planned_start_at),
        started_at=_local_time(call, row.started_at),
        finished_at=_local_time(call, row.finished_at),
        last_seen_at=_local_time(call, route.seen.occurred_at if route.seen else None),
    )


def _serialize_current_stop(stop: MonitoredStop, order: OrderFacts | None) -> CurrentStop:
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


def _local_time(call: Call, at: datetime | None) -> datetime | None:
    return at and at.astimezone(call.time_zone)
