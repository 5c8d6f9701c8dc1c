"""Example requests of freight shipments, their tariff and claims."""

SHIPPER: dict[str, object] = {
    "name": "Dock office",
    "company": "Acme Foundry",
    "address": "12 Furnace Rd",
    "city": "Hamilton",
    "region": "ON",
    "postal_code": "L8L 1A1",
    "country": "CA",
    "phone": "+19055550100",
}
CONSIGNEE: dict[str, object] = {
    "name": "Receiving",
    "company": "Borden Tools",
    "address": "400 Harbour St",
    "city": "Halifax",
    "region": "NS",
    "postal_code": "B3J 1A1",
    "country": "CA",
    "phone": "+19025550100",
}
PALLETS: dict[str, object] = {
    "type": "pallet",
    "quantity": 3,
    "length_mm": 1220,
    "width_mm": 1016,
    "height_mm": 1200,
    "weight_g": 250_000,
    "pieces": 24,
    "description": "Bicycle frames",
    "nmfc_item": "190260-05",
}
"""Three pallets of 168 kg/m³, which is class 92.5."""
SHIPMENT: dict[str, object] = {
    "shipper": SHIPPER,
    "consignee": CONSIGNEE,
    "handling_units": [PALLETS],
    "accessorials": ["liftgate_delivery", "delivery_appointment"],
    "declared_value_minor": 1_500_000,
}
TARIFF: dict[str, object] = {
    "rates": [{"from_g": 0, "rate_minor": 6000}, {"from_g": 1_000_000, "rate_minor": 4000}],
    "zones": [
        {"name": "Atlantic", "countries": ["CA"], "postal_prefixes": ["B", "E"], "rate_basis_points": 12_000},
        {"name": "Canada", "countries": ["CA"]},
    ],
    "minimum_minor": 15_000,
    "fuel_basis_points": 2_500,
    "accessorials": [
        {"accessorial": "liftgate_delivery", "amount_minor": 7_500},
        {"accessorial": "delivery_appointment", "amount_minor": 3_500},
    ],
    "hazardous_minor": 12_000,
    "value_basis_points": 50,
}
ONE: dict[str, object] = {"freight_shipment_id": "$freight_shipment_id"}

EXAMPLES: dict[str, dict[str, object]] = {
    "get_freight_tariff": {},
    "set_freight_tariff": TARIFF,
    "quote_freight": {"consignee": CONSIGNEE, "handling_units": [PALLETS], "accessorials": ["liftgate_delivery"]},
    "create_freight_shipment": {**SHIPMENT, "shipment_ref": "LTL-1001"},
    "list_freight_shipments": {"status": "draft", "number": "HL0123456789ABC"},
    "get_freight_shipment": ONE,
    "update_freight_shipment": {**ONE, "instructions": "Dock 4"},
    "cancel_freight_shipment": {**ONE, "reason": "Kept"},
    "record_freight_step": {**ONE, "step": "tender"},
    "deliver_freight_shipment": {**ONE, "received_by": "Grace Hopper"},
    "set_freight_appointment": {
        **ONE,
        "kind": "delivery",
        "action": "request",
        "window_start": "2031-01-20T13:00:00Z",
        "window_end": "2031-01-20T15:00:00Z",
    },
    "get_freight_document": {**ONE, "kind": "bill_of_lading"},
    "file_freight_claim": {**ONE, "kind": "shortage", "claimed_minor": 48_000, "note": "One pallet is missing"},
    "list_freight_claims": {"state": "open"},
    "decide_freight_claim": {"freight_claim_id": "$freight_claim_id", "decision": "reject", "reason": "Signed clear"},
}
