"""A freight shipment delivered short with an open claim, for `business.py`."""

from typing import Any

from tests.contexts.freight.examples import SHIPMENT, TARIFF
from tests.contexts.freight.makers import deliver, take_steps
from tests.invariants.dry_run_steps import PHOTO
from tests.support.app import App

CHEAP: dict[str, Any] = {
    **TARIFF,
    "zones": [],
    "rates": [{"rate_minor": 10}],
    "minimum_minor": 0,
    "accessorials": [],
    "value_basis_points": 0,
}
"""A tariff that leaves the credit of customers for the other records."""


async def make_freight(app: App, mark: str, who: str = "customer") -> dict[str, Any]:
    """Deliver a freight shipment of a customer short, and file a claim."""
    await app.answer("admin", "set_freight_tariff", CHEAP, confirmed=True)
    party = {"name": mark, "company": mark, "address": mark, "city": mark, "country": "CA"}
    named = {"shipper": party, "consignee": party, "shipment_ref": mark, "instructions": mark, "purchase_order": mark}
    asked = {**SHIPMENT, **named, "customer_id": app.ids[who]}
    made = (await app.answer("admin", "create_freight_shipment", asked)).freight_shipment
    await take_steps(app, made.id, "tender", "accept", "pick_up", carrier=mark)
    await deliver(app, made.id, {"unit": 1, "kind": "shortage", "note": mark})
    claim = {
        "freight_shipment_id": made.id,
        "kind": "shortage",
        "claimed_minor": 48_000,
        "note": mark,
        "document": {**PHOTO, "name": mark},
    }
    filed = (await app.answer("admin", "file_freight_claim", claim)).freight_claim
    return {"freight_shipment_id": made.id, "freight_claim_id": filed.id}
