"""Rules of priced orders: what a customer owes for a delivery."""

from datetime import date
from typing import Any

from msgspec import Struct

from haulier.contexts.orders.delivery_orders.rules.lifecycle import OrderStatus


class OrderDue(Struct, frozen=True, kw_only=True):
    """Facts of an order that determine its charge."""

    id: int
    order_ref: str | None
    tracking_number: str
    status: int
    customer_id: int | None
    partner_offer_id: int | None
    price: dict[str, Any] | None
    recipient: str | None
    day: date | None
    """Day of the delivery in the business's time zone."""

    @property
    def due_minor(self) -> int:
        """Return what the customer owes in minor units, tax included.

        Zero for undelivered orders, and for orders without a customer, without a price, or of another business.
        """
        if self.status != OrderStatus.DELIVERED or self.customer_id is None or self.partner_offer_id is not None:
            return 0
        return int((self.price or {}).get("total") or 0)
