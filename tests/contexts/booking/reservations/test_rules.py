"""Zones and patterns as pure rules."""

from datetime import date, time, timedelta

from hypothesis import given
from hypothesis import strategies as st

from haulier.contexts.booking.reservations.rules import WindowPattern, find_booking_zone, pattern_days

DAYS = st.dates(date(2026, 1, 1), date(2026, 12, 31))


@given(DAYS, DAYS, st.frozensets(st.integers(1, 7), min_size=1), st.integers(0, 60))
def test_a_pattern_makes_a_window_on_each_of_its_weekdays_between_its_ends_and_on_no_other(
    first: date, begins: date, weekdays: frozenset[int], span: int
) -> None:
    pattern = WindowPattern(weekdays=weekdays, starts=time(9), ends=time(10), cut_off_min=0, first_day=begins)
    last = first + timedelta(days=span)
    wanted = [first + timedelta(days=n) for n in range(span + 1)]
    found = list(pattern_days(pattern, first, last))
    assert found == [day for day in wanted if day >= begins and day.isoweekday() in weekdays]


@given(st.lists(st.lists(st.text("M5V2", min_size=1, max_size=4), min_size=1, max_size=4), max_size=5))
def test_a_postal_code_is_in_the_zone_with_its_longest_prefix(prefixes: list[list[str]]) -> None:
    zones = list(enumerate(prefixes, start=1))
    found = find_booking_zone("m5v 2t6", zones)
    fitting = {zone: max((len(p) for p in those if "M5V2T6".startswith(p)), default=0) for zone, those in zones}
    best = max(fitting.values(), default=0)
    assert found == (min(zone for zone, length in fitting.items() if length == best) if best else None)
