"""Zones and patterns as pure rules."""

from datetime import date, time, timedelta

from hypothesis import given
from hypothesis import strategies as st

from haulier.contexts.booking.reservations.rules import WindowPattern, pattern_days

DAYS = st.dates(date(2026, 1, 1), date(2026, 12, 31))


@given(DAYS, DAYS, st.frozensets(st.integers(1, 7), min_size=1), st.integers(0, 60))
def test_a_pattern_creates_windows_only_on_its_weekdays_between_its_dates(
    first: date, begins: date, weekdays: frozenset[int], span: int
) -> None:
    pattern = WindowPattern(weekdays=weekdays, starts=time(9), ends=time(10), cut_off_min=0, first_day=begins)
    last = first + timedelta(days=span)
    wanted = [first + timedelta(days=n) for n in range(span + 1)]
    found = list(pattern_days(pattern, first, last))
    assert found == [day for day in wanted if day >= begins and day.isoweekday() in weekdays]
