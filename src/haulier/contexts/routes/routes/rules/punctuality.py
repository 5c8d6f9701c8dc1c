"""How punctual a stop was: actual against planned and promised. Only the past is judged; future visits are not predicted."""

from datetime import datetime, timedelta
from enum import StrEnum

from msgspec import Struct

from haulier.contexts.routes.stops.rules import OPEN, StopStatus

TOLERANCE = timedelta(minutes=5)
"""Where nothing was promised, an arrival this far behind the plan still counts as on time."""


class Punctuality(StrEnum):
    """The punctuality of a stop. `overdue` is still to be visited, and should have been by now."""

    EARLY = "early"
    ON_TIME = "on_time"
    LATE = "late"
    OVERDUE = "overdue"


class StopTimes(Struct, frozen=True, kw_only=True):
    """The times of a stop, as far as they are known. `reached_at` is when it was arrived at, or else ended."""

    status: StopStatus
    planned_arrival_at: datetime | None = None
    window_start: datetime | None = None
    window_end: datetime | None = None
    reached_at: datetime | None = None


def seconds_behind_plan(stop: StopTimes, now: datetime) -> int | None:
    """Seconds between the planned arrival and the actual one, negative when the driver came before.

    Before that, how long ago the planned arrival was. None without a plan, and while the stop is not due.
    """
    if stop.planned_arrival_at is None:
        return None
    if stop.reached_at is not None:
        return _seconds(stop.reached_at - stop.planned_arrival_at)
    overdue_s = _seconds(now - stop.planned_arrival_at)
    return overdue_s if _is_open(stop) and overdue_s > 0 else None


def judge_punctuality(stop: StopTimes, now: datetime) -> Punctuality | None:
    """How the stop was met: by the window that was promised; where there is none, by the plan and its tolerance.

    None while a stop is not due, and where there is nothing to judge by.
    """
    latest = _latest_arrival(stop)
    if latest is None:
        return None
    if stop.reached_at is None:
        return Punctuality.OVERDUE if _is_open(stop) and now > latest else None
    if stop.reached_at > latest:
        return Punctuality.LATE
    early = stop.window_start is not None and stop.reached_at < stop.window_start
    return Punctuality.EARLY if early else Punctuality.ON_TIME


def _latest_arrival(stop: StopTimes) -> datetime | None:
    if stop.window_end is not None:
        return stop.window_end
    return stop.planned_arrival_at and stop.planned_arrival_at + TOLERANCE


def _is_open(stop: StopTimes) -> bool:
    return stop.status in OPEN


def _seconds(span: timedelta) -> int:
    return round(span.total_seconds())
