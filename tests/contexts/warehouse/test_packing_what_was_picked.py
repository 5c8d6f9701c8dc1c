"""Picked items of an order are packed carton by carton by its plan."""

import asyncio
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from tests.contexts.warehouse.makers import inventory
from tests.contexts.warehouse.packing_makers import ADDRESS, make_carton, make_picked_order, make_plan, proposal
from tests.support.app import App

from haulier.contexts.warehouse.packing.rules import sku_of_piece


def contents(package: Any) -> dict[str, int]:
    return {line.sku: line.quantity for line in package.lines}


async def test_planned_cartons_are_packed_one_by_one_until_complete(app: App) -> None:
    hall = await make_picked_order(app, {"sku": "MUG", "quantity": 3}, {"sku": "PLATE", "quantity": 1})
    plan = (await make_plan(app, MUG=3, PLATE=1)).id
    offered = await app.answer("employee", "list_packing_plans", {"reference": "a-1".upper()})
    assert [one.id for one in offered.plans] == [plan]
    assert (await app.answer("employee", "list_packing_plans", {"reference": "A-2"})).plans == []
    what = {"warehouse_id": hall, "reference": "A-1"}
    shown = await app.rest("admin", "POST", "/v1/wms/pick-packages", what, headers={"X-Dry-Run": "1"})
    assert shown.json()["preview"]["package"]["carton"] == 1
    packages = [(await app.answer("employee", "pack_stock", what)).package for _ in range(2)]
    assert [(one.packing_plan_id, one.carton, one.weight_g) for one in packages] == [(plan, 1, 650), (plan, 2, 650)]
    assert contents(packages[0]).get("MUG", 0) + contents(packages[1]).get("MUG", 0) == 3
    refused = await app.call("admin", "pack_stock", what)
    assert refused.error
    assert (refused.status, refused.error["code"]) == (409, "CARTON_PACKED")
    await app.answer("admin", "unpack_stock", {"pick_package_id": packages[0].id})
    again = (await app.answer("admin", "pack_stock", {**what, "packing_plan_id": plan, "carton": 1})).package
    assert contents(again) == contents(packages[0])
    listed = (await app.answer("admin", "list_pick_packages", {"packing_plan_id": plan})).packages
    assert [one.carton for one in listed] == [1, 2]
    await app.answer("admin", "ship_stock", what)
    assert await inventory(app) == {"MUG": (0, 0, 0), "PLATE": (0, 0, 0)}


async def test_items_that_do_not_match_the_plan_are_refused_and_nothing_is_packed(app: App) -> None:
    hall = await make_picked_order(app, {"sku": "MUG", "quantity": 1})
    what = {"warehouse_id": hall, "reference": "A-1"}
    mug = {"lines": [{"sku": "MUG", "quantity": 1}]}
    unsaid = await app.call("admin", "pack_stock", what)
    assert unsaid.error
    assert (unsaid.status, unsaid.error["errors"][0]["field"]) == (422, "lines")
    kept = await make_plan(app, MUG=2)
    plan = kept.id
    for words, code in (
        ({}, "PACK_EXCEEDS_PICKED"),
        ({"packing_plan_id": plan, **mug}, "INVALID_REQUEST"),
        ({"packing_plan_id": plan, "carton": 2}, "NOT_FOUND"),
        ({"packing_plan_id": plan + 1}, "NOT_FOUND"),
    ):
        refused = await app.call("admin", "pack_stock", {**what, **words})
        assert refused.error
        assert refused.error["code"] == code
    newer = (await make_plan(app, kept.order_id, MUG=1)).id
    stale = await app.call("admin", "pack_stock", {**what, "packing_plan_id": plan})
    assert stale.error
    assert stale.error["code"] == "PACKING_PLAN_STALE"
    assert (await app.answer("admin", "list_pick_packages")).total == 0
    packed = (await app.answer("admin", "pack_stock", what)).package
    assert (packed.packing_plan_id, contents(packed)) == (newer, {"MUG": 1})


async def test_a_plan_for_parcels_cannot_pack_products(app: App) -> None:
    hall = await make_picked_order(app, {"sku": "MUG", "quantity": 1})
    await make_carton(app, "S", 200, 100, 100)
    parcel = {"length_mm": 90, "width_mm": 90, "height_mm": 90}
    made = {"consignee": ADDRESS, "order_ref": "A-1", "packages": [parcel]}
    order = (await app.answer("admin", "create_order", made)).order.id
    asked: dict[str, Any] = {"order_ids": [order]}
    answer = await app.answer("admin", "pack", asked)
    committed = {**proposal(asked, answer), "input_hash": answer.input_hash, "order_id": order}
    await app.answer("admin", "commit_packing_plan", committed)
    refused = await app.call("admin", "pack_stock", {"warehouse_id": hall, "reference": "A-1"})
    assert refused.error
    assert (refused.error["code"], refused.error["errors"][0]["field"]) == ("UNKNOWN_SKU", "packing_plan_id")


async def test_lots_are_required_where_a_carton_could_have_either(app: App) -> None:
    lots = [{"sku": "MUG", "quantity": 2, "lot": lot} for lot in ("L-1", "L-2")]
    hall = await make_picked_order(app, *lots, tracking="lot")
    await make_plan(app, MUG=4)
    what = {"warehouse_id": hall, "reference": "A-1"}
    refused = await app.call("admin", "pack_stock", what)
    assert refused.error
    assert (refused.status, refused.error["code"]) == (422, "PIECES_NOT_TOLD_APART")
    plan = (await app.answer("admin", "list_packing_plans", {"reference": "A-1"})).plans[0].id
    said = {"packing_plan_id": plan, "lines": [{"sku": "MUG", "quantity": 1, "lot": lot} for lot in ("L-1", "L-2")]}
    first = (await app.answer("admin", "pack_stock", {**what, **said})).package
    assert {line.lot: line.quantity for line in first.lines} == {"L-1": 1, "L-2": 1}
    second = (await app.answer("admin", "pack_stock", what)).package
    assert {line.lot: line.quantity for line in second.lines} == {"L-1": 1, "L-2": 1}


async def test_concurrent_packers_of_a_plan_get_different_cartons(app: App) -> None:
    hall = await make_picked_order(app, {"sku": "MUG", "quantity": 6})
    await make_plan(app, MUG=6)
    what = {"warehouse_id": hall, "reference": "A-1"}
    answers = await asyncio.gather(*(app.call("admin", "pack_stock", what) for _ in range(5)))
    assert sorted(answer.status for answer in answers) == [200, 200, 200, 409, 409]
    assert {answer.answer.package.carton for answer in answers if answer.answer} == {1, 2, 3}  # type: ignore[attr-defined]


@given(st.text(min_size=1, max_size=8), st.integers(1, 12))
def test_items_of_a_product_are_identified_by_any_sku(sku: str, count: int) -> None:
    names = [sku] if count == 1 else [f"{sku}#{number}" for number in range(1, count + 1)]
    assert {sku_of_piece(name, names) for name in names} == {sku}
