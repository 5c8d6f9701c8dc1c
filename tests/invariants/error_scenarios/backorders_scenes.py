"""Errors of backorders."""

from typing import Any

from tests.invariants.error_scenarios.runner import Attempts
from tests.support.app import App
from tests.support.transport import make_order, set_order

from haulier.contexts.orders.public import OrderStatus

ONE = [{"number": 1, "quantity": 1}]
MUGS = [{"description": "Mug", "quantity": 2}]


async def scene(app: App) -> dict[str, Any]:
    """Create divided orders, and orders that cannot be divided."""
    made: dict[str, Any] = {"plain": await make_order(app)}
    for name in ("gone", "held"):
        made[name] = await make_order(app, items=MUGS)
    await set_order(app, made["gone"], status=OrderStatus.OUT_FOR_DELIVERY.value)
    await set_order(app, made["held"], third_party_held=True)
    for name in ("cancelled", "shipped", "lent"):
        order_id = await make_order(app, items=MUGS)
        backorder = (await app.answer("admin", "create_backorder", {"order_id": order_id, "items": ONE})).backorder
        made[f"{name}_backorder"] = backorder.id
        if name == "cancelled":
            await app.answer("admin", "cancel_order", {"order_id": backorder.backorder_order_id}, confirmed=True)
        elif name == "shipped":
            await set_order(app, order_id, status=OrderStatus.OUT_FOR_DELIVERY.value)
        else:
            await set_order(app, order_id, third_party_held=True)
    return made


def attempts(ids: dict[str, Any]) -> Attempts:
    """Return an attempt for each error."""
    cancelled, shipped, lent = ({"backorder_id": ids[f"{name}_backorder"]} for name in ("cancelled", "shipped", "lent"))
    return {
        ("create_backorder", "NOTHING_TO_BACKORDER"): ("admin", {"order_id": ids["plain"]}),
        ("create_backorder", "ORDER_STEP_REFUSED"): ("admin", {"order_id": ids["gone"], "items": ONE}),
        ("create_backorder", "ORDER_NOT_DIVISIBLE"): ("admin", {"order_id": ids["held"], "items": ONE}),
        ("update_backorder", "BACKORDER_STEP_REFUSED"): ("admin", {**cancelled, "note": "Late"}),
        ("merge_backorder", "BACKORDER_STEP_REFUSED"): ("admin", cancelled),
        ("merge_backorder", "ORDER_STEP_REFUSED"): ("admin", shipped),
        ("merge_backorder", "ORDER_NOT_DIVISIBLE"): ("admin", lent),
    }
