"""What is summed up, and by what."""

from collections import defaultdict
from collections.abc import Iterable
from datetime import date
from enum import StrEnum
from typing import Any

from msgspec import Struct, structs

NOBODY = 0
"""Stands for no customer, driver or contractor: what is unique holds no nulls."""


class Measure(StrEnum):
    """What is counted."""

    ORDERS = "orders"
    """Orders by the status they have, on the day they count for."""
    FAILURES = "failures"
    """Failed attempts by their reason, on the day of the attempt. Nothing that happens later takes one back."""
    PAY = "pay"
    """What drivers and contractors earned, on the day it belongs to."""


class Dimension(StrEnum):
    """By what sums are kept, besides the day."""

    ALL = "all"
    CUSTOMER = "customer"
    DRIVER = "driver"
    CONTRACTOR = "contractor"


class SumEntry(Struct, frozen=True, kw_only=True):
    """What one change adds to the sums; what it takes away has amounts below zero. `driver_id` is a driver's id."""

    measure: Measure
    day: date
    status: str = ""
    reason: str = ""
    customer_id: int = NOBODY
    driver_id: int = NOBODY
    contractor_id: int = NOBODY
    currency: str = ""
    count: int = 0
    judged: int = 0
    """How many of `count` had a promised time."""
    on_time: int = 0
    """How many of `judged` kept it."""
    minor: int = 0


AMOUNTS = ("count", "judged", "on_time", "minor")
WORDS = tuple(name for name in SumEntry.__struct_fields__ if name not in AMOUNTS)
"""The fields that say what is counted."""


class SumQuestion(Struct, frozen=True, kw_only=True):
    """Which sums are asked for. `subject_id` is one customer, driver or contractor of the dimension; None for all."""

    measures: tuple[Measure, ...]
    since: date
    until: date
    dimension: Dimension = Dimension.ALL
    subject_id: int | None = None
    per_day: bool = False
    """A sum for each day, instead of one for the whole period."""
    status: str | None = None
    """Only what was counted under this status, or without any (what was paid has none)."""


def combine_entries(entries: Iterable[SumEntry]) -> list[SumEntry]:
    """Entries of the same words added up, without those that come to nothing; in a settled order."""
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
    """An entry that takes another one back."""
    return structs.replace(entry, **{name: -getattr(entry, name) for name in AMOUNTS})
