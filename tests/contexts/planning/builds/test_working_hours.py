"""Working hours of a day in local time, across clock changes, and their rest."""

from datetime import UTC, date, datetime, time
from zoneinfo import ZoneInfo

import pytest

from haulier.contexts.planning.builds.rules.shifts import count_drivers_by_hour, remaining_shift, shift_hours

PARIS = ZoneInfo("Europe/Paris")
SPRING = date(2026, 3, 29)
"""A Sunday on which the clocks go forward at 02:00."""


def make_shift(weekday: int = 7, start: str = "08:00", end: str = "16:00", **words: object) -> dict[str, object]:
    return {"weekday": weekday, "start": start, "end": end, "breaks": [], **words}


def test_hours_are_local_and_a_clock_change_shortens_the_night() -> None:
    found = shift_hours([make_shift(start="00:00", end="08:00")], SPRING, PARIS)
    assert found is not None
    (start, end), _ = found
    assert end - start == 7 * 3600
    assert datetime.fromtimestamp(end, PARIS).hour == 8


def test_a_day_without_a_shift_is_off_and_without_any_shifts_a_default_applies() -> None:
    assert shift_hours([make_shift(weekday=1)], SPRING, PARIS) is None
    found = shift_hours([], SPRING, PARIS)
    assert found is not None
    assert [datetime.fromtimestamp(at, PARIS).hour for at in found[0]] == [8, 18]


def test_a_night_shift_and_its_break_can_end_on_the_next_day() -> None:
    rest = {"earliest": "23:30", "latest": "01:30", "minutes": 30}
    found = shift_hours([make_shift(start="22:00", end="06:00", breaks=[rest])], date(2026, 6, 7), PARIS)
    assert found is not None
    (start, end), ((earliest, latest, length),) = found
    assert (end - start, latest - earliest, length) == (8 * 3600, 2 * 3600, 1800)
    assert start < earliest < latest < end


def test_the_rest_of_a_shift_starts_at_the_next_full_minute() -> None:
    now = datetime(2026, 6, 10, 10, 0, 1, tzinfo=UTC)
    start = int(now.timestamp()) - 3601
    assert remaining_shift(((start, start + 7200), ()), now) == (int(now.timestamp()) + 59, start + 7200)
    assert remaining_shift(((start + 10_000, start + 20_000), ()), now) == (start + 10_000, start + 20_000)


def test_working_hours_are_counted_in_local_time() -> None:
    at = int(datetime(2026, 6, 10, 20, 30, tzinfo=UTC).timestamp())  # 22:30 in Paris
    counts = count_drivers_by_hour([(at, at + 2 * 3600), (at, at + 1800)], PARIS)
    assert {hour: count for hour, count in enumerate(counts) if count} == {22: 2, 23: 1, 0: 1}
    assert count_drivers_by_hour([], PARIS) == (0,) * 24


def test_the_gap_between_two_shifts_of_a_day_is_a_break() -> None:
    rests = [
        {"earliest": "09:30", "latest": "11:45", "minutes": 30},
        {"earliest": "11:45", "latest": "12:30", "minutes": 30},
    ]
    found = shift_hours([make_shift(start="13:00", end="18:00"), make_shift(end="12:00", breaks=rests)], SPRING, PARIS)
    assert found is not None
    hours, breaks = found
    assert [at_hour(at) for at in hours] == ["08:00", "18:00"]
    assert [(at_hour(earliest), at_hour(latest), length) for earliest, latest, length in breaks] == [
        ("09:30", "11:30", 1800),
        ("12:00", "12:00", 3600),
    ]


def test_consecutive_shifts_are_merged() -> None:
    assert shift_hours([make_shift(end="12:00"), make_shift(start="12:00", end="16:00")], SPRING, PARIS) == shift_hours(
        [make_shift()], SPRING, PARIS
    )


@pytest.mark.parametrize(
    ("now", "start"), [("11:59", "11:59"), ("12:00", "13:00"), ("12:40", "13:00"), ("13:10", "13:10")]
)
def test_between_two_shifts_the_rest_of_the_day_starts_with_the_next_shift(now: str, start: str) -> None:
    found = shift_hours([make_shift(end="12:00"), make_shift(start="13:00", end="18:00")], SPRING, PARIS)
    assert found is not None
    moment = datetime.combine(SPRING, time.fromisoformat(now), PARIS)
    assert [at_hour(at) for at in remaining_shift(found, moment)] == [start, "18:00"]


def at_hour(at: int) -> str:
    return datetime.fromtimestamp(at, PARIS).strftime("%H:%M")
