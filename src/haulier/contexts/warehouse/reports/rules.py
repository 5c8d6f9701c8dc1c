"""Which class a product is in, and how old its pieces are."""

from collections.abc import Iterator, Sequence
from enum import StrEnum

AGE_LIMITS_DAYS = (30, 60, 90, 180, 365)
"""Ages of stock begin at these days, and at none."""


class AbcMeasure(StrEnum):
    """What products are ranked by."""

    MOVEMENTS = "movements"
    """How often something of it left."""
    PIECES = "pieces"
    VALUE = "value"
    """What the pieces that left cost."""


class AbcClass(StrEnum):
    """A product's class: few products of A make most of the whole."""

    A = "A"
    B = "B"
    C = "C"


def abc_classes(amounts: Sequence[int], a_percent: int, b_percent: int) -> Iterator[tuple[AbcClass, int]]:
    """The class of each amount, the largest first, and the sum up to it and with it.

    Those that make up the first `a_percent` of the whole are A, those up to `b_percent` are B. Nothing is C.
    """
    whole, before = sum(amounts), 0
    for amount in amounts:
        share = before * 100
        before += amount
        found = AbcClass.A if share < a_percent * whole else AbcClass.B if share < b_percent * whole else AbcClass.C
        yield (found if amount else AbcClass.C), before


def pieces_by_age(on_hand: int, came: Sequence[int]) -> list[int]:
    """How many of the pieces that are there came in which period, the youngest first, and how many before all of them.

    `came` is what came in each period. What came first leaves first, so what is there is what came last.
    """
    left = max(0, on_hand)
    ages: list[int] = []
    for pieces in came:
        ages.append(min(left, max(0, pieces)))
        left -= ages[-1]
    return [*ages, left]
