"""What changed on a day: three lists, each by when we heard of it, told as one.

A transaction may become visible a moment after one that began later. So a cursor never goes beyond a few seconds ago: what
is as fresh as that is told once more, which does no harm, and nothing is missed.
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from haulier.contexts.dispatch.monitoring import store
from haulier.contexts.dispatch.monitoring.contract import DayChange, DayChangeList, ListDayChanges
from haulier.kernel.call import Call
from haulier.kernel.values.pagination import make_cursor, parse_cursor

VISIBILITY_GRACE = timedelta(seconds=5)
BEGINNING = datetime(2000, 1, 1, tzinfo=UTC)
POSITIONS_SINCE = timedelta(days=1)
"""Without a cursor, positions that are older are left out."""

CursorPlaces = tuple[datetime, int, datetime, int, datetime, int]


async def load_day_changes(call: Call, request: ListDayChanges, contractor_id: int | None) -> DayChangeList:
    """The changes after a cursor. Three statements at most."""
    places = (
        parse_cursor(request.cursor, CursorPlaces)
        if request.cursor
        else (call.now - POSITIONS_SINCE, 0, BEGINNING, 0, BEGINNING, 0)
    )
    moved_after, visited_after, driven_after = places[0:2], places[2:4], places[4:6]
    most, today = request.limit + 1, call.now.astimezone(call.time_zone).date()
    moved = (
        await store.list_changed_positions(call.work, moved_after, most, contractor_id) if request.day == today else []
    )
    visited = await store.list_changed_stops(call.work, request.day, visited_after, most, contractor_id)
    driven = await store.list_changed_routes(call.work, request.day, driven_after, most, contractor_id)
    shown = [rows[: request.limit] for rows in (moved, visited, driven)]
    changes = [
        *(_serialize_position_change(call, row) for row in shown[0]),
        *(_serialize_stop_change(call, row) for row in shown[1]),
        *(_serialize_route_change(call, row) for row in shown[2]),
    ]
    full = [len(rows) > request.limit for rows in (moved, visited, driven)]
    return DayChangeList(
        changes=sorted(changes, key=lambda change: change.recorded_at),
        next_cursor=make_cursor(
            *_next_place(call, [(row.recorded_at, row.id) for row in shown[0]], moved_after, full[0]),
            *_next_place(call, [(row.told_at, row.id) for row in shown[1]], visited_after, full[1]),
            *_next_place(call, [(row.told_at, row.id) for row in shown[2]], driven_after, full[2]),
        ),
        more=any(full),
    )


def _next_place(
    call: Call, told: Sequence[store.ChangePlace], before: store.ChangePlace, full: bool
) -> store.ChangePlace:
    """Where a list goes on: after what was told, but not beyond the moment up to which nothing can be missing."""
    last = told[-1] if told else before
    safe = call.now - VISIBILITY_GRACE
    return last if full or last[0] <= safe else max(before, (safe, 0))


def _serialize_position_change(call: Call, row: Any) -> DayChange:
    return DayChange(
        kind="position",
        at=row.occurred_at.astimezone(call.time_zone),
        recorded_at=row.recorded_at.astimezone(call.time_zone),
        driver_id=row.driver_id,
        route_id=None,
        stop_id=None,
        status=None,
        lat=row.lat,
        lng=row.lng,
    )


def _serialize_stop_change(call: Call, row: Any) -> DayChange:
    return DayChange(
        kind="stop",
        at=row.at.astimezone(call.time_zone),
        recorded_at=row.told_at.astimezone(call.time_zone),
        driver_id=row.driver_id,
        route_id=row.route_id,
        stop_id=row.id,
        status=row.status,
        lat=row.ended_lat,
        lng=row.ended_lng,
    )


def _serialize_route_change(call: Call, row: Any) -> DayChange:
    return DayChange(
        kind="route",
        at=row.at.astimezone(call.time_zone),
        recorded_at=row.told_at.astimezone(call.time_zone),
        driver_id=row.driver_id,
        route_id=row.id,
        stop_id=None,
        status=row.status,
        lat=None,
        lng=None,
    )
