"""Amounts are rounded to the nearest minor unit, halves away from zero."""

from decimal import ROUND_HALF_UP, Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from haulier.kernel.values.rounding import divide_half_up, share_of

INTEGERS = st.integers(-(10**12), 10**12)


@given(INTEGERS, INTEGERS.filter(bool))
def test_a_quotient_equals_the_decimal_one_rounded_half_up(numerator: int, denominator: int) -> None:
    exact = (Decimal(numerator) / Decimal(denominator)).quantize(Decimal(1), ROUND_HALF_UP)
    assert divide_half_up(numerator, denominator) == exact


def test_halves_are_rounded_away_from_zero() -> None:
    assert [divide_half_up(n, 10) for n in (4, 5, 14, 15, 0, -4, -5)] == [0, 1, 1, 2, 0, 0, -1]


def test_a_share_is_in_hundredths_of_a_percent() -> None:
    assert [share_of(799, 1300), share_of(-799, 1300), share_of(10, 500)] == [104, -104, 1]


def test_a_quotient_requires_a_denominator() -> None:
    with pytest.raises(ZeroDivisionError):
        divide_half_up(1, 0)
