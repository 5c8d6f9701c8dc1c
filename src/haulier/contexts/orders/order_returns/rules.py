"""Rules of order returns: states, quantities and inspection."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any

from msgspec import Struct

from haulier.contexts.orders.delivery_orders.rules.lifecycle import OrderStatus
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError, declare_error

ORDER_RETURN_STEP_REFUSED = declare_error("order_return_step_refused", 409)
ORDER_RETURN_NOT_RECEIVED = declare_error("order_return_not_received", 409)
RETURN_QUANTITY_EXCEEDED = declare_error("return_quantity_exceeded", 409)
RETURN_REFUND_DECIDED = declare_error("return_refund_decided", 409)


class ReturnMethod(StrEnum):
    """Transport of returned goods."""

    CARRIER = "carrier"
    """By a parcel carrier, with a label bought for the return order."""
    OWN_FLEET = "own_fleet"
    """Picked up by a driver at the recipient's address."""
    LOCKER = "locker"
    """Dropped off by the recipient in a locker."""
    DROP_OFF = "drop_off"
    """Brought by the customer."""


class OrderReturnState(StrEnum):
    """State of a return."""

    OPEN = "open"
    INSPECTED = "inspected"
    CANCELLED = "cancelled"


class ReturnGrade(StrEnum):
    """Result of the inspection of returned units."""

    A_GRADE = "a_grade"
    """As new. Put back as good stock."""
    B_GRADE = "b_grade"
    """Used or opened. Put back as B-grade stock."""
    DAMAGED = "damaged"
    """Put back as damaged stock."""
    MISSING = "missing"
    """Not in the parcel."""


class RefundState(StrEnum):
    """State of a proposed refund."""

    PROPOSED = "proposed"
    APPROVED = "approved"
    REJECTED = "rejected"


class ReturnableItem(Struct, frozen=True, kw_only=True):
    """Item of an order that can come back, by its number from 1.

    An order without items has one, which counts its packages.
    """

    number: int
    sku: str | None
    description: str | None
    quantity: int


Quantities = Mapping[int, int]
"""Units by item number."""


def count_returned(returns: Iterable[Sequence[Mapping[str, Any]]]) -> Counter[int]:
    """Return the units of each item in the items of some returns."""
    counted: Counter[int] = Counter()
    for items in returns:
        for each in items:
            counted[each["number"]] += each["quantity"]
    return counted


def choose_returned(
    items: Sequence[ReturnableItem], before: Quantities, wanted: Sequence[tuple[int, int]]
) -> list[dict[str, Any]]:
    """Return the stored items of a new return; without wishes, all remaining units.

    Raises `INVALID_REQUEST` for an unknown or repeated item, `RETURN_QUANTITY_EXCEEDED` if fewer units remain.
    """
    known = {each.number: each for each in items}
    left = {number: each.quantity - before.get(number, 0) for number, each in known.items()}
    _require_known(known, [number for number, _ in wanted], "items")
    chosen = dict(wanted) or {number: units for number, units in left.items() if units > 0}
    if not chosen:
        raise RETURN_QUANTITY_EXCEEDED(item=items[0].number, left=0)
    for number, units in chosen.items():
        if units > left[number]:
            raise RETURN_QUANTITY_EXCEEDED(item=number, left=max(0, left[number]))
    return [
        {
            "number": number,
            "sku": known[number].sku,
            "description": known[number].description,
            "quantity": units,
        }
        for number, units in sorted(chosen.items())
    ]


def _require_known(known: Mapping[int, Any], numbers: Sequence[int], path: str, *, repeated: bool = False) -> None:
    faults = [
        FieldError(f"{path}.{at}.number", "field.no_such_item")
        for at, number in enumerate(numbers)
        if number not in known or (not repeated and number in numbers[:at])
    ]
    if faults:
        raise INVALID_REQUEST.for_fields(*faults)


def check_inspected(items: Sequence[Mapping[str, Any]], lines: Sequence[tuple[int, int]]) -> None:
    """Raise `INVALID_REQUEST` unless the inspected units are those of the return."""
    expected: dict[int, int] = {each["number"]: each["quantity"] for each in items}
    _require_known(expected, [number for number, _ in lines], "lines", repeated=True)
    found: Counter[int] = Counter()
    for number, units in lines:
        found[number] += units
    faults = [
        FieldError("lines", "field.inspected_quantity", {"item": number, "expected": units, "given": found[number]})
        for number, units in expected.items()
        if found[number] != units
    ]
    if faults:
        raise INVALID_REQUEST.for_fields(*faults)


_ARRIVED = frozenset({OrderStatus.DELIVERED, OrderStatus.RETURNED})


def is_received(return_order: OrderStatus | None, fulfilment: str | None) -> bool:
    """Return True if the goods of a return can be here.

    Goods brought by the customer always are. Parcels of a carrier can arrive before its last scan.
    """
    return return_order is None or return_order in _ARRIVED or fulfilment == ReturnMethod.CARRIER
