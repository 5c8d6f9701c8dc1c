"""LTL: three pallets, class, appointment, bill of lading, shortage, claim, credit."""

from typing import Any

from tests.contexts.billing.ledger.makers import faults
from tests.contexts.freight.examples import SHIPMENT, TARIFF
from tests.support.app import App
from tests.support.tools import call_tool

GST = {"country": "CA", "name": "GST", "rate_bp": 500, "valid_from": "2026-01-01"}
DAY = {"window_start": "2031-01-20T13:00:00Z", "window_end": "2031-01-20T15:00:00Z"}
SHORT = {"unit": 1, "kind": "shortage", "quantity": 1, "note": "One pallet missing"}


async def rest(app: App, who: str, method: str, path: str, body: Any = None) -> Any:
    """Call a path of freight ten minutes later and return its answer."""
    app.clock.forward(minutes=10)
    answer = await app.rest(who, method, f"/v1/freight{path}", body)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def book(app: App) -> tuple[dict[str, Any], int]:
    """Quote and create a shipment of three pallets; return it with its quoted price."""
    await app.answer("admin", "set_tax_settings", {"rounding": "line", "prices_include_tax": False})
    await app.answer("admin", "create_tax_rate", GST)
    await rest(app, "admin", "PUT", "/tariff", TARIFF)
    quoted = await rest(app, "customer", "POST", "/quotes", {k: v for k, v in SHIPMENT.items() if k != "shipper"})
    (unit,) = quoted["handling_units"]
    assert (unit["freight_class"], unit["density_kg_m3"], unit["class_by_density"]) == ("92.5", 168, True)
    assert sum(line["amount"] for line in quoted["price_details"]) == quoted["shipping_price"]
    body = {**SHIPMENT, "shipment_ref": "LTL-1"}
    created = await rest(app, "customer", "POST", "/shipments", body)
    again = await rest(app, "customer", "POST", "/shipments", body)
    shipment = created["freight_shipment"]
    assert (again["existing"], again["freight_shipment"]["id"]) == (True, shipment["id"])
    assert (shipment["status"], shipment["shipping_price"]) == ("tendered", quoted["shipping_price"])
    return shipment, quoted["shipping_price"]


async def accept(app: App, one: str) -> None:
    """Accept a shipment, set its appointment and read its bill of lading."""
    accepted = {"step": "accept", "carrier": "Northern Freightways", "pro_number": "482-901773"}
    await rest(app, "admin", "POST", f"{one}/steps", accepted)
    await rest(app, "admin", "POST", f"{one}/appointments", {"kind": "delivery", "action": "request", **DAY})
    confirmed = {"kind": "delivery", "action": "confirm", "confirmation_number": "APT-5521"}
    shown = (await rest(app, "admin", "POST", f"{one}/appointments", confirmed))["freight_shipment"]
    assert [(each["kind"], each["state"]) for each in shown["appointments"]] == [("delivery", "confirmed")]
    headers = {"Authorization": f"Bearer {app.tokens['customer']}", "Accept": "application/pdf"}
    paper = await app.http.get(f"/api/v1/freight{one}/document", headers=headers)
    assert (paper.status_code, paper.content[:5]) == (200, b"%PDF-")


async def test_three_pallets_are_classed_delivered_short_claimed_and_credited(app: App) -> None:
    shipment, price = await book(app)
    one = f"/shipments/{shipment['id']}"
    await accept(app, one)
    for step in ("pick_up", "depart", "go_out"):
        await rest(app, "admin", "POST", f"{one}/steps", {"step": step, "city": "Halifax"})
    received = {"received_by": "Grace", "exceptions": [SHORT]}
    delivered = (await rest(app, "admin", "POST", f"{one}/delivery", received))["freight_shipment"]
    assert (delivered["status"], delivered["charged_minor"]) == ("delivered_with_exceptions", round(price * 1.05))
    timeline = await call_tool(app, "customer", "track_package", number=shipment["tracking_number"])
    assert [event["status_code"] for event in timeline["events"]] == [
        "information_submitted", "booking_confirmed", "picked_up", "in_transit", "out_for_delivery", "delivered",
    ]  # fmt: skip
    found = await rest(app, "customer", "GET", "/shipments?number=482-901773")
    assert [each["id"] for each in found["freight_shipments"]] == [shipment["id"]]

    asked = {"kind": "shortage", "claimed_minor": 48_000, "note": "24 bicycle frames are missing"}
    claim = (await rest(app, "customer", "POST", f"{one}/claims", asked))["freight_claim"]
    assert (claim["state"], claim["concealed"]) == ("open", False)
    before = await app.answer("customer", "get_account_credits", {})
    decision = {"freight_claim_id": claim["id"], "decision": "approve", "reason": "The receipt notes it."}
    for _ in range(2):
        decided = await app.answer("admin", "decide_freight_claim", decision, confirmed=True)
        assert (decided.freight_claim.state, decided.freight_claim.approved_minor) == ("approved", 48_000)
    after = await app.answer("customer", "get_account_credits", {})
    assert after.credits[0].balance_minor - before.credits[0].balance_minor == 48_000
    assert await faults(app) == []
