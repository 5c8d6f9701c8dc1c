"""Errors of freight shipments, their tariff and claims."""

from datetime import timedelta
from typing import Any

from tests.contexts.billing.ledger.makers import make_call
from tests.contexts.freight.examples import CONSIGNEE, PALLETS, SHIPMENT
from tests.contexts.freight.makers import make_delivered, make_shipment, set_tariff, take_steps
from tests.invariants.error_scenarios.runner import Attempts
from tests.support.app import App
from tests.support.transport import make_depot, make_order

from haulier.contexts.billing.ledger.rules import BALANCE_MAX
from haulier.contexts.billing.ledger.store.tables import accounts

SHORT = {"unit": 1, "kind": "shortage"}
CLAIM = {"kind": "shortage", "claimed_minor": 48_000, "note": "One pallet is missing"}


async def scene(app: App) -> dict[str, Any]:
    """Create shipments in several states, and claims."""
    await set_tariff(app, value_basis_points=100_000)
    customer: dict[str, Any] = {"customer_id": app.ids["customer"], "declared_value_minor": None}
    made: dict[str, Any] = {
        "draft": (await make_shipment(app, shipment_ref="LTL-1", **customer)).id,
        "user": app.ids["admin"],
        "collected": await make_order(app, pickup_depot_id=await make_depot(app)),
    }
    made["over"] = (await make_delivered(app, SHORT, **customer)).id
    made["clear"] = (await make_shipment(app, **customer)).id
    await take_steps(app, made["clear"], "tender", "accept", "pick_up", pro_number="PRO-1")
    made["tendered"] = (await make_shipment(app, tender=True, **customer)).id
    await app.answer("admin", "deliver_freight_shipment", {
        "freight_shipment_id": made["clear"],
        "received_by": "Grace",
        "occurred_at": (app.clock() - timedelta(days=30)).isoformat(),
    })  # fmt: skip
    made["theirs"] = (await make_delivered(app, SHORT, **{**customer, "customer_id": app.ids["customer2"]})).id
    for name, kind in (("open", "shortage"), ("much", "overcharge"), ("rich", "shortage")):
        asked = {
            **CLAIM,
            "freight_shipment_id": made["theirs" if name == "rich" else "over"],
            "kind": kind,
            "claimed_minor": 90_000_000,
        }
        made[name] = (await app.answer("admin", "file_freight_claim", asked)).freight_claim.id
    other = (await make_delivered(app, SHORT, **customer)).id
    decided = (await app.answer("admin", "file_freight_claim", {**CLAIM, "freight_shipment_id": other})).freight_claim
    rejected = {"freight_claim_id": decided.id, "decision": "reject", "reason": "Signed clear"}
    await app.answer("admin", "decide_freight_claim", rejected, confirmed=True)
    async with make_call(app) as call:
        rich = accounts.c.owner_id == app.ids["customer2"]
        await call.work.run(accounts.update().where(rich).values(balance_minor=BALANCE_MAX))
    return {**made, "decided": decided.id}


def attempts(ids: dict[str, Any]) -> Attempts:
    """Return an attempt for each error."""
    draft, over, clear = ({"freight_shipment_id": ids[name]} for name in ("draft", "over", "clear"))
    goods = {"consignee": CONSIGNEE, "handling_units": [PALLETS]}
    far = {"consignee": {**CONSIGNEE, "country": "US"}}
    dear = {"declared_value_minor": 10**11}
    new = {**SHIPMENT, "declared_value_minor": None}
    refused, create, update = "FREIGHT_STEP_REFUSED", "create_freight_shipment", "update_freight_shipment"
    outside, expensive = "FREIGHT_OUT_OF_AREA", "SERVICE_PRICE_OUT_OF_RANGE"
    approve = {"decision": "approve", "reason": "The receipt notes it"}
    window = {"window_start": "2031-01-20T13:00:00Z", "window_end": "2031-01-20T15:00:00Z"}
    return {
        ("quote_freight", "FREIGHT_TARIFF_MISSING"): ("rival", goods),
        ("quote_freight", outside): ("admin", {**goods, **far}),
        ("quote_freight", expensive): ("admin", {**goods, **dear}),
        (create, "NOT_FOUND"): ("admin", {**new, "order_id": 2**50}),
        (create, "ORDER_FOR_PICKUP"): ("admin", {**new, "order_id": ids["collected"]}),
        (create, outside): ("admin", {**new, **far}),
        (create, expensive): ("admin", {**new, **dear}),
        (create, "NOT_A_CUSTOMER"): ("admin", {**new, "customer_id": ids["user"]}),
        (create, "CLIENT_KEY_REUSED"): ("customer", {**new, "shipment_ref": "LTL-1", "instructions": "Dock 9"}),
        (update, outside): ("admin", {**draft, **far}),
        (update, expensive): ("admin", {**draft, **dear}),
        (update, refused): ("admin", {**over, "instructions": "Dock 4"}),
        ("cancel_freight_shipment", refused): ("admin", over),
        ("record_freight_step", refused): ("admin", {**draft, "step": "pick_up"}),
        ("record_freight_step", "TRACKING_NUMBER_TAKEN"): (
            "admin",
            {"freight_shipment_id": ids["tendered"], "step": "accept", "pro_number": "PRO-1"},
        ),
        ("deliver_freight_shipment", refused): ("admin", {**draft, "received_by": "Grace"}),
        ("set_freight_appointment", refused): ("admin", {**over, "kind": "delivery", "action": "request", **window}),
        ("set_freight_appointment", "FREIGHT_APPOINTMENT_REFUSED"): (
            "admin",
            {**draft, "kind": "delivery", "action": "miss"},
        ),
        ("get_freight_document", "FREIGHT_NOT_DELIVERED"): ("admin", {**draft, "kind": "delivery_receipt"}),
        ("file_freight_claim", "FREIGHT_CLAIM_TOO_EARLY"): ("admin", {**draft, **CLAIM}),
        ("file_freight_claim", "FREIGHT_CLAIM_TOO_LATE"): ("admin", {**clear, **CLAIM}),
        ("file_freight_claim", "FREIGHT_CLAIM_OPEN"): ("admin", {**over, **CLAIM}),
        ("decide_freight_claim", "FREIGHT_CLAIM_DECIDED"): ("admin", {"freight_claim_id": ids["decided"], **approve}),
        ("decide_freight_claim", "REFUND_TOO_MUCH"): ("admin", {"freight_claim_id": ids["much"], **approve}),
        ("decide_freight_claim", "BALANCE_OUT_OF_RANGE"): ("admin", {"freight_claim_id": ids["rich"], **approve}),
    }
