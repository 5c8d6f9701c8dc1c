"""A warehouse to try things in."""

from collections.abc import Mapping
from typing import Any

from tests.support.app import App


async def make_warehouse(app: App, code: str = "YYZ", **words: Any) -> int:
    """A warehouse; the id."""
    return (await app.answer("admin", "create_warehouse", {"code": code, "name": code, **words})).warehouse.id


async def some_locations(app: App, warehouse_id: int, *codes: str, **words: Any) -> list[int]:
    """Locations of a warehouse, in walking order; their ids."""
    locations = [{"code": code, "walk_order": at, **words} for at, code in enumerate(codes)]
    made = await app.answer("admin", "create_locations", {"warehouse_id": warehouse_id, "locations": locations})
    return [location.id for location in made.locations]


async def make_product(app: App, sku: str = "MUG", **words: Any) -> int:
    """A product; the id."""
    return (await app.answer("admin", "create_product", {"sku": sku, "name": sku, **words})).product.id


async def receive(app: App, location_id: int, quantity: int = 1, sku: str = "MUG", **words: Any) -> Any:
    """Pieces come to a location; the answer."""
    line = {"sku": sku, "quantity": quantity, "location_id": location_id, **words}
    return await app.answer("admin", "receive_stock", {"lines": [line]})


async def inventory(app: App, **wanted: Any) -> Mapping[str, tuple[int, int, int]]:
    """Return on-hand, reserved and available quantities of each product."""
    answer = await app.answer("admin", "get_inventory", wanted)
    return {item.sku: (item.on_hand, item.reserved, item.available) for item in answer.inventory}
