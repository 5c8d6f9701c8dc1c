"""Rules of sums: measures and dimensions."""

from collections import defaultdict
from collections.abc import Iterable
from datetime import date
from enum import StrEnum
from typing import Any

from msgspec import Struct, structs

NOBODY = 0
"""Stands for no customer, driver or contractor: a unique key has no nulls."""


class Measure(StrEnum):
    """Measures of sums."""

    ORDERS = "orders"
    """Orders by current status, on their counted day."""
    FAILURES = "failures"
    """Failed attempts by reason, on the day of the attempt. Later events do not change them."""
    RATINGS = "ratings"
    """Ratings of delivered orders by number of stars, which is their `status`, on the order's counted day."""
    PAY = "pay"
    """Earnings of drivers and contractors, on their day."""


class Dimension(StrEnum):
    """Dimensions of sums besides the day."""

    ALL = "all"
    CUSTOMER = "customer"
    DRIVER = "driver"
    CONTRACTOR = "contractor"
    HOUR = "hour"


class SumEntry(Struct, frozen=True, kw_only=True):
    """Contribution of one change; negative amounts subtract.

    `driver_id` is a driver's id, `hour_id` an hour of the day plus 1 (`hour_subject`).
    """

    measure: Measure
    day: date
    status: str = ""
    reason: str = ""
    customer_id: int = NOBODY
    driver_id: int = NOBODY
    contractor_id: int = NOBODY
    hour_id: int = NOBODY
    currency: str = ""
    count: int = 0
    judged: int = 0
    """Number of `count` with a promised time."""
    on_time: int = 0
    """Number of `judged` that were on time."""
    minor: int = 0


AMOUNTS = ("count", "judged", "on_time", "minor")
WORDS = tuple(name for name in SumEntry.__struct_fields__ if name not in AMOUNTS)
"""Fields that identify what is counted."""


class SumQuestion(Struct, frozen=True, kw_only=True):
    """Requested sums.

    `subject_id` is one customer, driver, contractor or hour of the dimension; None for all.
    """

    measures: tuple[Measure, ...]
    since: date
    until: date
    dimension: Dimension = Dimension.ALL
    subject_id: int | None = None
    per_day: bool = False
    """If true, a sum for each day instead of the whole period."""
    per_weekday: bool = False
    """If true, a sum for each weekday, whose `day` is the first of the period with entries."""
    status: str | None = None
    """Only entries with this status, or without one (pay has none)."""


def hour_subject(hour: int | None) -> int:
    """Return the subject of an hour of the day, which begins at 1 because 0 is none."""
    return NOBODY if hour is None else hour + 1


def combine_entries(entries: Iterable[SumEntry]) -> list[SumEntry]:
    """Return merged entries without empty ones, in a fixed order."""
    sums: defaultdict[tuple[Any, ...], list[int]] = defaultdict(lambda: [0] * len(AMOUNTS))
    for entry in entries:
        kept = sums[tuple(getattr(entry, name) for name in WORDS)]
        for place, name in enumerate(AMOUNTS):
            kept[place] += getattr(entry, name)
    return [
        SumEntry(**dict(zip(WORDS, words, strict=True)), **dict(zip(AMOUNTS, amounts, strict=True)))
        for words, amounts in sorted(sums.items())
        if any(amounts)
    ]


def withdrawn(entry: SumEntry) -> SumEntry:
    """Return an entry that reverses another."""
    return structs.replace(entry, **{name: -getattr(entry, name) for name in AMOUNTS})
