"""What changed on a day: three lists, each by when a change was recorded, merged into one."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from haulier.contexts.dispatch.monitoring import store
from haulier.contexts.dispatch.monitoring.contract import DayChange, DayChangeList, ListDayChanges
from haulier.kernel.call import Call
from haulier.kernel.operations.records import record
from haulier.kernel.values.pagination import make_cursor, parse_cursor

VISIBILITY_GRACE = timedelta(seconds=5)
# Why: a transaction may become visible a moment after one that began later. So a cursor never goes beyond five seconds ago:
# changes that are as new as that are listed twice, and none is missed.
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
    """Where a list continues: after its last listed row, but not beyond the time up to which no change can be missing."""
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
