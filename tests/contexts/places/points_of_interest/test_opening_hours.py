"""Opening hours: parsed from text, and returned as periods of a day."""

from datetime import UTC, date, datetime
from typing import Any

import pytest
from pydantic_core import PydanticCustomError

from haulier.contexts.places.points_of_interest.rules import opening_periods, read_opening_hours
from haulier.contexts.planning.builds.rules.requests import narrow_to_opening

WEDNESDAY = date(2026, 6, 10)


def hours_of(text: str, day: date = WEDNESDAY) -> list[str]:
    periods = opening_periods({"time_zone": None, **read_opening_hours(text)}, day, UTC)
    return ["-".join(datetime.fromtimestamp(end, UTC).strftime("%d %H:%M") for end in period) for period in periods]


def test_opening_hours_follow_the_openstreetmap_specification() -> None:
    read: dict[str, list[str]] = {
        "Mo-Fr 08:00-12:00,13:00-17:00": ["10 08:00-10 12:00", "10 13:00-10 17:00"],
        "We off; Mo-Su 08:00-09:00": ["10 08:00-10 09:00"],
        "Mo-Su 08:00-09:00; We off": [],
        "Fr-We 08:00-09:00": ["10 08:00-10 09:00"],
        "Mo,We 08:00-24:00": ["10 08:00-11 00:00"],
        "24/7": ["10 00:00-11 00:00"],
        "Mo-Su 22:00-02:00": ["10 00:00-10 02:00", "10 22:00-11 02:00"],
        "Mo-Su 08:00-09:00; 2026-06-10 10:00-11:00": ["10 10:00-10 11:00"],
        "Sa 08:00-09:00": [],
    }
    assert {text: hours_of(text) for text in read} == read


def test_unknown_syntax_is_refused() -> None:
    for text in ("sunrise-sunset", "PH off", "Mo-Fr", "8-17"):
        with pytest.raises(PydanticCustomError):
            read_opening_hours(text)


def test_opening_hours_use_the_time_zone_of_the_place() -> None:
    hours: dict[str, Any] = {**read_opening_hours("08:00-09:00"), "time_zone": "America/Toronto"}
    ((opens, _),) = opening_periods(hours, WEDNESDAY, UTC)
    assert datetime.fromtimestamp(opens, UTC).hour == 12


def test_a_window_is_reduced_to_its_longest_open_part() -> None:
    open_at = [(100, 200), (300, 500)]
    narrowed = {
        (None, None): (300, 500),
        (120, 310): (120, 200),
        (None, 250): (100, 200),
        (450, None): (450, 500),
        (200, 300): None,
        (600, None): None,
    }
    assert {window: narrow_to_opening(window, open_at) for window in narrowed} == narrowed
