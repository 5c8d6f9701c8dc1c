"""Rules of delivery orders: lines."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError, OperationError

if TYPE_CHECKING:  # rules import no request types at run time
    from haulier.contexts.orders.delivery_orders.contract.orders import CreateOrder, Package

ITEMS_MAX, QUANTITY_MAX = 200, 100_000
WEIGHT_MAX_G, VALUE_MAX_MINOR = 50_000_000, 10**12
SKU_MAX, DESCRIPTION_MAX, HS_CODE_MAX = 60, 200, 14
Line = Mapping[str, Any]
"""A line by the names of its columns."""


def find_item_error(currency: str | None, lines: Sequence[Line]) -> OperationError | None:
    """Return the error of lines that do not fit, or None.

    `currency` is that of the given goods value.
    """
    first = currency
    for at, line in enumerate(lines):
        if line["sku"] is None and line["description"] is None:
            return INVALID_REQUEST.for_fields(FieldError(f"items.{at}", "field.item_unnamed"))
        first = first or line["currency"]
        if line["currency"] not in (None, first):
            return INVALID_REQUEST.for_fields(FieldError(f"items.{at}.currency", "field.items_one_currency"))
    if (goods_weight(lines) or 0) > WEIGHT_MAX_G:
        return INVALID_REQUEST.for_fields(FieldError("items", "field.items_too_heavy", {"most": WEIGHT_MAX_G}))
    if (goods_value(lines) or 0) > VALUE_MAX_MINOR:
        return INVALID_REQUEST.for_fields(FieldError("items", "field.items_too_valuable", {"most": VALUE_MAX_MINOR}))
    return None


def goods_weight(lines: Sequence[Line]) -> int | None:
    """Return the weight of all lines in grams, or None if it is unknown of any."""
    return _sum(lines, "weight_g")


def goods_value(lines: Sequence[Line]) -> int | None:
    """Return the value of all lines in minor units, or None if it is unknown of any."""
    return _sum(lines, "unit_price_minor")


def _sum(lines: Sequence[Line], of_unit: str) -> int | None:
    total = 0
    for line in lines:
        if line[of_unit] is None:
            return None
        total += line["quantity"] * line[of_unit]
    return total if lines else None


def has_weight_of_items(order: "CreateOrder") -> bool:
    """Return True if the only package of an order has the weight of its lines."""
    return len(order.pieces) == 1 and order.pieces[0].weight_g == goods_weight([vars(item) for item in order.items])


def weighed_packages(packages: Sequence["Package"], lines: Sequence[Line]) -> list["Package"]:
    """Return the packages with weights.

    Those without a weight share the rest of the lines' weight equally, rounded up.
    """
    total = goods_weight(lines)
    unweighed = sum(each.quantity for each in packages if "weight_g" not in each.model_fields_set)
    if not total or not unweighed:
        return list(packages)
    given = sum(each.quantity * each.weight_g for each in packages if "weight_g" in each.model_fields_set)
    share = -(-max(0, total - given) // unweighed)
    return [
        each if "weight_g" in each.model_fields_set else each.model_copy(update={"weight_g": share})
        for each in packages
    ]
