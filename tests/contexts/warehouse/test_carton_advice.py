"""Stocking advice from past orders, compared with the current catalogue."""

from typing import Any

from tests.contexts.warehouse.packing_makers import ADDRESS, make_carton
from tests.support.app import App
from tests.support.transport import status_and_code

PERIOD = {"from_day": "2026-06-01", "to_day": "2026-06-30", "steps": 5000}


async def make_order_of(app: App, *sizes: tuple[int | None, int, int]) -> None:
    packages = [
        {"length_mm": long, "width_mm": wide, "height_mm": high, "weight_g": 400}
        if long
        else {"width_mm": wide, "weight_g": 400}
        for long, wide, high in sizes
    ]
    await app.answer("admin", "create_order", {"consignee": ADDRESS, "packages": packages})


async def advice(app: App, **words: Any) -> Any:
    search = (await app.answer("admin", "start_carton_advice", {**PERIOD, **words})).search
    await app.work_off()
    done = (await app.answer("employee", "get_plan_search", {"plan_search_id": search.id})).search
    assert (done.state, done.kind, done.packing_plan, done.load_plan) == ("done", "stocking", None, None)
    return done


async def test_carton_advice_shows_savings_and_orders_that_fit_no_carton(app: App) -> None:
    big = await make_carton(app, "BIG", 400, 300, 300, walls=8)
    for _ in range(3):
        await make_order_of(app, (100, 80, 60))
    await make_order_of(app, (200, 150, 100), (200, 150, 50))
    await make_order_of(app, (None, 80, 60))
    await make_order_of(app, (5000, 80, 60))
    done = await advice(app, most=2, longest_mm=1000)
    found = done.carton_advice
    assert [(one.code, one.inner_mm, one.orders) for one in found.cartons] == [
        (None, [100, 80, 60], 3),
        (None, [200, 150, 150], 1),
    ]
    assert (found.orders, found.orders_without_size, found.more_orders, found.state) == (5, 1, False, "optimal")
    assert [(one.reason, one.orders) for one in found.without_carton] == [("too_large", 1)]
    today = found.today
    assert (today.compared_orders, today.outer_volume_mm3) == (4, 4 * 408 * 308 * 308)
    assert (today.saved_percent, done.advice_score.objective) == (95, found.objective)
    kept = (await advice(app, most=1, keep_carton_ids=[big])).carton_advice
    assert [(one.carton_id, one.code, one.orders) for one in kept.cartons] == [(big, "BIG", 4)]
    only = (await advice(app, new_sizes=False, minimise="cost")).carton_advice
    assert ([one.code for one in only.cartons], only.objective.outer_volume_mm3) == (["BIG"], None)
    listed = await app.answer("admin", "list_plan_searches", {"kind": "stocking"})
    assert (listed.total, listed.searches[-1].pieces) == (3, 6)


async def test_fillings_count_in_the_carton_advice(app: App) -> None:
    """The large carton is cheaper, but dearer when filled; wall cushions need space."""
    await make_carton(app, "TIGHT", 110, 110, 110, cost_minor=100)
    await make_carton(app, "ROOMY", 200, 200, 200, cost_minor=80)
    await make_order_of(app, (100, 100, 100))
    asked = {"most": 1, "new_sizes": False, "minimise": "cost"}
    plain = (await advice(app, **asked)).carton_advice
    assert ([one.code for one in plain.cartons], plain.objective.cost_minor) == (["ROOMY"], 80)
    air = {"code": "AIR", "name": "Air", "unit_mm3": 1_000_000, "unit_cost_minor": 10, "by_default": True}
    filling = (await app.answer("admin", "create_filling", air)).filling.id
    filled = (await advice(app, **asked)).carton_advice
    assert ([one.code for one in filled.cartons], filled.objective.cost_minor) == (["TIGHT"], 104)
    assert (filled.today.cost_minor, filled.today.advised_cost_minor) == (104, 104)
    none = (await advice(app, **asked, fill_voids=False)).carton_advice
    assert none.objective.cost_minor == 80
    walls = (await advice(app, **asked, filling_id=filling, wall_cushion_mm=6)).carton_advice
    assert [one.code for one in walls.cartons] == ["ROOMY"]
    new = (await advice(app, most=1, wall_cushion_mm=6)).carton_advice
    assert [one.inner_mm for one in new.cartons] == [[120, 120, 120]]
    unknown = await app.call("admin", "start_carton_advice", {**PERIOD, "filling_id": filling + 99})
    assert status_and_code(unknown) == (404, "NOT_FOUND")


async def test_unanswerable_queries_give_a_reason(app: App) -> None:
    backwards = await app.call("admin", "start_carton_advice", {"from_day": "2026-06-02", "to_day": "2026-06-01"})
    assert backwards.error
    assert (backwards.status, backwards.error["errors"][0]["field"]) == (422, "to_day")
    cartons = [await make_carton(app, code, 100, 100, 100) for code in "AB"]
    asked = {**PERIOD, "most": 1, "keep_carton_ids": cartons}
    many = await app.call("admin", "start_carton_advice", asked)
    assert many.error
    assert (many.status, many.error["errors"][0]["field"]) == (422, "keep_carton_ids")
    assert status_and_code(await app.call("admin", "start_carton_advice", PERIOD)) == (409, "NO_SIZED_ORDERS")
    await make_order_of(app, (50, 50, 50))
    outside = {**PERIOD, "from_day": "2025-01-01", "to_day": "2025-12-31"}
    assert status_and_code(await app.call("admin", "start_carton_advice", outside)) == (409, "NO_SIZED_ORDERS")
    search = (await app.answer("admin", "start_carton_advice", PERIOD)).search
    await app.work_off()
    no_plan = await app.call("admin", "commit_plan_search", {"plan_search_id": search.id, "order_id": 1})
    assert no_plan.error
    assert no_plan.error["errors"][0]["field"] == "plan_search_id"
    assert (await app.call("rival", "get_plan_search", {"plan_search_id": search.id})).status == 404
