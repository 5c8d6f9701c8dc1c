"""Freight of the demo: a tariff, shipments along their journey, and claims."""

from datetime import timedelta
from typing import Any

from haulier.demo.accounts import DemoUser
from haulier.demo.caller import OperationCaller
from haulier.demo.customers import HOME

TARIFF: dict[str, Any] = {
    "rates": [
        {"from_g": 0, "rate_minor": 5_800},
        {"from_g": 500_000, "rate_minor": 4_600},
        {"from_g": 2_000_000, "rate_minor": 3_700},
    ],
    "zones": [
        {
            "name": "Lapland",
            "countries": ["FI"],
            "postal_prefixes": ["96", "97", "98", "99"],
            "rate_basis_points": 14_000,
        },
        {"name": "Finland", "countries": ["FI"]},
        {"name": "Baltic states", "countries": ["EE", "LV", "LT"], "rate_basis_points": 13_000},
    ],
    "minimum_minor": 9_500,
    "fuel_basis_points": 1_850,
    "accessorials": [
        {"accessorial": "liftgate_delivery", "amount_minor": 4_500},
        {"accessorial": "delivery_appointment", "amount_minor": 2_500},
        {"accessorial": "inside_delivery", "amount_minor": 6_000},
    ],
    "hazardous_minor": 8_000,
    "value_basis_points": 40,
}
CARRIER = "Pohjola Freight"
TAMPERE = {"name": "Aino Korhonen", "company": "Keramiikka Oy", "address": "Hatanpään valtatie 22", "city": "Tampere"}
TURKU = {"name": "Ville Nieminen", "company": "Aura Interiors", "address": "Linnankatu 48", "city": "Turku"}
ROVANIEMI = {"name": "Sanna Laine", "company": "Revontuli Hotels", "address": "Koskikatu 9", "city": "Rovaniemi"}
GLAZE = {"description": "Glaze, flammable", "hazardous": True, "un_number": "UN1263", "hazard_class": "3"}
GOODS: tuple[dict[str, Any], ...] = (
    {"quantity": 3, "height_mm": 1150, "weight_g": 310_000, "pieces": 96, "description": "Stoneware tiles"},
    {
        "quantity": 2,
        "height_mm": 1600,
        "weight_g": 140_000,
        "pieces": 30,
        "description": "Table lamps",
        "stackable": True,
    },
    {"quantity": 1, "height_mm": 900, "weight_g": 180_000, "packing_group": "III", **GLAZE},
)


async def seed_freight(admin: OperationCaller, customer: DemoUser) -> None:
    """Create a tariff, and shipments from tendered to delivered short with a claim."""
    await admin.call("set_freight_tariff", **TARIFF)
    buyer = OperationCaller(admin.app, customer)
    short = await _ship(buyer, "KER-2041", {**TAMPERE, "postal_code": "33100"}, GOODS[0])
    await _move(admin, short, "PF-482901", "pick_up", "depart", "go_out")
    exceptions = [{"unit": 1, "kind": "shortage", "quantity": 1, "note": "One of three pallets missing"}]
    await admin.call(
        "deliver_freight_shipment", freight_shipment_id=short, received_by="Aino Korhonen", exceptions=exceptions
    )
    claim = {"kind": "shortage", "claimed_minor": 64_000, "note": "One pallet with 96 boxes of tiles is missing."}
    await buyer.call("file_freight_claim", freight_shipment_id=short, **claim)
    moving = await _ship(buyer, "KER-2042", {**ROVANIEMI, "postal_code": "96200"}, GOODS[1])
    await _move(admin, moving, "PF-482955", "pick_up", "depart")
    await _ship(buyer, "KER-2043", {**TURKU, "postal_code": "20100"}, GOODS[2])


async def _ship(buyer: OperationCaller, reference: str, party: dict[str, Any], goods: dict[str, Any]) -> int:
    made = await buyer.call(
        "create_freight_shipment",
        shipper={**HOME, "company": "Lumi Ceramics"},
        consignee={**party, "country": "FI"},
        handling_units=[{"type": "pallet", "length_mm": 1200, "width_mm": 800, **goods}],
        accessorials=["liftgate_delivery", "delivery_appointment"],
        declared_value_minor=480_000,
        shipment_ref=reference,
        emergency_phone="+358800555112",
        instructions="Dock 2. Call 30 minutes before arrival.",
    )
    return made.freight_shipment.id


async def _move(admin: OperationCaller, id: int, pro_number: str, *steps: str) -> None:
    """Accept a shipment with its appointment, and record its steps."""
    one: dict[str, Any] = {"freight_shipment_id": id}
    await admin.call("record_freight_step", **one, step="accept", carrier=CARRIER, pro_number=pro_number)
    start = admin.app.clock().replace(hour=9, minute=0, second=0, microsecond=0) + timedelta(days=1)
    window = {"window_start": start.isoformat(), "window_end": (start + timedelta(hours=2)).isoformat()}
    appointment = {**window, "contact": "Dock office", "confirmation_number": f"A-{pro_number[-3:]}"}
    await admin.call("set_freight_appointment", **one, kind="delivery", action="confirm", **appointment)
    for step in steps:
        await admin.call("record_freight_step", **one, step=step)
