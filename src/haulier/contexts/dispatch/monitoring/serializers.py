"""Observations of drivers and routes, as answers show them."""

from collections.abc import Mapping, Sequence

from haulier.contexts.dispatch.monitoring.contract import CurrentStop, DriverActivity, RouteProgress
from haulier.contexts.dispatch.monitoring.queries import to_last_position
from haulier.contexts.dispatch.monitoring.rules import (
    MonitoredRoute,
    MonitoredStop,
    MonitoringLimits,
    StopTally,
    activity_status,
    find_current_stop,
)
from haulier.contexts.dispatch.monitoring.store import StartedRouteRow
from haulier.contexts.driver_app.public import PositionRow
from haulier.contexts.fleet.public import DriverRow
from haulier.contexts.orders.public import OrderFacts
from haulier.contexts.routes.public import RouteRow
from haulier.contexts.routes.routes.rules.progress import RouteStatus
from haulier.kernel.call import Call
from haulier.kernel.operations.records import record


def serialize_driver_activity(
    call: Call,
    row: DriverRow,
    position: PositionRow | None,
    route: StartedRouteRow | None,
    stops: Mapping[int, Sequence[MonitoredStop]],
    orders: Mapping[int, OrderFacts],
    limits: MonitoringLimits,
) -> DriverActivity:
    """The last known activity of a driver; `route` is the one they are driving."""
    route_stops = stops.get(route.id, ()) if route else ()
    driving = (
        MonitoredRoute(id=route.id, status=RouteStatus(route.status), driver_id=row.id, stops=route_stops)
        if route
        else None
    )
    stop = find_current_stop(route_stops)
    return record(
        DriverActivity,
        row,
        driver_id=row.id,
        status=activity_status(to_last_position(position), driving, call.now, limits),
        lat=position and position.lat,
        lng=position and position.lng,
        observed_at=position and call.local_time(position.occurred_at),
        age_s=position and max(0, round((call.now - position.occurred_at).total_seconds())),
        speed_mps=position and position.speed_mps,
        heading_deg=position and position.heading_deg,
        accuracy_m=position and position.accuracy_m,
        battery_percent=position and position.battery_percent,
        standing_since=position and call.local_time(position.standing_since),
        route_id=route and route.id,
        current_stop=_serialize_current_stop(stop, orders.get(stop.order_id)) if stop else None,
    )


def serialize_route_progress(call: Call, row: RouteRow, route: MonitoredRoute, tally: StopTally) -> RouteProgress:
    """Return the progress of a route, and the time of its last observation."""
    return record(
        RouteProgress,
        row,
        route_id=row.id,
        status=route.status,
        stops_total=tally.total,
        stops_done=tally.done,
        stops_failed=tally.failed,
        stops_left=tally.left,
        stops_cancelled=tally.cancelled,
        on_time=tally.on_time,
        late=tally.late,
        planned_start_at=call.local_time(row.planned_start_at),
        started_at=call.local_time(row.started_at),
        finished_at=call.local_time(row.finished_at),
        last_seen_at=call.local_time(route.last_position.occurred_at if route.last_position else None),
    )


def _serialize_current_stop(stop: MonitoredStop, order: OrderFacts | None) -> CurrentStop:
    at_its_address = order is not None and stop.place == (order.lat, order.lng)
    return CurrentStop(
        stop_id=stop.id,
        order_id=stop.order_id,
        kind=stop.kind,
        status=stop.status,
        address=order.address if order and at_its_address else None,
        lat=stop.place[0] if stop.place else None,
        lng=stop.place[1] if stop.place else None,
    )
