"""Errors of picking and packing: empty waves, missing picks, and early dispatch."""

from typing import Any

from tests.contexts.warehouse.makers import make_product, make_warehouse, receive, some_locations
from tests.contexts.warehouse.packing_makers import make_plan
from tests.invariants.error_scenarios.runner import Attempts
from tests.support.app import App


async def scene(app: App) -> dict[str, Any]:
    """Create orders to pick, without stock, already picked, and already dispatched."""
    hall = await make_warehouse(app)
    shelf, blocked = await some_locations(app, hall, "A-01", "A-02")
    (pack,) = await some_locations(app, hall, "PACK", kind="packing")
    (shut,) = await some_locations(app, hall, "SHUT", kind="packing")
    (tiny,) = await some_locations(app, hall, "TINY", kind="packing", capacity=1)
    await app.answer("admin", "update_location", {"location_id": shut, "blocked": True})
    (elsewhere,) = await some_locations(app, await make_warehouse(app, "YUL"), "PACK", kind="packing")
    await make_product(app, length_mm=100, width_mm=100, height_mm=100)
    await receive(app, shelf, 30)
    ids: dict[str, Any] = {"hall": hall, "shelf": shelf, "pack": pack, "shut": shut, "elsewhere": elsewhere}
    for reference, staging in (("OPEN", pack), ("DONE", pack), ("GONE", pack), ("TINY", tiny), ("LATE", blocked)):
        lines = [{"sku": "MUG", "quantity": 2}]
        wanted = {"warehouse_id": hall, "reference": reference, "lines": lines}
        await app.answer("admin", "reserve_stock", wanted)
        if reference == "LATE":
            await app.answer("admin", "update_location", {"location_id": blocked, "kind": "packing"})
        asked = {"warehouse_id": hall, "references": [reference], "staging_location_id": staging}
        wave = await app.answer("admin", "create_pick_wave", asked)
        ids |= {f"{reference}_wave": wave.wave.id, f"{reference}_task": wave.tasks[0].id}
        if reference in {"DONE", "GONE"}:
            await app.answer("admin", "confirm_picks", picks(ids, reference))
        if reference == "GONE":
            ids["package"] = (await app.answer("admin", "pack_stock", wanted)).package.id
            await app.answer("admin", "ship_stock", {"warehouse_id": hall, "reference": reference})
    await app.answer("admin", "update_location", {"location_id": blocked, "blocked": True})
    replaced = await make_plan(app, MUG=2)
    ids |= {"replaced": replaced.id, "plan": (await make_plan(app, replaced.order_id, MUG=1)).id}
    await app.answer("admin", "pack_stock", {"warehouse_id": hall, "reference": "DONE", "packing_plan_id": ids["plan"]})
    return ids | {"plan_of_lots": await two_lots(app, hall, shelf, pack)}


async def two_lots(app: App, hall: int, shelf: int, pack: int) -> int:
    """Pick an item of each of two lots for one order, and return the id of its plan.

    Each box of the plan takes one item.
    """
    await make_product(app, "SERUM", tracking="lot", length_mm=200, width_mm=100, height_mm=100)
    for lot in ("L-1", "L-2"):
        await receive(app, shelf, 1, "SERUM", lot=lot)
    wanted = {"warehouse_id": hall, "reference": "LOTS", "lines": [{"sku": "SERUM", "quantity": 2}]}
    await app.answer("admin", "reserve_stock", wanted)
    asked = {"warehouse_id": hall, "references": ["LOTS"], "staging_location_id": pack}
    wave = await app.answer("admin", "create_pick_wave", asked)
    lines = [{"task_id": task.id, "quantity": 1} for task in wave.tasks]
    await app.answer("admin", "confirm_picks", {"wave_id": wave.wave.id, "lines": lines})
    return (await make_plan(app, reference="LOTS", SERUM=2)).id


def picks(ids: dict[str, Any], reference: str, quantity: int = 2) -> dict[str, Any]:
    """Return a request that confirms the picks of an order."""
    line = {"task_id": ids[f"{reference}_task"], "quantity": quantity}
    return {"wave_id": ids[f"{reference}_wave"], "lines": [line]}


def attempts(ids: dict[str, Any]) -> Attempts:
    """Return an attempt for each error."""
    hall = {"warehouse_id": ids["hall"]}
    wave = {**hall, "references": ["OPEN"], "staging_location_id": ids["pack"]}
    packed = {**hall, "reference": "DONE", "lines": [{"sku": "MUG", "quantity": 3}]}
    return {
        ("create_pick_wave", "LOCATION_NOT_USABLE"): ("admin", {**wave, "staging_location_id": ids["shut"]}),
        ("create_pick_wave", "LOCATION_ELSEWHERE"): ("admin", {**wave, "staging_location_id": ids["elsewhere"]}),
        ("create_pick_wave", "NOT_A_STAGING_LOCATION"): ("admin", {**wave, "staging_location_id": ids["shelf"]}),
        ("create_pick_wave", "NOTHING_TO_PICK"): ("admin", {**wave, "references": ["DONE"]}),
        ("create_pick_wave", "PICK_UNDERWAY"): ("admin", wave),
        ("confirm_picks", "PICK_EXCEEDED"): ("admin", picks(ids, "OPEN", 3)),
        ("confirm_picks", "LOCATION_FULL"): ("admin", picks(ids, "TINY")),
        ("confirm_picks", "LOCATION_NOT_USABLE"): ("admin", picks(ids, "LATE")),
        ("pack_stock", "UNKNOWN_SKU"): ("admin", {**packed, "lines": [{"sku": "x", "quantity": 1}]}),
        ("pack_stock", "PACK_EXCEEDS_PICKED"): ("admin", packed),
        ("pack_stock", "PACKING_PLAN_STALE"): ("admin", {**packed, "packing_plan_id": ids["replaced"]}),
        ("pack_stock", "CARTON_PACKED"): ("admin", {**packed, "packing_plan_id": ids["plan"], "carton": 1}),
        ("pack_stock", "PIECES_NOT_TOLD_APART"): (
            "admin",
            {**hall, "reference": "LOTS", "packing_plan_id": ids["plan_of_lots"]},
        ),
        ("unpack_stock", "PACKAGE_SHIPPED"): ("admin", {"pick_package_id": ids["package"]}),
        ("ship_stock", "NOT_PICKED_YET"): ("admin", {**hall, "reference": "OPEN"}),
    }
