"""Ages of open invoices."""

from datetime import date, timedelta

from msgspec import Struct

AGE_DAYS = 30
"""Length of an age bracket of open invoices in days."""
AGES = ("not_due", "days_1_30", "days_31_60", "days_61_90", "days_over_90")


class AgeBracket(Struct, frozen=True):
    """Open invoices due within a span of days. None is without limit."""

    name: str
    due_from: date | None
    due_to: date | None


def age_brackets(today: date) -> list[AgeBracket]:
    """Return the age brackets on a day, which hold every due date once."""
    starts = [today - timedelta(days=AGE_DAYS * step) for step in range(len(AGES) - 1)]
    ends = [start - timedelta(days=1) for start in starts]
    return [AgeBracket(name, start, end) for name, start, end in zip(AGES, [*starts, None], [None, *ends], strict=True)]
