"""Rules of tax amounts, credit coverage, billing days and reminder dates."""

from datetime import date, timedelta
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from haulier.contexts.billing.invoices.rules import (
    DunningLevel,
    InvoicePeriod,
    covered_by_credit,
    document_number,
    email_due,
    next_billing_day,
)
from haulier.kernel.values.taxes import tax_within

AMOUNTS = st.integers(min_value=-(10**12), max_value=10**12)


@given(gross=AMOUNTS, rate=st.integers(min_value=0, max_value=10_000))
def test_tax_is_rounded_to_the_nearest_unit_and_reversed_by_the_same_amount(gross: int, rate: int) -> None:
    exact = Fraction(gross * rate, 10_000 + rate)
    assert abs(tax_within(gross, rate) - exact) <= Fraction(1, 2)
    assert tax_within(-gross, rate) == -tax_within(gross, rate)


@given(balance=AMOUNTS, open_minor=st.integers(min_value=0, max_value=10**12), total=st.integers(1, 10**12))
def test_credit_covers_at_most_the_invoice_and_leaves_reserved_funds(balance: int, open_minor: int, total: int) -> None:
    covered = covered_by_credit(balance + open_minor, total)
    assert 0 <= covered <= total
    assert covered <= max(0, balance + open_minor + total)


@pytest.mark.parametrize(
    ("period", "after", "day"),
    [
        (InvoicePeriod.MONTH, date(2026, 12, 31), date(2027, 1, 1)),
        (InvoicePeriod.MONTH, date(2026, 2, 1), date(2026, 3, 1)),
        (InvoicePeriod.WEEK, date(2026, 6, 10), date(2026, 6, 15)),
        (InvoicePeriod.WEEK, date(2026, 6, 15), date(2026, 6, 22)),
    ],
)
def test_the_next_billing_day_is_calculated(period: InvoicePeriod, after: date, day: date) -> None:
    assert next_billing_day(period, after) == day


def test_a_reminder_is_due_after_its_days_and_its_predecessor() -> None:
    levels = [DunningLevel(days_overdue=7), DunningLevel(days_overdue=14, fee_minor=5)]
    due = date(2026, 6, 1)
    asked = [(0, 6), (0, 7), (1, 13), (1, 14), (2, 99)]
    found = [email_due(levels, written, due, due + timedelta(days=days)) for written, days in asked]
    assert found == [None, levels[0], None, levels[1], None]


def test_an_invoice_number_has_its_minimum_length() -> None:
    assert [document_number("INV-", 17), document_number("", 12_345_678)] == ["INV-000017", "12345678"]
