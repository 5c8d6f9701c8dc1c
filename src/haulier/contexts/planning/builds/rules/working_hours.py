"""Working hours of a day, as seconds since the epoch."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

DEFAULT_SHIFT: Mapping[str, Any] = {"start": "08:00", "end": "18:00", "breaks": []}
"""When drivers work whose hours nobody set."""
HOUR_S = 3600
ShiftHours = tuple[tuple[int, int], tuple[tuple[int, int, int], ...]]
"""A shift from and to, and its breaks: earliest and latest start, and length."""


def shift_hours(shifts: Sequence[Mapping[str, Any]], day: date, zone: ZoneInfo) -> ShiftHours | None:
    """The shift of a day with its breaks; None on a day off. Without any shifts at all, the default."""
    shift_of_day = next((shift for shift in shifts if shift["weekday"] == day.isoweekday()), None)
    shift = shift_of_day if shifts else DEFAULT_SHIFT
    if shift is None:
        return None
    start = _local_timestamp(day, shift["start"], zone)
    end = _local_timestamp_after(start + 1, day, shift["end"], zone)
    breaks: list[tuple[int, int, int]] = []
    for pause in shift["breaks"]:
        earliest = _local_timestamp_after(start, day, pause["earliest"], zone)
        breaks.append((earliest, _local_timestamp_after(earliest, day, pause["latest"], zone), pause["minutes"] * 60))
    return (start, end), tuple(sorted(breaks, key=lambda rest: (rest[1], rest[0])))


def remaining_shift(shift: tuple[int, int], now: datetime) -> tuple[int, int]:
    """What is left of a shift, from the next full minute on. Its start may then be after its end: it is over."""
    minute = -(-int(now.timestamp()) // 60) * 60
    return max(shift[0], minute), shift[1]


def count_drivers_by_hour(shifts: Iterable[tuple[int, int]], zone: ZoneInfo) -> tuple[int, ...]:
    """How many of some drivers work in each hour of the local day, 0 to 23; an hour that is begun counts whole."""
    counts = [0] * 24
    for start, end in shifts:
        for hour_start in range(start - start % HOUR_S, end, HOUR_S):
            counts[datetime.fromtimestamp(hour_start, UTC).astimezone(zone).hour] += 1
    return tuple(counts)


def _local_timestamp(day: date, text: str, zone: ZoneInfo) -> int:
    return int(datetime.combine(day, time.fromisoformat(text), zone).timestamp())


def _local_timestamp_after(bound: int, day: date, text: str, zone: ZoneInfo) -> int:
    same = _local_timestamp(day, text, zone)
    return same if same >= bound else _local_timestamp(day + timedelta(days=1), text, zone)
