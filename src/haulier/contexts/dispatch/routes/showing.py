"""Routes as answers show them. Many routes take as many statements as one."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from msgspec import convert

from haulier.contexts.dispatch.routes import store
from haulier.contexts.dispatch.routes.contract import Proof, Route, RouteSummary, Stop
from haulier.contexts.dispatch.routes.finding import route_state, stop_state, stop_states, viewer_of
from haulier.contexts.dispatch.routes.rules.machine import RouteStatus
from haulier.contexts.dispatch.routes.rules.progress import actions_at_stop, actions_on_route
from haulier.contexts.dispatch.stops import store as stop_store
from haulier.contexts.dispatch.stops.rules import DONE, IN_VAIN, Outcome, StopKind, StopStatus
from haulier.contexts.orders.public import OrderFacts, facts
from haulier.kernel.call import Call


async def shown(call: Call, route_id: int) -> Route:
    """One route as it is now, with its stops."""
    return (await detailed(call, [await store.one(call.work, route_id)]))[0]


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
        arrived_at=_local(call, stop.arrived_at),
        arrived_recorded_at=_local(call, stop.arrived_recorded_at),
        ended_at=_local(call, stop.ended_at),
        ended_recorded_at=_local(call, stop.ended_recorded_at),
        ended_by=stop.ended_by,
        outcome=Outcome(stop.outcome) if stop.outcome else None,
        reason=stop.reason,
        note=stop.note,
        proof=convert(stop.proof, Proof) if stop.proof else None,
        allowed_actions=list(actions_at_stop(route_state(row), stop_state(stop), stop_states(stops), viewer_of(call))),
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
        "planned_start_at": _local(call, row.planned_start_at),
        "started_at": _local(call, row.started_at),
        "started_recorded_at": _local(call, row.started_recorded_at),
        "finished_at": _local(call, row.finished_at),
        "finished_recorded_at": _local(call, row.finished_recorded_at),
        "cancel_reason": row.cancel_reason,
    }


def _of_order(call: Call, order: OrderFacts | None, kind: StopKind) -> dict[str, Any]:
    """What an order says about a stop. Its place is the one it is brought to, or collected from when it is for the depot."""
    elsewhere = order is None or (order.type == "P2P" and kind is StopKind.PICKUP)
    place = None if elsewhere else order
    return {
        "order_ref": order.order_ref if order else None,
        "tracking_number": order.tracking_number if order else None,
        "address": place.address if place else None,
        "lat": place.lat if place else None,
        "lng": place.lng if place else None,
        "window_start": _local(call, place.window_start) if place else None,
        "window_end": _local(call, place.window_end) if place else None,
    }


def _local(call: Call, at: datetime | None) -> datetime | None:
    return at and at.astimezone(call.time_zone)
