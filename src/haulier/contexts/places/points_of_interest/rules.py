"""Rules of points of interest."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, time, timedelta, tzinfo
from math import sqrt
from typing import Any
from zoneinfo import ZoneInfo

from pydantic_core import PydanticCustomError

FIRST_RADIUS_M = 100.0
"""A hundred metres hold a few places in a dense city, so that the first look is cheap wherever it is."""
_MOST_GROWTH = 8.0
_LEAST_GROWTH = 2.0


def next_radius_m(radius_m: float, found: int, wanted: int) -> float:
    """Return the next radius after a circle with too few places.

    Estimated from the density of places, and between two and eight times as large. From 100 m, the whole earth is seven
    circles away.
    """
    growth = sqrt(2 * wanted / found) if found else _MOST_GROWTH
    return radius_m * min(_MOST_GROWTH, max(_LEAST_GROWTH, growth))


Period = tuple[int, int]
"""From and until, in seconds since the epoch."""
_DAYS = ("Mo", "Tu", "We", "Th", "Fr", "Sa", "Su")
_RULE = re.compile(
    r"(?:(?P<days>(?:Mo|Tu|We|Th|Fr|Sa|Su)(?:\s*[-,]\s*(?:Mo|Tu|We|Th|Fr|Sa|Su))*)|(?P<day>\d{4}-\d\d-\d\d))?\s*"
    r"(?P<times>\d\d:\d\d\s*-\s*\d\d:\d\d(?:\s*,\s*\d\d:\d\d\s*-\s*\d\d:\d\d)*|off|closed)"
)
_TIMES = re.compile(r"(\d\d:\d\d)\s*-\s*(\d\d:\d\d)")
MIDNIGHT = "24:00"


def read_opening_hours(text: str) -> dict[str, Any]:
    """Parse the common part of OpenStreetMap's `opening_hours` format.

    For example `Mo-Fr 08:00-12:00,13:00-17:00; Sa off`, days such as `2026-12-25 off`, and `24/7`. A later rule
    replaces an earlier one of the same day. Raises `PydanticCustomError` for anything else.
    """
    if text.strip() == "24/7":
        text = "00:00-24:00"
    week: dict[int, list[dict[str, str]]] = {}
    exceptions: dict[str, list[dict[str, str]]] = {}
    for rule in filter(None, (part.strip() for part in text.split(";"))):
        match = _RULE.fullmatch(rule)
        if match is None:
            raise PydanticCustomError("opening_hours_text", "not understood", {"given": rule[:60]})
        times = list(_read_times(match["times"]))
        if match["day"]:
            exceptions[match["day"]] = times
            continue
        for weekday in _read_days(match["days"] or "Mo-Su"):
            week[weekday] = times
    weekly = [{"weekdays": [day], **opening} for day, times in sorted(week.items()) for opening in times]
    return {"weekly": weekly, "exceptions": [{"day": day, "times": times} for day, times in exceptions.items()]}


def _read_days(text: str) -> Iterator[int]:
    for part in text.split(","):
        first, _, last = (end.strip() for end in part.partition("-"))
        begin = _DAYS.index(first)
        span = (_DAYS.index(last) - begin) % 7 if last else 0
        yield from ((begin + step) % 7 + 1 for step in range(span + 1))


def _read_times(text: str) -> Iterator[dict[str, str]]:
    for opens, closes in _TIMES.findall(text):
        yield {"opens": opens, "closes": "00:00" if closes == MIDNIGHT else closes}


def opening_periods(hours: Mapping[str, Any], day: date, business_zone: tzinfo) -> list[Period]:
    """Return the opening periods of a day, by the documents of `OpeningHours`.

    Periods that begin on it, and the rest of the night before.
    """
    zone = ZoneInfo(hours["time_zone"]) if hours.get("time_zone") else business_zone
    midnight = int(datetime.combine(day, time(), zone).timestamp())
    evening = [
        (opens, closes) for opens, closes in _periods_of(hours, day - timedelta(days=1), zone) if closes > midnight
    ]
    return _joined(
        sorted([(max(opens, midnight), closes) for opens, closes in evening] + _periods_of(hours, day, zone))
    )


def _periods_of(hours: Mapping[str, Any], day: date, zone: tzinfo) -> list[Period]:
    exceptions = {exception["day"]: exception["times"] for exception in hours["exceptions"]}
    times: Sequence[Mapping[str, Any]] = exceptions.get(
        day.isoformat(), [opening for opening in hours["weekly"] if day.isoweekday() in opening["weekdays"]]
    )
    return [_period(opening, day, zone) for opening in times]


def _period(opening: Mapping[str, Any], day: date, zone: tzinfo) -> Period:
    opens, closes = time.fromisoformat(opening["opens"]), time.fromisoformat(opening["closes"])
    last = day if closes > opens else day + timedelta(days=1)
    return tuple(int(datetime.combine(on, at, zone).timestamp()) for on, at in ((day, opens), (last, closes)))  # type: ignore[return-value]


def _joined(periods: Sequence[Period]) -> list[Period]:
    """Periods in order, with those that touch or overlap made one."""
    joined: list[Period] = []
    for opens, closes in periods:
        if joined and opens <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(closes, joined[-1][1]))
        else:
            joined.append((opens, closes))
    return joined
