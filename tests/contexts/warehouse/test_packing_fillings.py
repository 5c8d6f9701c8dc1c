"""Carton fillings: the catalogue, the default, and their use in plans."""

from base64 import b64decode
from typing import Any

from tests.contexts.warehouse.examples import FILLING, TEAPOT
from tests.contexts.warehouse.packing_makers import ADDRESS, make_carton, proposal
from tests.support.app import App

CUP = {"id": "cup", "length_mm": 100, "width_mm": 100, "height_mm": 100, "weight_g": 300}


async def make_filling(app: App, code: str = "AIR", **words: Any) -> int:
    """Create a void fill of 20 g and 3 per unit of one litre; return its id."""
    return (await app.answer("admin", "create_filling", {**FILLING, "code": code, **words})).filling.id


async def test_each_client_has_its_own_catalogue_of_fillings(app: App) -> None:
    air, paper = await make_filling(app), await make_filling(app, "PAPER", active=False)
    listed = await app.answer("employee", "list_fillings")
    assert ([each.code for each in listed.fillings], listed.total) == (["AIR"], 1)
    assert (await app.answer("admin", "list_fillings", {"inactive": True, "per_page": 1})).total == 2
    assert (await app.answer("rival", "list_fillings")).fillings == []
    assert (await app.call("rival", "get_filling", {"filling_id": air})).status == 404
    changed = await app.answer("admin", "update_filling", {"filling_id": paper, **FILLING, "name": "Paper"})
    assert (changed.filling.name, changed.filling.active, changed.filling.code) == ("Paper", True, "PAPER")
    taken = await app.call("admin", "create_filling", {**FILLING, "code": "AIR"})
    assert taken.error
    assert (taken.status, taken.error["code"]) == (409, "FILLING_CODE_TAKEN")
    wrong = await app.call("admin", "create_filling", {**FILLING, "code": "X", "unit_mm3": 0})
    assert wrong.error
    assert (wrong.status, wrong.error["errors"][0]["field"]) == (422, "unit_mm3")
    await app.answer("admin", "delete_filling", {"filling_id": paper})
    assert (await app.call("admin", "delete_filling", {"filling_id": paper})).status == 404


async def test_the_default_filling_applies_until_another_is_set(app: App) -> None:
    await make_carton(app, "S", 200, 200, 200, walls=0, tare_g=50, cost_minor=90)
    assert (await app.answer("admin", "pack", {"pieces": [CUP]})).cartons[0].filling is None
    await make_filling(app, by_default=True)
    plan = await app.answer("admin", "pack", {"pieces": [CUP]})
    filling = plan.cartons[0].filling
    assert (filling.code, filling.units, filling.weight_g, filling.cost_minor) == ("AIR", 7, 140, 21)
    assert (plan.cartons[0].weight_g, plan.cartons[0].void_mm3) == (50 + 300 + 140, 7_000_000)
    assert (plan.objective.cost_minor, plan.state) == (111, "optimal")
    paper = await make_filling(app, "PAPER", unit_mm3=2_000_000, by_default=True)
    assert [each.by_default for each in (await app.answer("admin", "list_fillings")).fillings] == [False, True]
    assert (await app.answer("admin", "pack", {"pieces": [CUP]})).cartons[0].filling.units == 4
    assert (await app.answer("admin", "pack", {"pieces": [CUP], "fill_voids": False})).cartons[0].filling is None
    await app.answer("admin", "update_filling", {"filling_id": paper, **FILLING, "active": False})
    refused = await app.call("admin", "pack", {"pieces": [CUP], "filling_id": paper})
    assert refused.status == 404


async def test_fragile_items_and_walls_have_cushions_that_the_checker_verifies(app: App) -> None:
    await make_carton(app, "S", 200, 200, 200)
    air = await make_filling(app, fragile_cushion_mm=30, wall_cushion_mm=10)
    asked = {"pieces": [{**CUP, "fragile": True}], "filling_id": air}
    plan = await app.answer("admin", "pack", asked)
    place = plan.cartons[0].placements[0]
    assert (place.x_mm, place.y_mm, place.z_mm) == (40, 40, 40)
    right = proposal(asked, plan)
    assert (await app.answer("admin", "check_packing_plan", right)).result is True
    near = {**right, "placements": [{**right["placements"][0], "z_mm": 39}]}
    (broken,) = (await app.answer("admin", "check_packing_plan", near)).broken
    assert (broken.rule, broken.pieces, broken.carton) == ("cushion", ["cup"], 1)
    assert broken.message == "In the space of the filling in carton 1: cup"
    thick = await app.answer("admin", "pack", {**asked, "fragile_cushion_mm": 41})
    assert (thick.state, thick.rule, thick.pieces) == ("infeasible", "cushion", ["cup"])
    assert (await app.answer("admin", "pack", {**asked, "fragile_cushion_mm": 0, "wall_cushion_mm": 0})).result


async def test_a_filling_counts_towards_the_payload(app: App) -> None:
    await make_carton(app, "S", 200, 200, 200, payload_g=440)
    air = await make_filling(app)
    fits = await app.answer("admin", "pack", {"pieces": [CUP], "filling_id": air})
    assert fits.result
    await app.answer("admin", "update_filling", {"filling_id": air, **FILLING, "unit_g": 21})
    heavy = await app.answer("admin", "pack", {"pieces": [CUP], "filling_id": air})
    assert (heavy.state, heavy.rule) == ("infeasible", "payload")


async def test_a_saved_plan_keeps_its_filling_and_prints_it_on_the_slip(app: App) -> None:
    await make_carton(app, "S", 260, 200, 130, tare_g=50)
    air = await make_filling(app, by_default=True)
    asked = {"pieces": [TEAPOT]}
    answer = await app.answer("admin", "pack", asked)
    order = (await app.answer("admin", "create_order", {"consignee": ADDRESS})).order.id
    committed = {**proposal(asked, answer), "input_hash": answer.input_hash, "order_id": order}
    kept = (await app.answer("admin", "commit_packing_plan", committed)).plan
    assert kept.objective.cost_minor == answer.objective.cost_minor > 0
    await app.answer("admin", "update_filling", {"filling_id": air, **FILLING, "unit_g": 50, "by_default": True})
    assert (await app.answer("admin", "get_packing_plan", {"plan_id": kept.id})).plan.cartons == kept.cartons
    stale = await app.call("admin", "commit_packing_plan", committed)
    assert stale.error
    assert stale.error["code"] == "PACKING_PLAN_STALE"
    page = await app.answer("admin", "print_packing_slip", {"plan_id": kept.id, "format": "html"})
    filling = kept.cartons[0].filling
    assert (
        f"<th>Filling</th><td>{filling.units} × AIR, {filling.weight_g / 1000:.2f} kg</td>"
        in b64decode(page.document).decode()
    )
