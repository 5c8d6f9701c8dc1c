"""The board as answers show it: only what is drawn of a stop, because there are thousands."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from haulier.contexts.dispatch.board.contract import BoardDriver, BoardRoute, BoardStop
from haulier.contexts.dispatch.observed.reading import stops_seen
from haulier.contexts.dispatch.observed.rules.seen import Limits
from haulier.contexts.dispatch.observed.showing import driver_record
from haulier.contexts.dispatch.observed.store import started_by
from haulier.contexts.dispatch.riders.store import positions
from haulier.contexts.dispatch.routes.finding import route_state, stop_states, viewer_of
from haulier.contexts.dispatch.routes.rules.geofence import place_of_stop
from haulier.contexts.dispatch.routes.rules.machine import RouteStatus
from haulier.contexts.dispatch.routes.rules.progress import actions_on_route
from haulier.contexts.dispatch.stops import store as stop_store
from haulier.contexts.dispatch.stops.rules import DONE, IN_VAIN, StopKind, StopStatus
from haulier.contexts.orders.public import OrderFacts, facts
from haulier.kernel.call import Call

Counts = tuple[int, int, int]


async def routes_with_stops(call: Call, rows: Sequence[Any]) -> list[BoardRoute]:
    """Routes with their stops, in as many statements for a hundred routes as for one."""
    stops: defaultdict[int, list[Any]] = defaultdict(list)
    for stop in await stop_store.of_routes(call.work, [row.id for row in rows]):
        stops[stop.route_id].append(stop)
    order_ids = {stop.order_id for each in stops.values() for stop in each}
    orders = await facts(call, order_ids) if order_ids else {}
    return [_whole(call, row, stops[row.id], orders) for row in rows]


async def routes_alone(call: Call, rows: Sequence[Any]) -> list[BoardRoute]:
    """Routes without their stops."""
    counts = await stop_store.counts(call.work, [row.id for row in rows])
    return [BoardRoute(**_head(call, row, _numbers(counts.get(row.id))), allowed_actions=[], stops=[]) for row in rows]


async def drivers_seen(call: Call, rows: Sequence[Any]) -> list[BoardDriver]:
    """Drivers, and where they were last seen."""
    ids = [row.id for row in rows]
    driving = await started_by(call.work, ids)
    stops, orders = await stops_seen(call, [route.id for route in driving.values()])
    latest = await positions.latest(call.work, ids)
    found: list[BoardDriver] = []
    for row in rows:
        seen = driver_record(call, row, latest.get(row.id), driving.get(row.id), stops, orders, Limits())
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


def _whole(call: Call, row: Any, stops: Sequence[Any], orders: Mapping[int, OrderFacts]) -> BoardRoute:
    done, failed = (sum(stop.status in those for stop in stops) for those in (DONE, IN_VAIN))
    return BoardRoute(
        **_head(call, row, (len(stops), done, failed)),
        allowed_actions=list(actions_on_route(route_state(row), stop_states(stops), viewer_of(call))),
        stops=[_stop(call, stop, orders.get(stop.order_id)) for stop in stops],
    )


def _numbers(count: Any) -> Counts:
    return (count.total, count.completed, count.failed) if count else (0, 0, 0)


def _head(call: Call, row: Any, numbers: Counts) -> dict[str, Any]:
    total, done, failed = numbers
    plain = ("id", "name", "version", "depot_id", "driver_id", "driver_name", "contractor_id", "planned_distance_m")
    moments = ("planned_start_at", "planned_end_at", "started_at", "finished_at")
    return {
        **{name: getattr(row, name) for name in plain},
        **{name: local(call, getattr(row, name)) for name in moments},
        "status": RouteStatus(row.status),
        "published": row.published_at is not None,
        "locked": row.locked_at is not None,
        "stops_total": total,
        "stops_done": done,
        "stops_failed": failed,
    }


def _stop(call: Call, stop: Any, order: OrderFacts | None) -> BoardStop:
    kind = StopKind(stop.kind)
    place = place_of_stop(kind, order)
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
        window_start=local(call, here.window_start) if here else None,
        window_end=local(call, here.window_end) if here else None,
        service_s=order.service_time_s if order else 0,
        **{name: local(call, getattr(stop, name)) for name in moments},
    )


def local(call: Call, at: datetime | None) -> datetime | None:
    """A moment in the business's time zone."""
    return at and at.astimezone(call.time_zone)
