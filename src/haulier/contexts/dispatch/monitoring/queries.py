"""Reads of monitoring for other families."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from haulier.contexts.dispatch.monitoring import store
from haulier.contexts.dispatch.monitoring.contract import DayChange, DayChangeList, ListDayChanges
from haulier.contexts.dispatch.monitoring.rules import LastPosition, MonitoredRoute, MonitoredStop
from haulier.contexts.dispatch.monitoring.store import StartedRouteRow
from haulier.contexts.driver_app.day.rules import RouteAnswerValue
from haulier.contexts.driver_app.public import PositionRow, get_latest_positions, list_route_answers
from haulier.contexts.fleet.public import get_depot_rows
from haulier.contexts.orders.public import OrderFacts, PieceOutcome, get_order_facts
from haulier.contexts.routes.public import RouteRow, StopRow, list_stops_of_routes
from haulier.contexts.routes.routes.rules.progress import RouteStatus
from haulier.contexts.routes.routes.rules.sequence import locate_stop
from haulier.contexts.routes.stops.rules import StopCancelReason, StopDispute, StopKind, StopStatus
from haulier.kernel.call import Call
from haulier.kernel.operations.records import record
from haulier.kernel.values.pagination import make_cursor, parse_cursor

VISIBILITY_GRACE = timedelta(seconds=5)
# Transactions may become visible slightly after later ones. A cursor therefore stays five seconds behind: recent
# changes are listed twice, and none is missed.
BEGINNING = datetime(2000, 1, 1, tzinfo=UTC)
MAX_POSITION_AGE = timedelta(days=1)
"""Without a cursor, older positions are left out."""

CursorPlaces = tuple[datetime, int, datetime, int, datetime, int]


async def load_day_changes(call: Call, request: ListDayChanges, contractor_id: int | None) -> DayChangeList:
    """The changes after a cursor. Three statements at most."""
    places = (
        parse_cursor(request.cursor, CursorPlaces)
        if request.cursor
        else (call.now - MAX_POSITION_AGE, 0, BEGINNING, 0, BEGINNING, 0)
    )
    after_position, after_stop, after_route = places[0:2], places[2:4], places[4:6]
    limit, today = request.limit + 1, call.today
    positions = (
        await store.list_changed_positions(call.work, after_position, limit, contractor_id)
        if request.day == today
        else []
    )
    stops = await store.list_changed_stops(call.work, request.day, after_stop, limit, contractor_id)
    routes = await store.list_changed_routes(call.work, request.day, after_route, limit, contractor_id)
    changes = [
        *(_serialize_position_change(call, row) for row in positions[: request.limit]),
        *(_serialize_stop_change(call, row) for row in stops[: request.limit]),
        *(_serialize_route_change(call, row) for row in routes[: request.limit]),
    ]
    return DayChangeList(
        changes=sorted(changes, key=lambda change: change.recorded_at),
        next_cursor=make_cursor(
            *_next_place(call, request, positions, after_position),
            *_next_place(call, request, stops, after_stop),
            *_next_place(call, request, routes, after_route),
        ),
        more=any(len(rows) > request.limit for rows in (positions, stops, routes)),
    )


def _next_place(
    call: Call,
    request: ListDayChanges,
    rows: Sequence[store.PositionChangeRow] | Sequence[store.StopChangeRow] | Sequence[store.RouteChangeRow],
    before: store.ChangePlace,
) -> store.ChangePlace:
    """Return the position where a list continues.

    After its last row, but not beyond the time up to which no change can be missing.
    """
    listed = rows[: request.limit]
    last = (listed[-1].recorded_at, listed[-1].id) if listed else before
    complete_until = call.now - VISIBILITY_GRACE
    is_full = len(rows) > request.limit
    return last if is_full or last[0] <= complete_until else max(before, (complete_until, 0))


def _serialize_position_change(call: Call, row: store.PositionChangeRow) -> DayChange:
    times = _change_times(call, row.occurred_at, row.recorded_at)
    return record(DayChange, row, kind="position", route_id=None, stop_id=None, status=None, **times)


def _serialize_stop_change(call: Call, row: store.StopChangeRow) -> DayChange:
    times = _change_times(call, row.occurred_at, row.recorded_at)
    return record(DayChange, row, kind="stop", stop_id=row.id, lat=row.ended_lat, lng=row.ended_lng, **times)


def _serialize_route_change(call: Call, row: store.RouteChangeRow) -> DayChange:
    times = _change_times(call, row.occurred_at, row.recorded_at)
    return record(DayChange, row, kind="route", route_id=row.id, stop_id=None, lat=None, lng=None, **times)


def _change_times(call: Call, occurred_at: datetime, recorded_at: datetime) -> dict[str, Any]:
    return {"at": call.local_time(occurred_at), "recorded_at": call.local_time(recorded_at)}


async def load_monitored_routes(call: Call, rows: Sequence[RouteRow]) -> list[MonitoredRoute]:
    """Return routes with their stops, newest driver positions and last decline."""
    ids = [row.id for row in rows]
    stops, _ = await load_monitored_stops(call, ids)
    depots = await get_depot_rows(call, {row.depot_id for row in rows})
    positions = await get_latest_positions(call, {row.driver_id for row in rows if row.driver_id})
    declined_at = {
        answer.route_id: answer.at
        for answer in await list_route_answers(call, ids)
        if answer.answer == RouteAnswerValue.DECLINED
    }
    return [
        MonitoredRoute(
            id=row.id,
            status=RouteStatus(row.status),
            driver_id=row.driver_id,
            driver_active=row.driver_active is not False,
            depot=(depots[row.depot_id].lat, depots[row.depot_id].lng) if row.depot_id in depots else None,
            planned_start_at=row.planned_start_at,
            declined_at=declined_at.get(row.id),
            clock_ahead_s=row.clock_ahead_s,
            clock_off_since=row.clock_off_since,
            stops=stops[row.id],
            last_position=to_last_position(positions.get(row.driver_id or 0)),
        )
        for row in rows
    ]


async def load_monitored_stops(
    call: Call, route_ids: Collection[int]
) -> tuple[Mapping[int, list[MonitoredStop]], Mapping[int, OrderFacts]]:
    """The stops of these routes by route, in the order of visit, and their orders."""
    rows = await list_stops_of_routes(call, route_ids)
    orders = await get_order_facts(call, {row.order_id for row in rows}) if rows else {}
    by_route: defaultdict[int, list[MonitoredStop]] = defaultdict(list)
    for row in rows:
        order, kind = orders.get(row.order_id), StopKind(row.kind)
        has_window = order is not None and not (order.type != "P" and kind is StopKind.PICKUP)
        by_route[row.route_id].append(
            MonitoredStop(
                id=row.id,
                order_id=row.order_id,
                kind=kind,
                status=StopStatus(row.status),
                place=locate_stop(kind, order),
                planned_arrival_at=row.planned_arrival_at,
                window_end=order.window_end if order and has_window else None,
                arrived_at=row.arrived_at,
                ended_at=row.ended_at,
                on_route=bool(row.on_route),
                cancel_reason=_cancel_reason(row),
                dispute=StopDispute(row.dispute) if row.dispute else None,
                pieces_left=_pieces_left(row),
            )
        )
    return by_route, orders


def _pieces_left(row: StopRow) -> tuple[tuple[str, PieceOutcome], ...]:
    left = (row.proof or {}).get("left", ())
    return tuple((piece["barcode"], PieceOutcome(piece["outcome"])) for piece in left)


def _cancel_reason(row: StopRow) -> StopCancelReason | None:
    return StopCancelReason(row.reason) if row.status == StopStatus.CANCELLED and row.reason else None


async def get_started_routes_by_driver(call: Call, driver_ids: Collection[int]) -> dict[int, StartedRouteRow]:
    """Return the route under way of each driver; of several, the one started last."""
    return await store.get_started_routes_by_driver(call.work, driver_ids)


def to_last_position(row: PositionRow | None) -> LastPosition | None:
    """A newest position as the rules see it."""
    return row and LastPosition(
        occurred_at=row.occurred_at, place=(row.lat, row.lng), standing_since=row.standing_since
    )
