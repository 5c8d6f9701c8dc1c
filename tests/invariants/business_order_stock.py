"""Stock reserved for an order, for `business.py`."""

from typing import Any

from tests.support.app import App


async def make_order_with_stock(app: App, order: dict[str, Any]) -> dict[str, Any]:
    """Reserve a product of the warehouse for a new order."""
    order_id = (await app.answer("admin", "create_order", {**order, "items": [{"sku": "CUP"}]})).order.id
    await app.answer("admin", "reserve_order_stock", {"order_id": order_id})
    await app.answer("admin", "set_order_stock_policy", {"reserve": "manual"})
    return {}
