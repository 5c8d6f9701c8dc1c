"""Services that can be ordered, and orders of them."""

from typing import Any

from tests.contexts.billing.services.makers import make_service
from tests.contexts.shipping.shipping_orders.examples import HOME
from tests.support.app import App

TWO = [{"weight_g": 2000, "quantity": 2}]
ORDER: dict[str, Any] = {"service_code": "same-day", "consignee": HOME, "packages": TWO, "values": {"lift": True}}
PRICE = 1831
"""Price of `ORDER` at the prices of `make_service`, with tax."""


async def make_order(app: App, who: str = "customer", **said: Any) -> Any:
    """Create a shipping order as its customer sees it, and the service if missing."""
    if (await app.answer("admin", "list_services")).total == 0:
        await make_service(app)
    return (await app.answer(who, "create_shipping_order", {**ORDER, **said})).shipping_order


async def shown(app: App, order: Any, who: str = "customer") -> Any:
    """A shipping order as it is now."""
    name = "get_shipping_order" if who.startswith("customer") else "get_customers_shipping_order"
    return (await app.answer(who, name, {"shipping_order_id": order.id})).shipping_order
