"""Writes on the stock of orders: what the day makes of a product of its warehouse."""

from collections.abc import Iterator

from tests.invariants.dry_run_steps import THERE, Step, step


def order_stock_steps() -> Iterator[Step]:
    """Reserve the items of an order, and release them."""
    yield step("admin", "set_order_stock_policy", reserve="manual")
    items = [{"sku": "MUG", "quantity": 1}]
    yield step("admin", "create_order", {"with_items": "order.id"}, consignee=THERE, items=items)
    yield step("admin", "reserve_order_stock", order_id="$with_items")
    yield step("admin", "release_order_stock", order_id="$with_items")
