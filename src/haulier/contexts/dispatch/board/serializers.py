"""Board as answers show it.

Stops have only the fields that the board draws, because a day has thousands of them.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from haulier.contexts.dispatch.board.contract import BoardDriver, BoardRoute, BoardStop
from haulier.contexts.dispatch.monitoring.queries import get_started_routes_by_driver, load_monitored_stops
from haulier.contexts.dispatch.monitoring.rules import MonitoringLimits
from haulier.contexts.dispatch.monitoring.serializers import serialize_driver_activity
from haulier.contexts.driver_app.public import get_latest_positions
from haulier.contexts.fleet.public import DriverRow
from haulier.contexts.orders.public import OrderFacts, get_order_facts
from haulier.contexts.routes.public import (
    RouteRow,
    StopCountRow,
    StopRow,
    count_stops_by_route,
    get_route_viewer,
    list_stops_of_routes,
    route_travel_mode,
    to_route_state,
    to_stop_states,
)
from haulier.contexts.routes.routes.rules.progress import RouteStatus, allowed_route_actions
from haulier.contexts.routes.routes.rules.sequence import locate_stop
from haulier.contexts.routes.stops.rules import SUCCESSFUL, UNSUCCESSFUL, StopKind, StopStatus
from haulier.kernel.call import Call
from haulier.kernel.operations.records import record

StopNumbers = tuple[int, int, int]
"""Number of stops of a route: total, successful and failed."""


async def serialize_board_routes(call: Call, rows: Sequence[RouteRow]) -> list[BoardRoute]:
    """Routes with their stops, in as many statements for a hundred routes as for one."""
    by_route: defaultdict[int, list[StopRow]] = defaultdict(list)
    stops = await list_stops_of_routes(call, [row.id for row in rows])
    for stop in stops:
        by_route[stop.route_id].append(stop)
    order_ids = {stop.order_id for stop in stops}
    orders = await get_order_facts(call, order_ids) if order_ids else {}
    return [_serialize_board_route(call, row, by_route[row.id], orders) for row in rows]


async def serialize_board_routes_without_stops(call: Call, rows: Sequence[RouteRow]) -> list[BoardRoute]:
    """Routes without their stops."""
    counts = await count_stops_by_route(call, [row.id for row in rows])
    return [
        record(
            BoardRoute, row, **_route_values(call, row, _to_numbers(counts.get(row.id))), allowed_actions=[], stops=[]
        )
        for row in rows
    ]


async def serialize_board_drivers(call: Call, rows: Sequence[DriverRow]) -> list[BoardDriver]:
    """Drivers, and where they were last seen."""
    ids = [row.id for row in rows]
    driving = await get_started_routes_by_driver(call, ids)
    stops, orders = await load_monitored_stops(call, [route.id for route in driving.values()])
    positions = await get_latest_positions(call, ids)
    drivers: list[BoardDriver] = []
    for row in rows:
        activity = serialize_driver_activity(
            call, row, positions.get(row.id), driving.get(row.id), stops, orders, MonitoringLimits()
        )
        stop = activity.current_stop
        drivers.append(
            record(
                BoardDriver,
                activity,
                id=row.id,
                stop_id=stop.stop_id if stop else None,
                stop_status=stop.status if stop else None,
            )
        )
    return drivers


def _serialize_board_route(
    call: Call, row: RouteRow, stops: Sequence[StopRow], orders: Mapping[int, OrderFacts]
) -> BoardRoute:
    succeeded = sum(stop.status in SUCCESSFUL for stop in stops)
    failed = sum(stop.status in UNSUCCESSFUL for stop in stops)
    return record(
        BoardRoute,
        row,
        **_route_values(call, row, (len(stops), succeeded, failed)),
        allowed_actions=list(allowed_route_actions(to_route_state(row), to_stop_states(stops), get_route_viewer(call))),
        stops=[_serialize_board_stop(call, stop, orders.get(stop.order_id)) for stop in stops],
    )


def _to_numbers(count: StopCountRow | None) -> StopNumbers:
    return (count.total, count.completed, count.failed) if count else (0, 0, 0)


def _route_values(call: Call, row: RouteRow, numbers: StopNumbers) -> dict[str, Any]:
    """Return the route fields that differ from its row."""
    total, succeeded, failed = numbers
    return {
        "status": RouteStatus(row.status),
        "travel_mode": route_travel_mode(row),
        "published": row.published_at is not None,
        "locked": row.locked_at is not None,
        "planned_start_at": call.local_time(row.planned_start_at),
        "planned_end_at": call.local_time(row.planned_end_at),
        "started_at": call.local_time(row.started_at),
        "finished_at": call.local_time(row.finished_at),
        "stops_total": total,
        "stops_done": succeeded,
        "stops_failed": failed,
    }


def _serialize_board_stop(call: Call, stop: StopRow, order: OrderFacts | None) -> BoardStop:
    kind = StopKind(stop.kind)
    place = locate_stop(kind, order)
    is_other_stop = order is not None and order.type != "P" and kind is StopKind.PICKUP
    promised = None if is_other_stop else order
    return record(
        BoardStop,
        stop,
        order_ref=order.order_ref if order else None,
        kind=kind,
        status=StopStatus(stop.status),
        locked=stop.locked_at is not None,
        address=promised.address if promised else order and order.goods_address,
        lat=place[0] if place else None,
        lng=place[1] if place else None,
        window_start=call.local_time(promised.window_start) if promised else None,
        window_end=call.local_time(promised.window_end) if promised else None,
        service_s=order.service_time_s if order else 0,
        planned_arrival_at=call.local_time(stop.planned_arrival_at),
        planned_departure_at=call.local_time(stop.planned_departure_at),
        arrived_at=call.local_time(stop.arrived_at),
        ended_at=call.local_time(stop.ended_at),
    )
