"""Steps of the dry-run day about device orders, activation and returns."""

from collections.abc import Iterator
from typing import Any

from tests.contexts.lockers.examples import SCANNER, SCANNERS, WORKSHOP
from tests.invariants.dry_run_steps import Step, step

DEVICES = [{"product_code": "scanner-2d", "serial": serial} for serial in ("DRY-A", "DRY-B")]


def device_order_steps() -> Iterator[Step]:
    """Yield steps about a cancelled device order, and one that is partly returned."""
    yield step("admin", "set_device_product", **SCANNER | {"price_minor": 900})
    yield step("admin", "adjust_device_stock", product_code="scanner-2d", change=9, reason="Delivery 17")
    asked: dict[str, Any] = {"items": SCANNERS, "consignee": WORKSHOP, "note": "Ring twice"}
    for name in ("called off", "bought"):
        yield step("customer", "create_device_order", {name: "device_order.id"}, **asked)
        yield step("customer", "update_device_order", device_order_id=f"${name}", note="Ring once")
        yield step("customer", "confirm_device_order", device_order_id=f"${name}")
        yield step("customer", "pay_device_order", device_order_id=f"${name}")
    yield step("customer", "cancel_device_order", device_order_id="$called off")
    named: dict[str, Any] = {"device_order_id": "$bought"}
    yield step("admin", "ship_device_order", **named, devices=DEVICES, tracking_number="1Z999")
    yield step("admin", "deliver_device_order", **named)
    yield step("customer", "activate_ordered_device", **named, serial="DRY-A")
    for name, serial in (("stays", "DRY-A"), ("goes", "DRY-B")):
        why: dict[str, Any] = {"serials": [serial], "reason": "defective", "note": "The trigger is stuck"}
        yield step("customer", "request_device_return", {name: "device_return.id"}, **named, **why)
    yield step("customer", "cancel_device_return", device_return_id="$stays")
    yield step("admin", "receive_device_return", device_return_id="$goes", restock=True)
    yield step("admin", "settle_device_return", device_return_id="$goes", outcome="refund")
