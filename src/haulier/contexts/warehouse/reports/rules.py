"""Rules of ABC classes and stock age."""

from collections.abc import Iterator, Sequence
from enum import StrEnum

AGE_LIMITS_DAYS = (30, 60, 90, 180, 365)
"""Lower limits of stock ages in days, besides 0."""


class AbcMeasure(StrEnum):
    """Measures for ranking products."""

    MOVEMENTS = "movements"
    """Number of outgoing movements."""
    PIECES = "pieces"
    VALUE = "value"
    """Cost of the items that left."""


class AbcClass(StrEnum):
    """A product's class: few products of A make most of the whole."""

    A = "A"
    B = "B"
    C = "C"


def abc_classes(amounts: Sequence[int], a_percent: int, b_percent: int) -> Iterator[tuple[AbcClass, int]]:
    """Yield the class of each amount, largest first, and the cumulative sum.

    Amounts in the first `a_percent` of the total are A, those up to `b_percent` are B. An amount of 0 is C.
    """
    whole, before = sum(amounts), 0
    for amount in amounts:
        share = before * 100
        before += amount
        found = AbcClass.A if share < a_percent * whole else AbcClass.B if share < b_percent * whole else AbcClass.C
        yield (found if amount else AbcClass.C), before


def pieces_by_age(on_hand: int, came: Sequence[int]) -> list[int]:
    """Return items on hand by age range, youngest first.

    `came` has the items received in each period. First in, first out: the stock on hand came last.
    """
    left = max(0, on_hand)
    ages: list[int] = []
    for pieces in came:
        ages.append(min(left, max(0, pieces)))
        left -= ages[-1]
    return [*ages, left]
