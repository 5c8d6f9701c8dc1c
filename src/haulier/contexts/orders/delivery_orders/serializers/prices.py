"""What a change does to the price of an order."""

from typing import Any

from msgspec import UNSET

from haulier.contexts.orders.delivery_orders.contract.orders import PriceChange


def price_change(before: dict[str, Any] | None, after: dict[str, Any] | None) -> PriceChange:
    """The totals of two prices, and their difference where both are known."""
    old, new = ((price or {}).get("total", UNSET) for price in (before, after))
    difference = UNSET if old is UNSET or new is UNSET else new - old
    return PriceChange(before=old, after=new, difference=difference)
