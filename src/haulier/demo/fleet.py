"""Fleet of the demo: vehicles, skills, pay, booking windows and a carrier."""

from datetime import date, timedelta
from typing import Any

from haulier.demo.accounts import DemoUser
from haulier.demo.caller import OperationCaller, SeedClock
from haulier.demo.city import CITY, DEPOTS, ZONE, tours
from haulier.demo.day import Day
from haulier.demo.people import BUSINESS, order_address, recipient_of

VAN = {"length_mm": 3_400, "width_mm": 1_700, "height_mm": 1_900}
VEHICLES: tuple[dict[str, Any], ...] = (
    {"name": "Van 1", "plate": "LKI-101", "capacity_weight_g": 1_200_000, "cost_per_km_minor": 42},
    {"name": "Van 2", "plate": "LKI-102", "capacity_weight_g": 1_200_000, "cost_per_km_minor": 42},
    {"name": "Cargo bike", "travel_mode": "bicycle", "capacity_weight_g": 120_000, "max_distance_m": 40_000},
)
SKILLS = (("tail_lift", "Tail lift"), ("two_persons", "Two persons"), ("age_check", "May check ages"))
WINDOWS = (("09:00", "12:00", 12), ("12:00", "15:00", 12), ("15:00", "18:00", 8))

BODY: dict[str, Any] = {
    "code": "DEMO-VAN",
    "name": "Body of a van",
    "kind": "van",
    "payload_g": 1_100_000,
    "doors": ["rear", "right"],
}


async def set_pay(admin: OperationCaller, clock: SeedClock) -> None:
    """Set the pay of drivers and contractors, also for the history."""
    first_day = clock.present.astimezone(ZONE).date() - timedelta(days=31)
    for kind, per_stop in (("driver", 310), ("contractor", 480)):
        rate = {"per_route_minor": 4_500, "per_stop_minor": per_stop, "per_failed_stop_minor": 150}
        await admin.call("set_pay_rate", payee_kind=kind, valid_from=first_day, **rate)


async def seed_fleet(admin: OperationCaller, people: dict[str, DemoUser], clock: SeedClock, day: Day) -> None:
    """Create the fleet for existing drivers and contractors."""
    await _create_vehicles(admin, people, day.depots[0], clock.present.date())
    for code, name in SKILLS:
        skill = (await admin.call("create_skill", code=code, name=name)).skill
        await admin.call("grant_driver_skill", skill_id=skill.id, driver_ids=day.drivers[:2])
    licence = {"kind": "licence", "number": "FI-4523-10203", "expires_on": clock.present.date() + timedelta(days=25)}
    await admin.call("add_driver_document", driver_id=day.drivers[0], **licence)
    await _offer_windows(admin)
    if "shipping" in admin.app.loaded:
        await _open_carrier(admin)


async def _create_vehicles(admin: OperationCaller, people: dict[str, DemoUser], depot: int, today: date) -> None:
    vehicles = [(await admin.call("create_vehicle", **vehicle, depot_id=depot)).vehicle.id for vehicle in VEHICLES]
    for number, vehicle in enumerate(vehicles[:2]):
        await _add_vehicle_records(admin, vehicle, number, today)
    theirs = {"name": "Cora's van", "contractor_id": people["contractor"].id, "capacity_parcels": 60}
    await admin.call("create_vehicle", **theirs)
    if "packing" in admin.app.loaded:
        await admin.call("create_load_space", **BODY, **VAN, vehicle_ids=vehicles[:2])
    rule = {"name": "The north", "postal_prefixes": ["0053", "0055"]}
    await admin.call("create_contractor_rule", contractor_id=people["contractor"].id, **rule)


async def _add_vehicle_records(admin: OperationCaller, vehicle: int, number: int, today: date) -> None:
    """Add documents, readings and the last service of a van.

    The service of the second van is due soon.
    """
    for kind, days in (("vehicle_registration", None), ("insurance", 24 + 170 * number), ("vehicle_inspection", 320)):
        paper = {"kind": kind, "number": f"FI-{7_310 + number}-{len(kind)}"}
        ends = {"expires_on": today + timedelta(days=days)} if days else {}
        await admin.call("add_vehicle_document", vehicle_id=vehicle, **paper, **ends)
    done = {"note": "Oil, filters and brake pads", "cost_minor": 38_900, "next_service_at_m": 72_000_000}
    for kind, days, kilometres in (("service", 96, 52_000), ("reading", 31, 58_300), ("reading", 1, 61_150)):
        read = {"odometer_m": (kilometres + 10_200 * number) * 1_000, "done_on": today - timedelta(days=days)}
        await admin.call("add_vehicle_log_entry", vehicle_id=vehicle, kind=kind, **read, **(done if days > 90 else {}))


async def _offer_windows(admin: OperationCaller) -> None:
    """Create delivery windows in the centre, and a dock for suppliers' bookings."""
    zone = await admin.call("create_booking_zone", name="City centre", postal_prefixes=["001", "005"])
    dock = {"kind": "dock", "address": DEPOTS[0][1], "grace_min": 15}
    dock_zone = await admin.call("create_booking_zone", name="Dock of the Kluuvi hub", **dock)
    weekdays = [1, 2, 3, 4, 5]
    for starts, ends, capacity in WINDOWS:
        terms = {"starts": starts, "ends": ends, "weekdays": weekdays}
        await admin.call("create_booking_pattern", zone_id=zone.zone.id, capacity=capacity, **terms)
        await admin.call("create_booking_pattern", zone_id=dock_zone.zone.id, capacity=1, **terms)


PRESETS: tuple[dict[str, Any], ...] = (
    {"name": "Padded envelope", "length_mm": 340, "width_mm": 240, "height_mm": 30, "empty_weight_g": 60},
    {"name": "Small box", "length_mm": 250, "width_mm": 200, "height_mm": 120, "empty_weight_g": 150},
)
HEAVY: dict[str, Any] = {
    "name": "Signature for heavy parcels",
    "conditions": {"countries": ["FI"], "weight_from_g": 20_000},
    "outcome": {"signature_required": True},
}


async def _open_carrier(admin: OperationCaller) -> None:
    """Open a carrier account of the business itself.

    It has one issued and one draft label.
    """
    sender = {"name": BUSINESS, "address": DEPOTS[0][1], "postal_code": DEPOTS[0][2], **CITY}
    home = order_address(recipient_of("LABEL-1"), tours()[4].addresses[7])
    account = await admin.call(
        "open_carrier_account", carrier="HOUSE", name="Own bikes and vans", sender=sender, default=True
    )
    shipment = {"shipper": sender, "consignee": home, "packages": [{"weight_g": 2_400}]}
    asked = {"shipment": shipment, "service": "ground", "account_id": account.account.id}
    for number, draft in enumerate((False, True), 1):
        await admin.call("create_shipping_label", **asked, order_ref=f"LABEL-{number}", draft=draft)
    await admin.call("end_of_day")
    await _choose_carriers(admin, account.account.id)


async def _choose_carriers(admin: OperationCaller, account_id: int) -> None:
    """Create package presets and shipping rules."""
    presets = [(await admin.call("create_package_preset", **each)).package_preset.id for each in PRESETS]
    in_town = {"countries": ["FI"], "postal_prefixes": ["00"], "weight_to_g": 5_000}
    by_bike = {"account_id": account_id, "service": "ground", "package_preset_id": presets[-1]}
    abroad = {"countries": ["NO", "GB", "US"]}
    await admin.call("create_shipping_rule", **HEAVY)
    await admin.call(
        "create_shipping_rule",
        name="Outside the EU",
        conditions=abroad,
        outcome={"hold_reason": "Check the customs papers."},
    )
    await admin.call("create_shipping_rule", name="Light parcels in Helsinki", conditions=in_town, outcome=by_bike)
