"""Rules of backorders: states and quantities."""

from collections.abc import Mapping, Sequence
from enum import StrEnum

from msgspec import Struct

from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError, declare_error

NOTHING_TO_BACKORDER = declare_error("nothing_to_backorder", 409)
BACKORDER_STEP_REFUSED = declare_error("backorder_step_refused", 409)
ORDER_NOT_DIVISIBLE = declare_error("order_not_divisible", 409)


class BackorderState(StrEnum):
    """State of a backorder."""

    WAITING = "waiting"
    RELEASED = "released"
    """Its stock is there, or staff released the order."""
    MERGED = "merged"
    """Its items are back in the original order."""
    CANCELLED = "cancelled"


class OrderLine(Struct, frozen=True, kw_only=True):
    """A line of an order, by its number from 1."""

    number: int
    product_id: int | None
    quantity: int


def choose_short(lines: Sequence[OrderLine], short: Mapping[int, int]) -> dict[int, int]:
    """Return the short units by line, the last lines first.

    Raises `NOTHING_TO_BACKORDER`.
    """
    left, taken = dict(short), dict[int, int]()
    for line in reversed(lines):
        if units := min(line.quantity, left.get(line.product_id or 0, 0)):
            taken[line.number] = units
            left[line.product_id or 0] -= units
    if not taken:
        raise NOTHING_TO_BACKORDER()
    return taken


def choose_wanted(lines: Sequence[OrderLine], wanted: Sequence[tuple[int, int]]) -> dict[int, int]:
    """Return the named units by line.

    Raises `INVALID_REQUEST` for an unknown or repeated line, or more units than it has.
    """
    known = {line.number: line.quantity for line in lines}
    named = [number for number, _ in wanted]
    faults = [
        FieldError(f"items.{at}.number", "field.no_such_item")
        for at, number in enumerate(named)
        if number not in known or number in named[:at]
    ]
    faults += [
        FieldError(f"items.{at}.quantity", "field.item_has_fewer", {"most": known[number]})
        for at, (number, units) in enumerate(wanted)
        if units > known.get(number, units)
    ]
    if faults:
        raise INVALID_REQUEST.for_fields(*faults)
    return dict(wanted)


def is_whole(lines: Sequence[OrderLine], taken: Mapping[int, int]) -> bool:
    """Return True if all units of all lines are taken."""
    return all(taken.get(line.number, 0) == line.quantity for line in lines)
