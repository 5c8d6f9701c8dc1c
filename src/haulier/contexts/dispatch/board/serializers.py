"""The board as answers show it: only what is drawn of a stop, because there are thousands."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from haulier.contexts.dispatch.board.contract import BoardDriver, BoardRoute, BoardStop
from haulier.contexts.dispatch.monitoring.queries.monitored_routes import load_monitored_stops
from haulier.contexts.dispatch.monitoring.rules.progress import MonitoringLimits
from haulier.contexts.dispatch.monitoring.serializers import serialize_driver_activity
from haulier.contexts.dispatch.monitoring.store import get_started_routes_by_driver
from haulier.contexts.driver_app.positions import store as positions
from haulier.contexts.orders.public import OrderFacts, get_order_facts
from haulier.contexts.routes.routes.queries import get_route_viewer, to_route_state, to_stop_states
from haulier.contexts.routes.routes.rules.geofence import locate_stop
from haulier.contexts.routes.routes.rules.progress import allowed_route_actions
from haulier.contexts.routes.routes.rules.state_machine import RouteStatus
from haulier.contexts.routes.stops import store as stop_store
from haulier.contexts.routes.stops.rules import SUCCESSFUL, UNSUCCESSFUL, StopKind, StopStatus
from haulier.kernel.call import Call

StopCounts = tuple[int, int, int]


async def serialize_board_routes(call: Call, rows: Sequence[Any]) -> list[BoardRoute]:
    """Routes with their stops, in as many statements for a hundred routes as for one."""
    stops: defaultdict[int, list[Any]] = defaultdict(list)
    for stop in await stop_store.list_stops_of_routes(call.work, [row.id for row in rows]):
        stops[stop.route_id].append(stop)
    order_ids = {stop.order_id for each in stops.values() for stop in each}
    orders = await get_order_facts(call, order_ids) if order_ids else {}
    return [_serialize_board_route(call, row, stops[row.id], orders) for row in rows]


async def serialize_board_routes_without_stops(call: Call, rows: Sequence[Any]) -> list[BoardRoute]:
    """Routes without their stops."""
    counts = await stop_store.count_stops_by_route(call.work, [row.id for row in rows])
    return [
        BoardRoute(**_board_route_fields(call, row, _to_stop_counts(counts.get(row.id))), allowed_actions=[], stops=[])
        for row in rows
    ]


async def serialize_board_drivers(call: Call, rows: Sequence[Any]) -> list[BoardDriver]:
    """Drivers, and where they were last seen."""
    ids = [row.id for row in rows]
    driving = await get_started_routes_by_driver(call.work, ids)
    stops, orders = await load_monitored_stops(call, [route.id for route in driving.values()])
    latest = await positions.get_latest_positions(call.work, ids)
    found: list[BoardDriver] = []
    for row in rows:
        seen = serialize_driver_activity(
            call, row, latest.get(row.id), driving.get(row.id), stops, orders, MonitoringLimits()
        )
        stop = seen.current_stop
        found.append(
            BoardDriver(
                id=row.id,
                name=row.name,
                status=seen.status,
                lat=seen.lat,
                lng=seen.lng,
                heading_deg=seen.heading_deg,
                observed_at=seen.observed_at,
                route_id=seen.route_id,
                stop_id=stop.stop_id if stop else None,
                stop_status=stop.status if stop else None,
            )
        )
    return found


def _serialize_board_route(call: Call, row: Any, stops: Sequence[Any], orders: Mapping[int, OrderFacts]) -> BoardRoute:
    done, failed = (sum(stop.status in those for stop in stops) for those in (SUCCESSFUL, UNSUCCESSFUL))
    return BoardRoute(
        **_board_route_fields(call, row, (len(stops), done, failed)),
        allowed_actions=list(allowed_route_actions(to_route_state(row), to_stop_states(stops), get_route_viewer(call))),
        stops=[_serialize_board_stop(call, stop, orders.get(stop.order_id)) for stop in stops],
    )


def _to_stop_counts(count: Any) -> StopCounts:
    return (count.total, count.completed, count.failed) if count else (0, 0, 0)


def _board_route_fields(call: Call, row: Any, numbers: StopCounts) -> dict[str, Any]:
    total, done, failed = numbers
    plain = ("id", "name", "version", "depot_id", "driver_id", "driver_name", "contractor_id", "planned_distance_m")
    moments = ("planned_start_at", "planned_end_at", "started_at", "finished_at")
    return {
        **{name: getattr(row, name) for name in plain},
        **{name: to_board_time(call, getattr(row, name)) for name in moments},
        "status": RouteStatus(row.status),
        "published": row.published_at is not None,
        "locked": row.locked_at is not None,
        "stops_total": total,
        "stops_done": done,
        "stops_failed": failed,
    }


def _serialize_board_stop(call: Call, stop: Any, order: OrderFacts | None) -> BoardStop:
    kind = StopKind(stop.kind)
    place = locate_stop(kind, order)
    elsewhere = order is not None and order.type == "P2P" and kind is StopKind.PICKUP
    here = None if elsewhere else order
    moments = ("planned_arrival_at", "planned_departure_at", "arrived_at", "ended_at")
    return BoardStop(
        id=stop.id,
        order_id=stop.order_id,
        order_ref=order.order_ref if order else None,
        kind=kind,
        status=StopStatus(stop.status),
        locked=stop.locked_at is not None,
        address=here.address if here else None,
        lat=place[0] if place else None,
        lng=place[1] if place else None,
        window_start=to_board_time(call, here.window_start) if here else None,
        window_end=to_board_time(call, here.window_end) if here else None,
        service_s=order.service_time_s if order else 0,
        **{name: to_board_time(call, getattr(stop, name)) for name in moments},
    )


def to_board_time(call: Call, at: datetime | None) -> datetime | None:
    """A moment in the business's time zone."""
    return at and at.astimezone(call.time_zone)
