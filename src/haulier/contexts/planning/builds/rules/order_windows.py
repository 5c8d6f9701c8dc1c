"""Time windows that leave an order out of a day, whoever drives."""

from collections.abc import Sequence
from datetime import date, datetime, time, tzinfo

from haulier.solvers.routing.reason_facts import UnassignedReason

Window = tuple[int | None, int | None]
"""Its beginning and end in seconds since the epoch; None where it is open."""


def find_window_reason(
    window: Window, day: date, now: datetime, time_zone: tzinfo, *, grace_s: int = 0
) -> UnassignedReason | None:
    """Why a window leaves its order out of a day: it ends before the day, or before now; or begins after the day."""
    opens, closes = window
    beginning = max(datetime.combine(day, time(), time_zone), now)
    if closes is not None and closes + grace_s < beginning.timestamp():
        return UnassignedReason.WINDOW_OVER
    if opens is not None and datetime.fromtimestamp(opens, time_zone).date() > day:
        return UnassignedReason.OTHER_DAY
    return None


def narrow_to_opening(window: Window, opening: Sequence[tuple[int, int]]) -> Window | None:
    """The part of a window in which a place is open; None where it is closed. `opening` are its periods, in seconds.

    A request has one window: of several parts, as around a lunch break, the longest is taken, among equals the first.
    """
    opens, closes = window
    parts = [
        (begin if opens is None else max(begin, opens), end if closes is None else min(end, closes))
        for begin, end in opening
    ]
    return max((part for part in parts if part[0] < part[1]), key=lambda part: part[1] - part[0], default=None)
