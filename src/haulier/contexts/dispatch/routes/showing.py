"""Routes as answers show them. Many routes take as many statements as one."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from msgspec import convert

from haulier.contexts.dispatch.routes import store
from haulier.contexts.dispatch.routes.contract import Proof, Route, RouteSummary, Stop
from haulier.contexts.dispatch.routes.finding import route_state, stop_state, stop_states, viewer_of
from haulier.contexts.dispatch.routes.rules.lateness import Times, behind_plan_s, punctuality
from haulier.contexts.dispatch.routes.rules.machine import RouteStatus
from haulier.contexts.dispatch.routes.rules.progress import actions_at_stop, actions_on_route
from haulier.contexts.dispatch.stops import store as stop_store
from haulier.contexts.dispatch.stops.rules import DONE, IN_VAIN, Outcome, StopKind, StopStatus
from haulier.contexts.orders.public import OrderFacts, facts
from haulier.kernel.call import Call


async def shown(call: Call, route_id: int) -> Route:
    """One route as it is now, with its stops."""
    return (await detailed(call, [await store.one(call.work, route_id)]))[0]


async def shown_all(call: Call, route_ids: Sequence[int]) -> list[Route]:
    """Routes as they are now, with their stops, in the order named."""
    rows = await store.some(call.work, route_ids)
    return await detailed(call, [rows[route_id] for route_id in route_ids])


async def detailed(call: Call, rows: Sequence[Any]) -> list[Route]:
    """Routes with their stops, and what the caller may do with each."""
    stops = await stop_store.of_routes(call.work, [row.id for row in rows])
    orders = await facts(call, {stop.order_id for stop in stops})
    by_route: defaultdict[int, list[Any]] = defaultdict(list)
    for stop in stops:
        by_route[stop.route_id].append(stop)
    return [_route(call, row, by_route[row.id], orders) for row in rows]


async def summarised(call: Call, rows: Sequence[Any]) -> list[RouteSummary]:
    """Routes without their stops."""
    counts = await stop_store.counts(call.work, [row.id for row in rows])
    found: list[RouteSummary] = []
    for row in rows:
        count = counts.get(row.id)
        numbers = (count.total, count.completed, count.failed) if count else (0, 0, 0)
        found.append(RouteSummary(**_head(call, row, numbers)))
    return found


def stop_record(call: Call, row: Any, stops: Sequence[Any], stop: Any, order: OrderFacts | None) -> Stop:
    """One stop of a route; `stops` are all of them."""
    times = _times(stop, order)
    return Stop(
        id=stop.id,
        route_id=stop.route_id,
        order_id=stop.order_id,
        **_of_order(call, order, StopKind(stop.kind)),
        kind=StopKind(stop.kind),
        position=stop.position,
        status=StopStatus(stop.status),
        planned_arrival_at=_local(call, stop.planned_arrival_at),
        planned_departure_at=_local(call, stop.planned_departure_at),
        planned_distance_m=stop.planned_distance_m,
        behind_plan_s=behind_plan_s(times, call.now),
        punctuality=punctuality(times, call.now),
        locked=stop.locked_at is not None,
        arrived_at=_local(call, stop.arrived_at),
        arrived_recorded_at=_local(call, stop.arrived_recorded_at),
        ended_at=_local(call, stop.ended_at),
        ended_recorded_at=_local(call, stop.ended_recorded_at),
        ended_by=stop.ended_by,
        ended_distance_m=stop.ended_distance_m,
        outcome=Outcome(stop.outcome) if stop.outcome else None,
        reason=stop.reason,
        return_reason=stop.return_reason,
        note=stop.note,
        proof=convert(stop.proof, Proof) if stop.proof else None,
        allowed_actions=list(actions_at_stop(route_state(row), stop_state(stop), stop_states(stops), viewer_of(call))),
    )


def _times(stop: Any, order: OrderFacts | None) -> Times:
    promised = None if order is None or _elsewhere(order, StopKind(stop.kind)) else order
    return Times(
        status=StopStatus(stop.status),
        planned_arrival_at=stop.planned_arrival_at,
        window_start=promised and promised.window_start,
        window_end=promised and promised.window_end,
        reached_at=stop.arrived_at or stop.ended_at,
    )


def _route(call: Call, row: Any, stops: Sequence[Any], orders: Mapping[int, OrderFacts]) -> Route:
    statuses = [StopStatus(stop.status) for stop in stops]
    numbers = (
        len(statuses),
        sum(status in DONE for status in statuses),
        sum(status in IN_VAIN for status in statuses),
    )
    return Route(
        **_head(call, row, numbers),
        stops=[stop_record(call, row, stops, stop, orders.get(stop.order_id)) for stop in stops],
        allowed_actions=list(actions_on_route(route_state(row), stop_states(stops), viewer_of(call))),
    )


def _head(call: Call, row: Any, numbers: tuple[int, int, int]) -> dict[str, Any]:
    total, completed, failed = numbers
    return {
        "id": row.id,
        "name": row.name,
        "day": row.day,
        "status": RouteStatus(row.status),
        "depot_id": row.depot_id,
        "depot_name": row.depot_name,
        "driver_id": row.driver_id,
        "driver_name": row.driver_name,
        "contractor_id": row.contractor_id,
        "stops_total": total,
        "stops_completed": completed,
        "stops_failed": failed,
        "version": row.version,
        "published": row.published_at is not None,
        "locked": row.locked_at is not None,
        "merged_into": row.merged_into,
        "planned_start_at": _local(call, row.planned_start_at),
        "planned_end_at": _local(call, row.planned_end_at),
        "planned_distance_m": row.planned_distance_m,
        "started_at": _local(call, row.started_at),
        "started_recorded_at": _local(call, row.started_recorded_at),
        "finished_at": _local(call, row.finished_at),
        "finished_recorded_at": _local(call, row.finished_recorded_at),
        "cancel_reason": row.cancel_reason,
    }


def _of_order(call: Call, order: OrderFacts | None, kind: StopKind) -> dict[str, Any]:
    """What an order says about a stop. Its place is the one it is brought to, or collected from when it is for the depot."""
    place = None if order is None or _elsewhere(order, kind) else order
    return {
        "order_ref": order.order_ref if order else None,
        "tracking_number": order.tracking_number if order else None,
        "address": place.address if place else None,
        "lat": place.lat if place else None,
        "lng": place.lng if place else None,
        "window_start": _local(call, place.window_start) if place else None,
        "window_end": _local(call, place.window_end) if place else None,
    }


def _elsewhere(order: OrderFacts, kind: StopKind) -> bool:
    """Whether the place and the window of an order are those of its other stop."""
    return order.type == "P2P" and kind is StopKind.PICKUP


def _local(call: Call, at: datetime | None) -> datetime | None:
    return at and at.astimezone(call.time_zone)
