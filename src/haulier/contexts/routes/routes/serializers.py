"""Routes as answers show them. Many routes take as many statements as one."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import convert

from haulier.contexts.orders.public import OrderFacts, get_order_facts
from haulier.contexts.routes.routes import store
from haulier.contexts.routes.routes.contract import EarlierAttempt, RouteDetail, RouteStop, RouteSummary, StopProof
from haulier.contexts.routes.routes.queries import (
    get_route_viewer,
    route_travel_mode,
    to_route_state,
    to_stop_state,
    to_stop_states,
)
from haulier.contexts.routes.routes.rules.progress import (
    UNDELIVERED,
    RouteStatus,
    allowed_route_actions,
    allowed_stop_actions,
    may_see_places,
)
from haulier.contexts.routes.routes.rules.sequence import StopTimes, assess_punctuality, seconds_behind_plan
from haulier.contexts.routes.routes.store import RouteRow
from haulier.contexts.routes.stops.queries import StopRow, count_stops_by_route, list_stops_of_routes
from haulier.contexts.routes.stops.rules import (
    SUCCESSFUL,
    UNSUCCESSFUL,
    FailedStopOutcome,
    StopDispute,
    StopKind,
    StopStatus,
)
from haulier.kernel.call import Call
from haulier.kernel.operations.records import record

StopNumbers = tuple[int, int, int, int]
"""Number of stops of a route: total, successful, failed and cancelled."""


async def load_route_detail(call: Call, route_id: int) -> RouteDetail:
    """One route as it is now, with its stops."""
    return (await load_route_details(call, [route_id]))[0]


async def load_route_details(call: Call, route_ids: Sequence[int]) -> list[RouteDetail]:
    """Routes as they are now, with their stops, in the order of the ids."""
    rows = await store.get_route_rows(call.work, route_ids)
    return await serialize_routes(call, [rows[route_id] for route_id in route_ids])


async def serialize_routes(call: Call, rows: Sequence[RouteRow]) -> list[RouteDetail]:
    """Routes with their stops, and what the caller may do with each."""
    stops = await list_stops_of_routes(call, [row.id for row in rows])
    orders = await get_order_facts(call, {stop.order_id for stop in stops})
    by_route: defaultdict[int, list[StopRow]] = defaultdict(list)
    for stop in stops:
        by_route[stop.route_id].append(stop)
    return [_serialize_route(call, row, by_route[row.id], orders) for row in rows]


async def serialize_route_summaries(call: Call, rows: Sequence[RouteRow]) -> list[RouteSummary]:
    """Routes without their stops."""
    counts = await count_stops_by_route(call, [row.id for row in rows])
    summaries: list[RouteSummary] = []
    for row in rows:
        count = counts.get(row.id)
        numbers = (count.total, count.completed, count.failed, count.cancelled) if count else (0, 0, 0, 0)
        summaries.append(record(RouteSummary, row, **_route_values(call, row, numbers)))
    return summaries


def serialize_route_stop(
    call: Call, row: RouteRow, stops: Sequence[StopRow], stop: StopRow, order: OrderFacts | None
) -> RouteStop:
    """One stop of a route; `stops` are all of them."""
    times, viewer = _stop_times(stop, order), get_route_viewer(call)
    place_shown = may_see_places(viewer, row.finished_at, call.now)
    actions = allowed_stop_actions(to_route_state(row), to_stop_state(stop), to_stop_states(stops), viewer)
    return record(
        RouteStop,
        stop,
        **_order_values(
            call,
            order,
            StopKind(stop.kind),
            place_shown=place_shown,
            ended=stop.ended_at is not None,
        ),
        kind=StopKind(stop.kind),
        status=StopStatus(stop.status),
        planned_arrival_at=call.local_time(stop.planned_arrival_at),
        planned_departure_at=call.local_time(stop.planned_departure_at),
        behind_plan_s=seconds_behind_plan(times, call.now),
        punctuality=assess_punctuality(times, call.now),
        locked=stop.locked_at is not None,
        to_load=bool(stop.to_load),
        bring_back=stop.status in UNDELIVERED and bool(stop.on_route),
        dispute=StopDispute(stop.dispute) if stop.dispute else None,
        handed_over_at=call.local_time(stop.handed_over_at),
        arrived_at=call.local_time(stop.arrived_at),
        arrived_recorded_at=call.local_time(stop.arrived_recorded_at),
        ended_at=call.local_time(stop.ended_at),
        ended_recorded_at=call.local_time(stop.ended_recorded_at),
        outcome=FailedStopOutcome(stop.outcome) if stop.outcome else None,
        proof=convert(stop.proof, StopProof) if stop.proof else None,
        earlier_attempts=[_serialize_attempt(call, each) for each in stop.earlier_attempts or ()],
        allowed_actions=list(actions),
    )


def _serialize_attempt(call: Call, attempt: Mapping[str, Any]) -> EarlierAttempt:
    shown = convert({name: attempt.get(name) for name in EarlierAttempt.__struct_fields__}, EarlierAttempt)
    for name in ("arrived_at", "ended_at", "ended_recorded_at"):
        setattr(shown, name, call.local_time(getattr(shown, name)))
    return shown


def _stop_times(stop: StopRow, order: OrderFacts | None) -> StopTimes:
    promised = None if order is None or _is_other_stop_of_order(order, StopKind(stop.kind)) else order
    return StopTimes(
        status=StopStatus(stop.status),
        planned_arrival_at=stop.planned_arrival_at,
        window_start=promised and promised.window_start,
        window_end=promised and promised.window_end,
        reached_at=stop.arrived_at or stop.ended_at,
    )


def _serialize_route(
    call: Call, row: RouteRow, stops: Sequence[StopRow], orders: Mapping[int, OrderFacts]
) -> RouteDetail:
    statuses = [StopStatus(stop.status) for stop in stops]
    numbers = (
        len(statuses),
        sum(status in SUCCESSFUL for status in statuses),
        sum(status in UNSUCCESSFUL for status in statuses),
        sum(status is StopStatus.CANCELLED for status in statuses),
    )
    return record(
        RouteDetail,
        row,
        **_route_values(call, row, numbers),
        stops=[serialize_route_stop(call, row, stops, stop, orders.get(stop.order_id)) for stop in stops],
        allowed_actions=list(allowed_route_actions(to_route_state(row), to_stop_states(stops), get_route_viewer(call))),
    )


def _route_values(call: Call, row: RouteRow, numbers: StopNumbers) -> dict[str, Any]:
    """Return the route fields that differ from its row."""
    total, completed, failed, cancelled = numbers
    return {
        "status": RouteStatus(row.status),
        "travel_mode": route_travel_mode(row),
        "stops_total": total,
        "stops_completed": completed,
        "stops_failed": failed,
        "stops_cancelled": cancelled,
        "published": row.published_at is not None,
        "locked": row.locked_at is not None,
        "planned_start_at": call.local_time(row.planned_start_at),
        "planned_end_at": call.local_time(row.planned_end_at),
        "started_at": call.local_time(row.started_at),
        "started_recorded_at": call.local_time(row.started_recorded_at),
        "finished_at": call.local_time(row.finished_at),
        "finished_recorded_at": call.local_time(row.finished_recorded_at),
    }


def _order_values(
    call: Call, order: OrderFacts | None, kind: StopKind, *, place_shown: bool, ended: bool
) -> dict[str, Any]:
    """Return the values of an order at a stop.

    The address is that of the order's own stop, or of misdelivered goods that are still to be collected.
    """
    shown = order if place_shown else None
    place = None if shown is None or _is_other_stop_of_order(shown, kind) else shown
    goods = shown if shown and place is None and shown.goods_at and not ended else None
    return {
        "order_ref": order.order_ref if order else None,
        "tracking_number": order.tracking_number if order else None,
        "address": place.address if place else goods and goods.goods_address,
        "lat": place.lat if place else goods and goods.pickup and goods.pickup[0],
        "lng": place.lng if place else goods and goods.pickup and goods.pickup[1],
        "window_start": call.local_time(place.window_start) if place else None,
        "window_end": call.local_time(place.window_end) if place else None,
    }


def _is_other_stop_of_order(order: OrderFacts, kind: StopKind) -> bool:
    """Return True if an order's address and window belong to its other stop."""
    return order.type != "P" and kind is StopKind.PICKUP
