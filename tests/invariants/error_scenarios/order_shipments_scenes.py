"""Errors of shipping orders with carriers."""

from typing import Any

from tests.contexts.shipping.examples import ADA, HERE, SHIPMENT
from tests.invariants.error_scenarios.runner import Attempts
from tests.support.app import App


async def scene(app: App) -> dict[str, Any]:
    """Create a carrier account, an expired rate, and orders that cannot be shipped."""
    house = {"carrier": "HOUSE", "name": "Van", "sender": HERE}
    van = (await app.answer("admin", "open_carrier_account", house)).account.id
    expired = (await app.answer("admin", "get_shipping_rate", SHIPMENT)).rates[0].rate_id
    app.clock.forward(hours=2)
    other = (await app.answer("admin", "get_shipping_rate", SHIPMENT)).rates[0].rate_id
    label = {"shipment": SHIPMENT, "service": "ground", "account_id": van, "order_ref": "taken"}
    await app.answer("admin", "create_shipping_label", label)
    orders = {
        name: await _make_order(app, **values)
        for name, values in {
            "free": {},
            "shipped": {},
            "over": {},
            "held": {},
            "routed": {},
            "given": {},
            "collected": {},
            "taken": {"order_ref": "taken"},
            "reviewed": {"order_ref": "REVIEW-1", "consignee": {**ADA, "country": "FR"}},
            "poor": {"customer_id": app.ids["customer"]},
        }.items()
    }
    await app.answer("admin", "ship_order", {"order_id": orders["shipped"]})
    await app.answer("admin", "cancel_order", {"order_id": orders["over"]}, confirmed=True)
    await app.answer("admin", "hold_order", {"order_id": orders["held"]}, confirmed=True)
    place = {"name": "Depot", "address": "1 Bay St", "lat": 43.6, "lng": -79.3}
    depot = (await app.answer("admin", "create_depot", place)).depot
    route = (await app.answer("admin", "create_route", {"day": "2026-06-10", "depot_id": depot.id, "name": "R"})).route
    await app.answer("admin", "add_orders_to_route", {"route_id": route.id, "order_ids": [orders["routed"]]})
    at_depot = {"order_id": orders["collected"], "depot_id": depot.id}
    await app.answer("admin", "switch_order_to_pickup", at_depot)
    given = {"order_ids": [orders["given"]], "broker_id": app.ids["contractor"]}
    await app.answer("admin", "assign_orders_to_broker", given)
    rule = {"name": "Review", "conditions": {"countries": ["FR"]}, "outcome": {"hold_reason": "Check the address"}}
    await app.answer("admin", "create_shipping_rule", rule)
    return {**orders, "expired": expired, "other": other}


async def _make_order(app: App, **values: Any) -> int:
    return (await app.answer("admin", "create_order", {"consignee": ADA, **values})).order.id


def attempts(ids: dict[str, Any]) -> Attempts:
    """Return an attempt for each error."""
    refused = {
        "NOT_FOUND": 999_999,
        "ORDER_IS_OVER": ids["over"],
        "ORDER_STEP_REFUSED": ids["held"],
        "ORDER_HAS_SHIPMENT": ids["shipped"],
        "ORDER_HAS_ROUTE": ids["routed"],
        "ORDER_HAS_HOLDER": ids["given"],
        "ORDER_FOR_PICKUP": ids["collected"],
    }
    free = {"order_id": ids["free"]}
    return {
        **{
            (operation, code): ("admin", {"order_id": order_id})
            for operation in ("rate_order", "ship_order")
            for code, order_id in refused.items()
        },
        ("ship_order", "CREDIT_INSUFFICIENT"): ("admin", {"order_id": ids["poor"]}),
        ("ship_order", "ORDER_HELD_BY_RULE"): ("admin", {"order_id": ids["reviewed"]}),
        ("ship_order", "QUOTE_MISMATCH"): ("admin", {**free, "rate_id": ids["other"]}),
        ("ship_order", "SHIPMENT_REF_TAKEN"): ("admin", {"order_id": ids["taken"]}),
        ("ship_order", "SHIPPING_RATE_EXPIRED"): ("admin", {**free, "rate_id": ids["expired"]}),
        ("ship_order", "SHIPPING_RATE_NOT_AVAILABLE"): ("admin", {**free, "service": "teleport"}),
    }
