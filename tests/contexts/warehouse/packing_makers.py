"""Cartons, plans, and an order that was picked, to try packing with."""

from typing import Any

from tests.contexts.warehouse.examples import CARTON
from tests.contexts.warehouse.makers import make_product, make_warehouse, some_locations
from tests.support.app import App

ADDRESS = {"name": "Ann", "address": "1 Front St", "city": "Toronto", "country": "CA", "lat": 43.64, "lng": -79.38}


async def make_carton(app: App, code: str, *inner: int, walls: int = 8, **words: Any) -> int:
    """Create a carton kind with a total wall thickness in millimetres; return its id."""
    edges = ("length", "width", "height")
    sizes = {f"inner_{edge}_mm": size for edge, size in zip(edges, inner, strict=True)}
    sizes |= {f"outer_{edge}_mm": size + walls for edge, size in zip(edges, inner, strict=True)}
    return (await app.answer("admin", "create_carton", {**CARTON, **sizes, "code": code, **words})).carton.id


def proposal(asked: dict[str, Any], answer: Any) -> dict[str, Any]:
    """Return the plan of a response as a proposal."""
    places = [
        {"piece": p.piece, "carton": carton.number, "x_mm": p.x_mm, "y_mm": p.y_mm, "z_mm": p.z_mm, "turn": p.turn}
        for carton in answer.cartons
        for p in carton.placements
    ]
    return {**asked, "cartons": [carton.carton_id for carton in answer.cartons], "placements": places}


async def make_picked_order(app: App, *lines: dict[str, Any], **tracked: Any) -> int:
    """Create a warehouse with picked mugs and plates of order `A-1` to pack."""
    hall = await make_warehouse(app)
    shelf, bench = await some_locations(app, hall, "A-01", "PACK")
    await app.answer("admin", "update_location", {"location_id": bench, "kind": "packing"})
    for sku, words in (("MUG", tracked), ("PLATE", {})):
        await make_product(app, sku, length_mm=100, width_mm=100, height_mm=100, weight_g=300, **words)
    await app.answer("admin", "receive_stock", {"lines": [{**line, "location_id": shelf} for line in lines]})
    wanted: dict[str, int] = {}
    for line in lines:
        wanted[line["sku"]] = wanted.get(line["sku"], 0) + line["quantity"]
    reserved = {"reference": "A-1", "lines": [{"sku": sku, "quantity": count} for sku, count in wanted.items()]}
    await app.answer("admin", "reserve_stock", {"warehouse_id": hall, **reserved})
    asked = {"warehouse_id": hall, "references": ["A-1"], "staging_location_id": bench}
    wave = await app.answer("admin", "create_pick_wave", asked)
    picks = [{"task_id": task.id, "quantity": task.quantity} for task in wave.tasks]
    await app.answer("admin", "confirm_picks", {"wave_id": wave.wave.id, "lines": picks})
    return hall


async def make_plan(app: App, order_id: int | None = None, reference: str = "A-1", **products: int) -> Any:
    """Create a packing plan of an existing order, or of a reference, two per carton."""
    if not (await app.answer("admin", "list_cartons")).cartons:
        await make_carton(app, "S", 200, 100, 100, tare_g=50)
    if order_id is None:
        order_id = (await app.answer("admin", "create_order", {"consignee": ADDRESS, "order_ref": reference})).order.id
    asked = {"products": [{"sku": sku, "quantity": count} for sku, count in products.items()]}
    answer = await app.answer("admin", "pack", asked)
    committed = {**proposal(asked, answer), "input_hash": answer.input_hash, "order_id": order_id}
    return (await app.answer("admin", "commit_packing_plan", committed)).plan
