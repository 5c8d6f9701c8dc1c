"""Errors of shipping orders: areas, expired quotes, and paid or completed orders."""

from typing import Any

from tests.contexts.billing.ledger.makers import some_credit
from tests.contexts.billing.services.makers import make_service
from tests.contexts.shipping.shipping_orders.makers import ORDER, PRICE, make_order
from tests.invariants.error_scenarios.runner import Attempts
from tests.invariants.error_scenarios.services_scenes import FAR
from tests.support.app import App

NEAR = {"lat": 43.65, "lng": -79.38}
OTHER_SIDE = {"lat": -43.65, "lng": 100.62}


async def scene(app: App) -> dict[str, Any]:
    """Create expired and used quotes, and paid, cancelled, hidden and costly orders."""
    await make_service(app)
    await make_service(app, "pallet", "ltl")
    await make_service(app, "far", pricing=FAR, form=[])
    asked = {"service_code": "same-day", "consignee": {"country": "CA", "postal_code": "M5H 2N2"}}
    quoted = {**asked, "packages": ORDER["packages"], "values": ORDER["values"]}
    over = (await app.answer("customer", "estimate_shipping_order", quoted)).quote_id
    app.clock.forward(hours=25)
    quotes = [(await app.answer("customer", "estimate_shipping_order", quoted)).quote_id for _ in range(2)]
    await make_order(app, quote_id=quotes[0])
    await some_credit(app, PRICE)
    paid = (await make_order(app, order_ref="taken")).id
    await app.answer("customer", "pay_shipping_order", {"shipping_order_id": paid})
    cancelled = (await make_order(app)).id
    await app.answer("customer", "cancel_shipping_order", {"shipping_order_id": cancelled})
    hidden = (await make_order(app, "customer2", service_code="pallet")).id
    families = {"customer_id": app.ids["customer2"], "hidden": ["ltl_service"]}
    await app.answer("admin", "set_price_visibility", families)
    poor = (await make_order(app)).id
    return {
        "over": over, "taken": quotes[0], "open": quotes[1], "paid": paid, "cancelled": cancelled, "hidden": hidden,
        "poor": poor,
    }  # fmt: skip


def attempts(ids: dict[str, Any]) -> Attempts:
    """Return an attempt for each error."""
    near = {"name": "Ada", "address": "1 Main", "city": "Toronto", "country": "CA", **NEAR}
    abroad = {"service_code": "far", "consignee": {**near, "country": "US"}, "shipper": near}
    dear = {"service_code": "far", "consignee": near, "shipper": {**near, **OTHER_SIDE}}
    gone = {"shipping_order_id": ids["cancelled"]}
    refused = "SHIPPING_ORDER_STEP_REFUSED"
    return {
        ("estimate_shipping_order", "SERVICE_OUT_OF_AREA"): ("customer", abroad),
        ("estimate_shipping_order", "SERVICE_PRICE_OUT_OF_RANGE"): ("customer", dear),
        ("create_shipping_order", "SERVICE_OUT_OF_AREA"): ("customer", abroad),
        ("create_shipping_order", "SERVICE_PRICE_OUT_OF_RANGE"): ("customer", dear),
        ("create_shipping_order", "SERVICE_QUOTE_EXPIRED"): ("customer", {**ORDER, "quote_id": ids["over"]}),
        ("create_shipping_order", "SERVICE_QUOTE_TAKEN"): ("customer", {**ORDER, "quote_id": ids["taken"]}),
        ("create_shipping_order", "SHIPPING_ORDER_REF_TAKEN"): (
            "customer",
            {**ORDER, "order_ref": "taken", "note": "x"},
        ),
        ("create_shipping_order", "SHIPPING_ORDER_QUOTE_MISMATCH"): (
            "customer",
            {**ORDER, "quote_id": ids["open"], "packages": [{}]},
        ),
        ("pay_shipping_order", "PRICE_HIDDEN_SETTLE_OFFLINE"): ("customer2", {"shipping_order_id": ids["hidden"]}),
        ("pay_shipping_order", "SHIPPING_ORDER_PAID"): ("customer", {"shipping_order_id": ids["paid"]}),
        ("pay_shipping_order", "CREDIT_INSUFFICIENT"): ("customer", {"shipping_order_id": ids["poor"]}),
        ("pay_shipping_order", refused): ("customer", gone),
        ("cancel_shipping_order", refused): ("customer", gone),
        ("confirm_shipping_order", refused): ("admin", gone),
        ("move_shipping_order", refused): ("admin", {**gone, "state": "completed"}),
        ("cancel_customers_shipping_order", refused): ("admin", gone),
    }
