"""Errors of orders, batches, rates and return reasons."""

from typing import Any

from tests.invariants.error_scenarios.runner import Attempts
from tests.support.app import App
from tests.support.transport import DAY, deliver_under_way, fail_aboard, make_contact, make_order, set_order

from haulier.contexts.orders.quotes.rules import DEFAULT_RATE_CARD, QUOTE_VALIDITY, PricedFacts, make_quote_id

PLACE = {"address": "1 King St E", "city": "Toronto", "country": "CA"}
FAR = make_contact(lat=64.0, lng=-139.0)


async def scene(app: App) -> dict[str, Any]:
    """Create an active order, an ended one, and a completed batch."""
    made = {}
    for name in ("open", "over"):
        ends = {"consignee": make_contact(), "shipper": make_contact()}
        order = await app.answer("admin", "create_order", {**ends, "order_ref": name})
        made[name] = order.order.id
    await app.answer("admin", "cancel_order", {"order_id": made["over"]})
    quoted = {"consignee": {"lat": 43.65, "lng": -79.38}}
    made["quote"] = (await app.answer("admin", "quote_delivery", quoted)).quote_id
    batch = await app.answer("admin", "bulk_create_orders_async", {"orders": [{"consignee": make_contact()}]})
    await app.work_off()
    await app.answer("admin", "add_return_reason", {"code": "wet", "texts": {"en": "Wet"}})
    made["express"] = (await app.answer("admin", "create_order", {**ends, "service": "express"})).order.id
    card = DEFAULT_RATE_CARD.model_dump(mode="json")
    slow = [service for service in card["services"] if service["code"] != "express"]
    await app.answer("admin", "set_rate_card", {"rate_card": {**card, "services": slow}})
    facts = PricedFacts(weight_g=1000)
    made["old_quote"] = make_quote_id(app.clients["demo"], app.clock() - QUOTE_VALIDITY * 2, facts)
    made["fresh"] = await make_order(app, "customer")
    for name, attempts in (("tried", 1), ("used_up", 9)):
        made[name] = await make_order(app, "customer")
        await set_order(app, made[name], status=7, attempts=attempts)
    made["aboard"] = await make_order(app, "customer")
    await fail_aboard(app, made["aboard"])
    made["delivered"] = await make_order(app)
    await deliver_under_way(app, made["delivered"])
    return {**made, "batch": batch.async_id}


def attempts(ids: dict[str, Any]) -> Attempts:
    """Return an attempt for each error."""
    over, new = {"order_id": ids["over"]}, {"consignee": make_contact()}
    taken, odd, far = {**new, "order_ref": "open"}, {**new, "service": "teleport"}, {"consignee": FAR}
    at_once = {"stop_on_error": True}
    unquoted, late = {**new, "quote_id": ids["quote"]}, {**new, "quote_id": ids["old_quote"]}
    return {
        ("get_orders", "NOT_FOUND"): ("admin", {"customer": "nobody at all"}),
        ("export_orders", "NOT_FOUND"): ("admin", {"customer": "nobody at all"}),
        ("list_exceptions", "NOT_FOUND"): ("admin", {"customer": "nobody at all"}),
        ("bulk_create_orders", "ORDER_REF_TAKEN"): ("admin", {"orders": [taken], **at_once}),
        ("bulk_create_orders", "SERVICE_UNKNOWN"): ("admin", {"orders": [odd], **at_once}),
        ("bulk_create_orders", "RATE_NOT_AVAILABLE"): (
            "admin",
            {"orders": [{**far, "shipper": make_contact()}], **at_once},
        ),
        ("reroute_to_address", "SERVICE_UNKNOWN"): ("admin", {"order_id": ids["express"], "address": make_contact()}),
        ("create_order", "ORDER_REF_TAKEN"): ("admin", taken),
        ("create_order", "QUOTE_MISMATCH"): ("admin", unquoted),
        ("create_order", "QUOTE_EXPIRED"): ("admin", late),
        ("bulk_create_orders", "QUOTE_MISMATCH"): ("admin", {"orders": [unquoted], **at_once}),
        ("bulk_create_orders", "QUOTE_EXPIRED"): ("admin", {"orders": [late], **at_once}),
        ("create_order", "SERVICE_UNKNOWN"): ("admin", odd),
        ("create_order", "RATE_NOT_AVAILABLE"): ("admin", {**far, "shipper": make_contact()}),
        ("quote_delivery", "RATE_NOT_AVAILABLE"): (
            "admin",
            {"shipper": {"lat": 43.65, "lng": -79.38}, "consignee": {"lat": 64.0, "lng": -139.0}},
        ),
        ("update_order_note", "ORDER_IS_OVER"): ("admin", {**over, "note": "x"}),
        ("update_delivery_instruction", "ORDER_IS_OVER"): ("admin", {**over, "delivery_instruction": "x"}),
        ("reserve_order_stock", "ORDER_IS_OVER"): ("admin", over),
        ("cancel_order", "ORDER_STEP_REFUSED"): ("admin", over),
        ("hold_order", "ORDER_STEP_REFUSED"): ("admin", over),
        ("release_order", "ORDER_STEP_REFUSED"): ("admin", over),
        ("reroute_to_address", "ORDER_STEP_REFUSED"): ("admin", {**over, "address": make_contact()}),
        ("reroute_to_address", "RATE_NOT_AVAILABLE"): ("admin", {"order_id": ids["open"], "address": FAR}),
        ("correct_order", "ORDER_STEP_REFUSED"): ("admin", {**over, "cod_minor": 100}),
        ("correct_order", "SERVICE_UNKNOWN"): ("admin", {"order_id": ids["open"], "service": "nope"}),
        ("undo_delivery", "ORDER_STEP_REFUSED"): ("admin", {"order_id": ids["open"], "reason": "Never was"}),
        ("correct_address", "ORDER_STEP_REFUSED"): ("admin", {**over, "place": PLACE}),
        ("correct_address", "ADDRESS_ELSEWHERE"): (
            "customer",
            {"order_id": ids["tried"], "place": {**PLACE, "city": "Ottawa"}},
        ),
        **_after_failed_visits(ids),
        ("return_order", "ORDER_STEP_REFUSED"): ("admin", over),
        ("cancel_async_batch", "BATCH_IS_OVER"): ("admin", {"id": ids["batch"]}),
        ("add_return_reason", "RETURN_REASON_TAKEN"): ("admin", {"code": "wet", "texts": {"en": "Wet"}}),
    }


def _after_failed_visits(ids: dict[str, Any]) -> Attempts:
    return {
        ("undo_delivery", "GOODS_ON_ROUTE"): (
            "admin",
            {"order_id": ids["delivered"], "reason": "Swapped", "goods_at": {"order_id": ids["open"]}},
        ),
        ("update_goods_at", "ORDER_STEP_REFUSED"): ("admin", {"order_id": ids["over"], "goods_at": None}),
        ("request_redelivery", "ORDER_STEP_REFUSED"): ("customer", {"order_id": ids["fresh"]}),
        ("request_redelivery", "REDELIVERY_USED_UP"): ("customer", {"order_id": ids["used_up"]}),
        ("request_redelivery", "STILL_OUT_TODAY"): (
            "customer",
            {"order_id": ids["aboard"], "scheduled_date": DAY},
        ),
    }
