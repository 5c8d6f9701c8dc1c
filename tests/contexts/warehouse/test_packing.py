"""Packing plans: cartons are selected, plans checked, and one stored."""

import asyncio
from typing import Any

from tests.contexts.control_tower.approvals.makers import make_token
from tests.contexts.warehouse.examples import CARTON, TEAPOT
from tests.contexts.warehouse.makers import make_product
from tests.contexts.warehouse.packing_makers import ADDRESS, make_carton, proposal
from tests.support.app import App

from haulier.kernel.operations.enums import Risk


async def make_order(app: App, *sizes: tuple[int, int, int]) -> int:
    packages = [dict(zip(("length_mm", "width_mm", "height_mm"), size, strict=True)) for size in sizes]
    return (await app.answer("admin", "create_order", {"consignee": ADDRESS, "packages": packages})).order.id


async def test_the_minimum_volume_is_chosen_and_proven_for_items_products_and_orders(app: App) -> None:
    small = await make_carton(app, "S", 200, 150, 100)
    large = await make_carton(app, "L", 400, 300, 200)
    await make_product(app, "MUG", length_mm=100, width_mm=100, height_mm=100, weight_g=300)
    order = await make_order(app, (150, 100, 100))
    asked = {"products": [{"sku": "MUG", "quantity": 2}], "order_ids": [order], "pieces": [{**TEAPOT, "fragile": True}]}
    plan = await app.answer("employee", "pack", asked)
    assert (plan.result, plan.state, [carton.code for carton in plan.cartons]) == (True, "optimal", ["L"])
    assert {place.piece for place in plan.cartons[0].placements} > {"MUG#1", "MUG#2", "teapot"}
    assert (plan.objective.outer_volume_mm3, plan.objective.cartons) == (408 * 308 * 208, 1)
    mugs = await app.answer("employee", "pack", {"products": asked["products"]})
    assert [carton.code for carton in mugs.cartons] == ["S"]
    assert (mugs.cartons[0].weight_g, mugs.cartons[0].filled_percent) == (600, 66)
    capped = await app.answer("employee", "pack", {"products": asked["products"], "target_utilization_percent": 50})
    assert [carton.code for carton in capped.cartons] == ["S", "S"]
    await app.answer("admin", "update_carton", {"carton_id": small, **CARTON, "active": False})
    only = await app.answer("employee", "pack", {"products": asked["products"]})
    assert [carton.carton_id for carton in only.cartons] == [large]


async def test_unpackable_items_are_listed_with_the_violated_rule(app: App) -> None:
    await make_carton(app, "S", 200, 150, 100)
    plan = await app.answer("admin", "pack", {"pieces": [TEAPOT, {**TEAPOT, "id": "cup", "length_mm": 90}]})
    assert (plan.result, plan.state, plan.pieces, plan.rule) == (False, "infeasible", ["teapot"], "inside")
    assert plan.message == "Too large for every carton: teapot"
    mug = await make_product(app, "MUG")
    refused = await app.call("admin", "pack", {"products": [{"sku": "MUG"}]})
    assert refused.error
    assert (refused.error["code"], refused.error["errors"][0]["field"]) == ("PIECE_WITHOUT_SIZE", "products.0.sku")
    assert mug
    for asked, field in (
        ({}, "pieces"),
        ({"pieces": [TEAPOT, TEAPOT]}, "pieces"),
    ):
        refused = await app.call("admin", "pack", asked)
        assert refused.error
        assert (refused.status, refused.error["errors"][0]["field"]) == (422, field)
    thin = await app.call("admin", "create_carton", {**CARTON, "code": "X", "outer_width_mm": 249})
    assert thin.error
    assert (thin.status, thin.error["errors"][0]["field"]) == (422, "outer_width_mm")


async def test_any_submitted_plan_is_checked(app: App) -> None:
    await make_carton(app, "S", 260, 200, 130)
    asked = {"pieces": [TEAPOT]}
    right = proposal(asked, await app.answer("admin", "pack", asked))
    assert (await app.answer("admin", "check_packing_plan", right)).result is True
    shifted = {**right, "placements": [{**right["placements"][0], "x_mm": 60}]}
    wrong = await app.answer("admin", "check_packing_plan", shifted)
    assert (wrong.result, wrong.broken[0].rule, wrong.broken[0].carton) == (False, "inside", 1)
    assert wrong.broken[0].message == "Sticks out of carton 1: teapot"


async def test_a_plan_is_saved_once_replaced_by_a_later_one_and_refused_when_outdated(app: App) -> None:
    carton = await make_carton(app, "S", 260, 200, 130)
    order = await make_order(app, (240, 160, 120))
    asked: dict[str, Any] = {"order_ids": [order]}
    answer = await app.answer("admin", "pack", asked)
    committed = {**proposal(asked, answer), "input_hash": answer.input_hash, "order_id": order}
    rehearsed = await app.rest("admin", "POST", "/v1/packing/plans", committed, headers={"X-Dry-Run": "1"})
    assert rehearsed.status_code == 200
    assert (await app.answer("admin", "list_packing_plans", {"replaced": True})).total == 0
    first = (await app.answer("employee", "commit_packing_plan", committed)).plan
    assert (await app.answer("admin", "commit_packing_plan", committed)).plan == first
    moved = {**committed, "placements": [{**committed["placements"][0], "x_mm": 1}]}
    second = (await app.answer("admin", "commit_packing_plan", moved)).plan
    listed = await app.answer("admin", "list_packing_plans", {"order_id": order})
    assert [plan.id for plan in listed.plans] == [second.id]
    every = await app.answer("admin", "list_packing_plans", {"order_id": order, "replaced": True})
    assert [(plan.id, plan.replaced_at is None) for plan in every.plans] == [(second.id, True), (first.id, False)]
    assert (await app.answer("admin", "commit_packing_plan", committed)).plan.replaced_at is None
    outside = {**committed, "placements": [{**committed["placements"][0], "x_mm": 30}]}
    broken = await app.call("admin", "commit_packing_plan", outside)
    assert broken.error
    assert broken.error["code"] == "PACKING_RULES_BROKEN"
    await app.answer("admin", "update_carton", {"carton_id": carton, **CARTON})
    stale = await app.call("admin", "commit_packing_plan", committed)
    assert stale.error
    assert stale.error["code"] == "PACKING_PLAN_STALE"
    kept = (await app.answer("admin", "get_packing_plan", {"plan_id": first.id})).plan
    assert (kept.cartons[0].inner_mm, kept.cartons[0].code) == ([260, 200, 130], "S")
    for view in ("isometric", "layers"):
        asked_for = f"/v1/packing/plans/{first.id}/picture?view={view}"
        shown = await app.rest("admin", "GET", asked_for, headers={"Accept": "image/svg+xml"})
        assert (shown.status_code, shown.headers["content-type"]) == (200, "image/svg+xml")
        assert shown.text.startswith("<svg ")
    beyond = await app.call("admin", "get_packing_picture", {"plan_id": first.id, "carton": 2})
    assert beyond.status == 404
    await app.answer("admin", "delete_carton", {"carton_id": carton})
    assert (await app.answer("admin", "get_packing_plan", {"plan_id": first.id})).plan == kept
    two = await app.call("admin", "commit_packing_plan", {**committed, "shipment_id": 1})
    assert two.error
    assert two.error["errors"][0]["field"] == "order_id"
    assert (await app.call("rival", "get_packing_plan", {"plan_id": first.id})).status == 404


async def test_a_plan_saved_by_an_agent_waits_for_approval_if_required(app: App) -> None:
    await make_carton(app, "S", 260, 200, 130)
    order = await make_order(app, (240, 160, 120))
    asked: dict[str, Any] = {"order_ids": [order]}
    answer = await app.answer("employee", "pack", asked)
    proposed = {**proposal(asked, answer), "input_hash": answer.input_hash, "order_id": order}
    agent = await make_token(app, "employee", "agent", profile="full")
    waits: Any = await app.call(agent, "commit_packing_plan", proposed, approval_from=Risk.MEDIUM)
    assert waits.pending_approval is True
    assert (await app.answer("admin", "list_packing_plans", {"order_id": order})).total == 0
    await app.answer("admin", "approve_pending_write", {"approval_id": waits.answer.approval.id})
    assert (await app.answer("admin", "list_packing_plans", {"order_id": order})).total == 1


async def test_of_concurrently_saved_plans_one_becomes_current_and_replaces_the_others(app: App) -> None:
    await make_carton(app, "S", 260, 200, 130)
    order = await make_order(app, (240, 160, 120))
    asked: dict[str, Any] = {"order_ids": [order]}
    answer = await app.answer("admin", "pack", asked)
    committed = {**proposal(asked, answer), "input_hash": answer.input_hash, "order_id": order}
    others = [{**committed, "placements": [{**committed["placements"][0], "y_mm": moved}]} for moved in range(5)]
    kept = await asyncio.gather(*(app.answer("employee", "commit_packing_plan", each) for each in others))
    assert len({each.plan.id for each in kept}) == len(others)
    every = await app.answer("admin", "list_packing_plans", {"order_id": order, "replaced": True})
    assert [each.replaced_at is None for each in every.plans].count(True) == 1
    assert (every.total, (await app.answer("admin", "list_packing_plans", {"order_id": order})).total) == (5, 1)
