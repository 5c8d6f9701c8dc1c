"""A freight shipment delivered short with an open claim, for `business.py`."""

from typing import Any

from tests.contexts.freight.examples import SHIPMENT, TARIFF
from tests.contexts.freight.makers import deliver, take_steps
from tests.invariants.dry_run_steps import PHOTO
from tests.support.app import App

CHEAP: dict[str, Any] = {
    **TARIFF,
    "zones": [],
    "rates": [{"rate_minor": 0}],
    "fuel_basis_points": 0,
    "accessorials": [],
    "value_basis_points": 0,
}
"""A tariff with the same price for every shipment."""


async def make_freight(app: App, mark: str, who: str = "customer", price: int = 10) -> dict[str, Any]:
    """Deliver a freight shipment short, file a claim and create another."""
    await app.answer("admin", "set_freight_tariff", {**CHEAP, "minimum_minor": price}, confirmed=True)
    party = {"name": mark, "company": mark, "address": mark, "city": mark, "country": "CA"}
    named = {"shipper": party, "consignee": party, "shipment_ref": mark, "instructions": mark, "purchase_order": mark}
    asked = {**SHIPMENT, **named, "customer_id": app.ids[who]}
    made = (await app.answer("admin", "create_freight_shipment", asked)).freight_shipment
    await take_steps(app, made.id, "tender", "accept", "pick_up", carrier=mark)
    await deliver(app, made.id, {"unit": 1, "kind": "shortage", "note": mark})
    claim = {
        "freight_shipment_id": made.id,
        "kind": "shortage",
        "claimed_minor": price,
        "note": mark,
        "document": {**PHOTO, "name": mark},
    }
    filed = (await app.answer("admin", "file_freight_claim", claim)).freight_claim
    other = (
        await app.answer("admin", "create_freight_shipment", {**asked, "shipment_ref": f"{mark}-2"})
    ).freight_shipment
    return {"freight_shipment_id": made.id, "freight_claim_id": filed.id, "open_freight_id": other.id}
