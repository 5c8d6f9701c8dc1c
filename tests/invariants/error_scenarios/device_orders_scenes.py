"""Errors of device orders: late, large, expensive or distant orders, and returns."""

from typing import Any

from tests.contexts.lockers.device_makers import (
    confirmed,
    drafted,
    make_catalogue,
    named,
    paid,
    received,
    returning,
    serials,
    shipped,
)
from tests.contexts.lockers.examples import SCANNERS, WORKSHOP
from tests.contexts.lockers.makers import make_device
from tests.invariants.error_scenarios.runner import Attempts
from tests.support.app import App


async def scene(app: App) -> dict[str, Any]:
    """Create orders in each status, for customers without credit and without prices."""
    await make_catalogue(app, stock=30)
    old = await drafted(app)
    app.clock.forward(days=8)
    draft, many = await drafted(app), await drafted(app, 50)
    ready, sent = await paid(app), await shipped(app, 5)
    numbers = serials(sent.id, 5)
    asked, here = await returning(app, sent.id, numbers[:1]), await received(app, sent.id, numbers[1:2])
    device = {"device_order_id": sent.id, "serial": numbers[2]}
    handed = await app.answer("customer", "activate_ordered_device", device)
    await app.answer(None, "register_device", {"code": handed.code, "serial": numbers[2]})
    await make_device(app, "TAKEN")
    hidden = {"customer_id": app.ids["customer2"], "hidden": ["device_orders"]}
    await app.answer("admin", "set_price_visibility", hidden)
    unseen = await confirmed(app, 1, "customer2")
    gone = await received(app, sent.id, numbers[3:5])
    waiting = await confirmed(app)
    left = (await app.answer("admin", "get_device_product", {"product_code": "scanner-2d"})).product.stock
    await app.answer("admin", "adjust_device_stock", {"product_code": "scanner-2d", "change": 1 - left})
    return {
        "old_draft": old.id,
        "draft_devices": draft.id,
        "many_devices": many.id,
        "ready_devices": ready.id,
        "sent_devices": sent.id,
        "unseen_devices": unseen.id,
        "waiting_devices": waiting.id,
        "asked_return": asked.id,
        "here_return": here.id,
        "gone_return": gone.id,
        "employee_id": app.ids["employee"],
        "out_serial": numbers[2],
    }


def attempts(ids: dict[str, Any]) -> Attempts:
    """Return an attempt for each error."""
    draft, sent = {"device_order_id": ids["draft_devices"]}, {"device_order_id": ids["sent_devices"]}
    ready, tracked = {"device_order_id": ids["ready_devices"]}, {"tracking_number": "1Z"}
    here, asked = {"device_return_id": ids["here_return"]}, {"device_return_id": ids["asked_return"]}
    gone = {"device_return_id": ids["gone_return"]}
    anew = {**here, "outcome": "replacement"}
    back = {"serials": [ids["out_serial"]], "reason": "other"}
    two, wanted = named(["N-1", "N-2"]), {"items": SCANNERS, "consignee": WORKSHOP}
    refused = "DEVICE_ORDER_STEP_REFUSED"
    return {
        ("adjust_device_stock", "DEVICE_STOCK_REFUSED"): ("admin", {"product_code": "scanner-2d", "change": -2}),
        ("create_device_order", "NOT_A_CUSTOMER"): ("admin", {**wanted, "customer_id": ids["employee_id"]}),
        ("update_device_order", refused): ("customer", {**sent, "note": "-"}),
        ("confirm_device_order", refused): ("customer", sent),
        ("confirm_device_order", "DEVICE_PRICES_EXPIRED"): ("customer", {"device_order_id": ids["old_draft"]}),
        ("confirm_device_order", "DEVICE_OUT_OF_STOCK"): ("customer", {"device_order_id": ids["many_devices"]}),
        ("pay_device_order", refused): ("customer", draft),
        ("pay_device_order", "PRICE_HIDDEN_SETTLE_OFFLINE"): ("customer2", {"device_order_id": ids["unseen_devices"]}),
        ("pay_device_order", "CREDIT_INSUFFICIENT"): ("customer", {"device_order_id": ids["waiting_devices"]}),
        ("cancel_device_order", refused): ("customer", sent),
        ("ship_device_order", refused): ("admin", {**draft, **tracked, "devices": two}),
        ("ship_device_order", "DEVICE_SERIALS_MISMATCH"): ("admin", {**ready, **tracked, "devices": two[:1]}),
        ("ship_device_order", "DEVICE_SERIAL_TAKEN"): (
            "admin",
            {**ready, **tracked, "devices": named(["N-1", "TAKEN"])},
        ),
        ("deliver_device_order", refused): ("admin", draft),
        ("activate_ordered_device", refused): ("customer", {**draft, "serial": "N-1"}),
        ("activate_ordered_device", "DEVICE_NOT_USABLE"): ("customer", {**sent, "serial": ids["out_serial"]}),
        ("request_device_return", refused): ("customer", {**draft, **back}),
        ("request_device_return", "DEVICE_NOT_RETURNABLE"): ("customer", {**sent, **back, "serials": ["N-1"]}),
        ("cancel_device_return", "DEVICE_RETURN_STEP_REFUSED"): ("customer", here),
        ("receive_device_return", "DEVICE_RETURN_STEP_REFUSED"): ("admin", here),
        ("settle_device_return", "DEVICE_RETURN_STEP_REFUSED"): ("admin", {**asked, "outcome": "refund"}),
        ("settle_device_return", "DEVICE_REFUND_TOO_MUCH"): (
            "admin",
            {**here, "outcome": "refund", "amount_minor": 10**8},
        ),
        ("settle_device_return", "DEVICE_SERIALS_MISMATCH"): ("admin", {**anew, "devices": two}),
        ("settle_device_return", "DEVICE_OUT_OF_STOCK"): ("admin", {**anew, **gone, "devices": two}),
        ("settle_device_return", "DEVICE_SERIAL_TAKEN"): ("admin", {**anew, "devices": named(["TAKEN"])}),
    }
