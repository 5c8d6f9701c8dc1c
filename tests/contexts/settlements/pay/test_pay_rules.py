"""Selection of pay rates, and their amounts."""

from datetime import date

from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct

from haulier.contexts.settlements.pay.rules import find_rate, pay_for_distance, week_of

JUNE = [date(2026, 6, day) for day in range(1, 31)]


class Rate(Struct, frozen=True):
    id: int
    payee_id: int | None
    valid_from: date
    valid_to: date | None = None


def held_by(rates: list[Rate], day: date) -> int | None:
    rate = find_rate(rates, 7, day)
    return rate and rate.id


def test_an_individual_rate_takes_precedence_over_the_general_one() -> None:
    rates = [Rate(1, None, JUNE[9]), Rate(2, 7, JUNE[0]), Rate(3, 8, JUNE[0])]
    assert held_by(rates, JUNE[20]) == 2


def test_the_latest_started_rate_applies_until_it_ends() -> None:
    rates = [Rate(1, 7, JUNE[0]), Rate(2, 7, JUNE[9], JUNE[14]), Rate(3, None, JUNE[0])]
    assert [held_by(rates, JUNE[day]) for day in (0, 8, 9, 14, 15)] == [1, 1, 2, 2, 1]
    assert held_by([Rate(4, 7, JUNE[9])], JUNE[0]) is None


@given(metres=st.integers(0, 10**7), per_km=st.integers(0, 10**6))
def test_kilometres_are_paid_rounded_to_the_minor_unit(metres: int, per_km: int) -> None:
    assert abs(pay_for_distance(metres, per_km) * 1000 - metres * per_km) * 2 <= 1000


def test_a_week_runs_from_monday_to_sunday() -> None:
    assert {week_of(day) for day in JUNE[7:14]} == {(date(2026, 6, 8), date(2026, 6, 14))}
