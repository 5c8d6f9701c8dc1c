"""Rules of cash on delivery.

For each order: due = collected + written off + open. For each driver: cash collected + difference = handed in +
balance. An entry is never changed; a wrong one is reversed by another with the opposite amount.
"""

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from typing import Protocol

from msgspec import Struct

from haulier.kernel.operations.errors import FieldError, declare_error
from haulier.kernel.values.inverses import Inverse, RevertedBy
from haulier.kernel.values.money import Money

COD_NOTHING_OPEN = declare_error("cod_nothing_open", 409)
COD_TOO_MUCH = declare_error("cod_too_much", 409)
COD_NOT_REVERSIBLE = declare_error("cod_not_reversible", 409)
HAND_IN_NEEDS_REASON = declare_error("hand_in_needs_reason", 422, fields=("reason",))


class CodMethod(StrEnum):
    """Payment method."""

    CASH = "cash"
    CARD = "card"
    OTHER = "other"


class CodEntryKind(StrEnum):
    """Kind of entry. `difference` is the surplus of a count over the expected balance."""

    DUE = "due"
    COLLECTED = "collected"
    WRITTEN_OFF = "written_off"
    HANDED_IN = "handed_in"
    DIFFERENCE = "difference"


OF_ORDER = frozenset({CodEntryKind.DUE, CodEntryKind.COLLECTED, CodEntryKind.WRITTEN_OFF})
"""Entries about the debt of an order. All others are about a driver's cash."""
REVERSIBLE = frozenset(
    {CodEntryKind.COLLECTED, CodEntryKind.WRITTEN_OFF, CodEntryKind.HANDED_IN, CodEntryKind.DIFFERENCE}
)

COD_INVERSES: dict[CodEntryKind, Inverse] = {
    CodEntryKind.DUE: RevertedBy("undo_delivery"),
    **dict.fromkeys(sorted(REVERSIBLE), RevertedBy("reverse_cod_entry")),
}
"""The inverse of each kind of entry. The amount due follows from the delivery."""


class AmountOfKind(Protocol):
    """Fields of an entry that sums need."""

    @property
    def kind(self) -> str: ...
    @property
    def amount_minor(self) -> int: ...


class CodPosition(Struct, frozen=True, kw_only=True):
    """Sums of an order's entries in minor units."""

    due: int = 0
    collected: int = 0
    written_off: int = 0

    @property
    def open(self) -> int:
        """Return the amount that is still open."""
        return self.due - self.collected - self.written_off


class CodPart(Struct, frozen=True, kw_only=True):
    """Part of an amount collected on delivery."""

    method: CodMethod
    amount_minor: int


def add_up(entries: Iterable[AmountOfKind]) -> CodPosition:
    """Return the position of an order."""
    sums = dict.fromkeys(CodEntryKind, 0)
    for entry in entries:
        sums[CodEntryKind(entry.kind)] += entry.amount_minor
    return CodPosition(
        due=sums[CodEntryKind.DUE],
        collected=sums[CodEntryKind.COLLECTED],
        written_off=sums[CodEntryKind.WRITTEN_OFF],
    )


def interface_faults(due: Money | None, parts: Sequence[CodPart], reason: str | None) -> Iterator[FieldError]:
    """Yield the validation errors of an amount collected on delivery.

    `due` is the amount to collect, None if nothing is due.
    """
    taken = sum(part.amount_minor for part in parts)
    if due is None:
        if parts:
            yield FieldError("cod", "field.cod_not_due")
    elif taken > due.minor:
        yield FieldError("cod", "field.cod_over", {"due": str(due)})
    elif not parts and not reason:
        yield FieldError("cod", "field.cod_needed", {"due": str(due)})
    elif taken < due.minor and not reason:
        yield FieldError("cod_reason", "field.cod_reason_needed", {"due": str(due)})


class CountedCash(Struct, frozen=True, kw_only=True):
    """Entries that a count of a driver's cash leads to."""

    handed_in: int
    difference: int


def count_cash(expected_minor: int, counted_minor: int, *, settles: bool) -> CountedCash:
    """Return the entries of a count.

    If the count settles the balance, a surplus or shortage becomes a difference.
    """
    return CountedCash(handed_in=counted_minor, difference=counted_minor - expected_minor if settles else 0)
