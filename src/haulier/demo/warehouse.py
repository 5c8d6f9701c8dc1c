"""Warehouse of the demo: stock, a wave, a count, a transfer, an advice and boxes."""

from datetime import timedelta
from typing import Any

from haulier.demo.caller import OperationCaller, SeedClock
from haulier.demo.city import DEPOTS

PRODUCTS: tuple[dict[str, Any], ...] = (
    {"sku": "POT-BLUE", "name": "Teapot, blue", "weight_g": 900, "reorder_below": 10},
    {"sku": "MUG-WHITE", "name": "Mug", "weight_g": 320, "reorder_below": 40},
    {"sku": "PLATE-26", "name": "Plate, 26 cm", "weight_g": 650, "reorder_below": 30},
    {"sku": "TEA-100", "name": "Earl Grey, 100 g", "weight_g": 130, "tracking": "lot", "expires": True},
    {"sku": "KETTLE", "name": "Kettle", "weight_g": 1_400, "tracking": "serial", "unit_value_minor": 5_900},
)
SIZES = {"POT-BLUE": (240, 160, 150), "MUG-WHITE": (120, 90, 95), "PLATE-26": (260, 260, 30), "TEA-100": (80, 80, 110)}
PIECES = {"POT-BLUE": 24, "MUG-WHITE": 140, "PLATE-26": 25}
CARTONS = {"DEMO-S": (200, 150, 100, 60), "DEMO-M": (300, 250, 200, 105), "DEMO-L": (500, 350, 300, 150)}
WALL_MM = 8
PLACED = ("piece", "x_mm", "y_mm", "z_mm", "turn")


async def seed_warehouse(admin: OperationCaller, clock: SeedClock, order: int) -> int:
    """Create the warehouse, and a packing plan for an order if packing is loaded.

    Returns a free storage location.
    """
    house = await admin.call("create_warehouse", code="KLUUVI", name=DEPOTS[0][0], address=DEPOTS[0][1])
    other = await admin.call("create_warehouse", code="HAKA", name=DEPOTS[1][0], address=DEPOTS[1][1])
    warehouse = house.warehouse.id
    locations = await _create_locations(admin, warehouse)
    for product in PRODUCTS:
        edges = dict(
            zip(("length_mm", "width_mm", "height_mm"), SIZES.get(product["sku"], (220, 220, 250)), strict=True)
        )
        await admin.call("create_product", **product, **edges)
    await _receive(admin, clock, locations)
    await _run_shift(admin, warehouse, locations)
    crates = {"numbers": ["CRATE-11", "CRATE-12"], "reason": "Came to the wrong dock"}
    await admin.call("create_transfer", from_warehouse_id=warehouse, to_warehouse_id=other.warehouse.id, **crates)
    soon = (clock.present + timedelta(days=2)).date()
    advice = {"reference": "PO-2201", "supplier": "Lumi Ceramics Oy", "expected_on": soon}
    await admin.call(
        "create_stock_advice", warehouse_id=warehouse, **advice, lines=[{"sku": "PLATE-26", "quantity": 60}]
    )
    if "packing" in admin.app.loaded:
        await _create_cartons(admin)
        await _plan_packing(admin, order)
    return locations["S-1"]


async def _create_locations(admin: OperationCaller, warehouse: int) -> dict[str, int]:
    shelves = [{"code": f"A-{n}", "zone": "A", "kind": "picking", "walk_order": n} for n in range(1, 7)]
    others = [
        {"code": "IN", "kind": "receiving"},
        {"code": "PACK", "kind": "packing"},
        {"code": "OUT", "kind": "shipping"},
        {"code": "S-1", "zone": "S", "kind": "storage"},
    ]
    made = await admin.call("create_locations", warehouse_id=warehouse, locations=shelves + others)
    return {location.code: location.id for location in made.locations}


async def _receive(admin: OperationCaller, clock: SeedClock, locations: dict[str, int]) -> None:
    lines: list[dict[str, Any]] = [
        {"sku": sku, "quantity": quantity, "location_id": locations[f"A-{n}"]}
        for n, (sku, quantity) in enumerate(PIECES.items(), 1)
    ]
    for lot, days in (("L-07", 20), ("L-08", 200)):
        best_before = (clock.present + timedelta(days=days)).date()
        tea = {"sku": "TEA-100", "quantity": 30, "lot": lot, "expires_on": best_before}
        lines.append({**tea, "location_id": locations["A-4"]})
    lines += [
        {"sku": "KETTLE", "quantity": 1, "serial": f"K-{n:03d}", "location_id": locations["A-5"]} for n in range(1, 4)
    ]
    await admin.call("receive_stock", lines=lines, reference="PO-2188")


async def _run_shift(admin: OperationCaller, warehouse: int, locations: dict[str, int]) -> None:
    """Create a wave of two orders, and a count of one location."""
    references = ["SHOP-501", "SHOP-502"]
    for number, reference in enumerate(references, 1):
        lines = [{"sku": "MUG-WHITE", "quantity": 4 * number}, {"sku": "POT-BLUE", "quantity": 1}]
        await admin.call("reserve_stock", warehouse_id=warehouse, reference=reference, lines=lines)
    wave = {"references": references, "staging_location_id": locations["PACK"]}
    await admin.call("create_pick_wave", warehouse_id=warehouse, **wave)
    count = {"location_ids": [locations["A-3"]], "note": "Two plates were broken on Monday"}
    await admin.call("create_stock_count", warehouse_id=warehouse, **count)


async def _create_cartons(admin: OperationCaller) -> None:
    for code, (length, width, height, cost) in CARTONS.items():
        inner = {"inner_length_mm": length, "inner_width_mm": width, "inner_height_mm": height}
        outer = {name.replace("inner", "outer"): size + WALL_MM for name, size in inner.items()}
        terms = {"name": f"Carton {code[-1]}", "payload_g": 20_000, "tare_g": 90, "cost_minor": cost, "stock": 200}
        await admin.call("create_carton", code=code, **terms, **inner, **outer)
    air = {"unit_mm3": 1_000_000, "unit_g": 12, "unit_cost_minor": 9, "fragile_cushion_mm": 10}
    await admin.call("create_filling", code="DEMO-AIR", name="Air cushions", **air)


async def _plan_packing(admin: OperationCaller, order: int) -> None:
    """Create and commit a packing plan for a teapot and six mugs."""
    wanted = {"products": [{"sku": "POT-BLUE", "quantity": 1, "fragile": True}, {"sku": "MUG-WHITE", "quantity": 6}]}
    plan = await admin.call("pack", **wanted, steps=500)
    placements = [
        {"carton": carton.number, **{name: getattr(placed, name) for name in PLACED}}
        for carton in plan.cartons
        for placed in carton.placements
    ]
    cartons = [carton.carton_id for carton in plan.cartons]
    kept = {"cartons": cartons, "placements": placements, "input_hash": plan.input_hash, "order_id": order}
    await admin.call("commit_packing_plan", **wanted, **kept)
