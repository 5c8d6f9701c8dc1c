"""Rules of priced orders: what a customer owes for a delivery."""

from datetime import date
from typing import Any

from msgspec import Struct

from haulier.contexts.orders.delivery_orders.rules.lifecycle import TERMINAL_STATUSES, OrderStatus


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

    def due_minor(self, *, at_creation: bool) -> int:
        """Return what the customer owes in minor units, tax included.

        Orders are due once delivered, or with `at_creation` until they end undelivered. Zero for orders without a
        customer, without a price, or of another business.
        """
        is_due = self.status == OrderStatus.DELIVERED or (at_creation and self.status not in TERMINAL_STATUSES)
        if not is_due or self.customer_id is None or self.partner_offer_id is not None:
            return 0
        return int((self.price or {}).get("total") or 0)
