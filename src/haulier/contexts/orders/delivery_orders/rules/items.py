"""Rules of delivery orders: lines."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError, OperationError

if TYPE_CHECKING:  # rules import no request types at run time
    from haulier.contexts.orders.delivery_orders.contract.items import OrderItem
    from haulier.contexts.orders.delivery_orders.contract.orders import CreateOrder, Package

ITEMS_MAX, QUANTITY_MAX = 200, 100_000
WEIGHT_MAX_G, VALUE_MAX_MINOR = 50_000_000, 10**12
SKU_MAX, DESCRIPTION_MAX, HS_CODE_MAX = 60, 200, 14


def find_item_error(request: "CreateOrder", items: Sequence["OrderItem"]) -> OperationError | None:
    currencies = [request.goods_currency, *(item.currency for item in items)]
    first = next(filter(None, currencies), None)
    for at, currency in enumerate(currencies[1:]):
        if currency is not None and currency != first:
            return INVALID_REQUEST.for_fields(FieldError(f"items.{at}.currency", "field.items_one_currency"))
    if (goods_weight(items) or 0) > WEIGHT_MAX_G:
        return INVALID_REQUEST.for_fields(FieldError("items", "field.items_too_heavy", {"most": WEIGHT_MAX_G}))
    if (goods_value(items) or 0) > VALUE_MAX_MINOR:
        return INVALID_REQUEST.for_fields(FieldError("items", "field.items_too_valuable", {"most": VALUE_MAX_MINOR}))
    return None


def goods_weight(items: Sequence["OrderItem"]) -> int | None:
    """Return the weight of all lines in grams, or None if it is unknown of any."""
    weights = [item.weight_g for item in items]
    if not items or None in weights:
        return None
    return sum(item.quantity * (item.weight_g or 0) for item in items)


def has_weight_of_items(order: "CreateOrder") -> bool:
    """Return True if the only package of an order has the weight of its lines."""
    return len(order.pieces) == 1 and order.pieces[0].weight_g == goods_weight(order.items)


def goods_value(items: Sequence["OrderItem"]) -> int | None:
    """Return the value of all lines in minor units, or None if it is unknown of any."""
    if not items or any(item.unit_price_minor is None for item in items):
        return None
    return sum(item.quantity * (item.unit_price_minor or 0) for item in items)


def weighed_packages(packages: Sequence["Package"], items: Sequence["OrderItem"]) -> list["Package"]:
    """Return the packages with weights.

    Those without a weight share the rest of the lines' weight equally, rounded up.
    """
    total = goods_weight(items)
    unweighed = sum(each.quantity for each in packages if "weight_g" not in each.model_fields_set)
    if not total or not unweighed:
        return list(packages)
    given = sum(each.quantity * each.weight_g for each in packages if "weight_g" in each.model_fields_set)
    share = -(-max(0, total - given) // unweighed)
    return [
        each if "weight_g" in each.model_fields_set else each.model_copy(update={"weight_g": share})
        for each in packages
    ]
