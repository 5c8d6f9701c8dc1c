"""A divided order with a backorder, for `business.py`."""

from typing import Any

from tests.support.app import App
from tests.support.transport import make_order


async def make_backorder(app: App, mark: str) -> dict[str, Any]:
    """Backorder one of two units of an order of the customer."""
    place = {"name": mark, "address": mark, "city": mark, "country": "CA", "lat": 43.65, "lng": -79.38}
    items = [{"description": mark, "quantity": 2}]
    order_id = await make_order(app, consignee=place, customer_id=app.ids["customer"], items=items)
    asked = {"order_id": order_id, "items": [{"number": 1, "quantity": 1}], "note": mark}
    made = (await app.answer("admin", "create_backorder", asked)).backorder
    return {"backorder_id": made.id}
