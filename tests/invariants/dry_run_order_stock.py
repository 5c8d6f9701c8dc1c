"""Steps of the dry-run day about stock reserved for orders."""

from collections.abc import Iterator

from tests.invariants.dry_run_steps import THERE, Step, step


def order_stock_steps() -> Iterator[Step]:
    """Yield steps that reserve the items of an order and release them."""
    yield step("admin", "set_order_stock_policy", reserve="manual")
    items = [{"sku": "MUG", "quantity": 1}]
    yield step("admin", "create_order", {"with_items": "order.id"}, consignee=THERE, items=items)
    yield step("admin", "reserve_order_stock", order_id="$with_items")
    yield step("admin", "release_order_stock", order_id="$with_items")
    one = [{"number": 1, "quantity": 1}]
    yield step("admin", "create_order", {"divided": "order.id"}, consignee=THERE, items=[{"sku": "MUG", "quantity": 2}])
    yield step("admin", "create_backorder", {"backorder": "backorder.id"}, order_id="$divided", items=one)
    yield step("admin", "update_backorder", backorder_id="$backorder", note="Next week")
    yield step("admin", "merge_backorder", backorder_id="$backorder")
