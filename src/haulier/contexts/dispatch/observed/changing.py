"""What changed on a day: three lists, each by when we heard of it, told as one.

A transaction may become visible a moment after one that began later. So a cursor never goes beyond a few seconds ago: what
is as fresh as that is told once more, which does no harm, and nothing is missed.
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from haulier.contexts.dispatch.observed import store
from haulier.contexts.dispatch.observed.contract import DayChange, DayChanges, FollowDay
from haulier.kernel.call import Call
from haulier.kernel.pages import cursor_after, key_of

GRACE = timedelta(seconds=5)
BEGINNING = datetime(2000, 1, 1, tzinfo=UTC)
POSITIONS_SINCE = timedelta(days=1)
"""Without a cursor, positions that are older are left out."""

Places = tuple[datetime, int, datetime, int, datetime, int]


async def changes_of(call: Call, request: FollowDay, contractor_id: int | None) -> DayChanges:
    """The changes after a cursor. Three statements at most."""
    places = (
        key_of(request.cursor, Places)
        if request.cursor
        else (call.now - POSITIONS_SINCE, 0, BEGINNING, 0, BEGINNING, 0)
    )
    moved_after, visited_after, driven_after = places[0:2], places[2:4], places[4:6]
    most, today = request.limit + 1, call.now.astimezone(call.time_zone).date()
    moved = await store.moved(call.work, moved_after, most, contractor_id) if request.day == today else []
    visited = await store.visited(call.work, request.day, visited_after, most, contractor_id)
    driven = await store.driven(call.work, request.day, driven_after, most, contractor_id)
    shown = [rows[: request.limit] for rows in (moved, visited, driven)]
    changes = [
        *(_position(call, row) for row in shown[0]),
        *(_visit(call, row) for row in shown[1]),
        *(_route(call, row) for row in shown[2]),
    ]
    full = [len(rows) > request.limit for rows in (moved, visited, driven)]
    return DayChanges(
        changes=sorted(changes, key=lambda change: change.recorded_at),
        next_cursor=cursor_after(
            *_next(call, [(row.recorded_at, row.id) for row in shown[0]], moved_after, full[0]),
            *_next(call, [(row.told_at, row.id) for row in shown[1]], visited_after, full[1]),
            *_next(call, [(row.told_at, row.id) for row in shown[2]], driven_after, full[2]),
        ),
        more=any(full),
    )


def _next(call: Call, told: Sequence[store.After], before: store.After, full: bool) -> store.After:
    """Where a list goes on: after what was told, but not beyond the moment up to which nothing can be missing."""
    last = told[-1] if told else before
    safe = call.now - GRACE
    return last if full or last[0] <= safe else max(before, (safe, 0))


def _position(call: Call, row: Any) -> DayChange:
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


def _visit(call: Call, row: Any) -> DayChange:
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


def _route(call: Call, row: Any) -> DayChange:
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
