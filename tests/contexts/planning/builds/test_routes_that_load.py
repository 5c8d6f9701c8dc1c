"""Routes that can be loaded: cargo spaces of vehicles and boxes of orders."""

import asyncio
from typing import Any

from tests.contexts.planning.builds.makers import (
    build_and_read,
    commit_build,
    make_order_at,
    make_small_day,
    make_vehicle,
    set_working_profile,
    unassigned_reasons,
)
from tests.contexts.warehouse.examples import LOAD_SPACE
from tests.support.app import App

CRATE = {"length_mm": 1600, "width_mm": 1600, "height_mm": 1800, "weight_g": 40_000}


async def make_van(app: App, driver: int, **words: Any) -> tuple[int, int]:
    """The driver's vehicle and its load space, of 3400 x 1700 x 1900 mm."""
    vehicle = await make_vehicle(app, name=f"Van {driver}")
    await set_working_profile(app, driver, vehicle_id=vehicle)
    asked = {**LOAD_SPACE, "code": f"V{driver}", "vehicle_ids": [vehicle], **words}
    return vehicle, (await app.answer("admin", "create_load_space", asked)).load_space.id


async def test_orders_use_as_many_vans_as_their_boxes_need(app: App) -> None:
    """By weight and volume, three crates fit one van; its floor has room for two."""
    drivers, _ = await make_small_day(app, orders=0)
    spaces = [(await make_van(app, driver))[1] for driver in drivers]
    orders = [await make_order_at(app, north=n, packages=[CRATE]) for n in (1, 2, 3)]
    beam = await make_order_at(app, east=1, packages=[{**CRATE, "length_mm": 3500}])
    build = await build_and_read(app)
    assert sorted(len(route.stops) for route in build.routes) == [1, 2]
    assert unassigned_reasons(build) == {beam: "loading"}
    (left,) = build.unassigned
    assert left.message == "The packages don’t fit into any of the 2 eligible vehicles."
    done = await commit_build(app, build)
    for route_id, driver in [(id, route.driver_id) for id, route in zip(done.route_ids, build.routes, strict=True)]:
        question = {"route_id": route_id, "load_space_ids": [spaces[drivers.index(driver)]], "steps": 20}
        assert (await app.answer("admin", "load", question)).result is True
    assert set(orders) == {stop.order_id for route in build.routes for stop in route.stops}


async def test_without_a_usable_load_space_only_weight_and_volume_count(app: App) -> None:
    (driver,), _ = await make_small_day(app, orders=0, drivers=1)
    vehicle, space = await make_van(app, driver)
    orders = [await make_order_at(app, north=n, packages=[CRATE]) for n in (1, 2, 3)]
    assert list(unassigned_reasons(await build_and_read(app)).values()) == ["loading"]
    change = {**LOAD_SPACE, "load_space_id": space, "vehicle_ids": [vehicle]}
    await app.answer("admin", "update_load_space", {**change, "active": False})
    (route,) = (await build_and_read(app)).routes
    assert sorted(stop.order_id for stop in route.stops) == orders
    await app.answer("admin", "update_load_space", {**change, "vehicle_ids": []})
    assert unassigned_reasons(await build_and_read(app)) == {}


async def test_a_plan_is_outdated_when_a_box_changes_shape_at_the_same_volume(app: App) -> None:
    (driver,), _ = await make_small_day(app, orders=0, drivers=1)
    await make_van(app, driver)
    order = await make_order_at(app, north=1, packages=[CRATE])
    build = await build_and_read(app)
    turned = {**CRATE, "length_mm": 3200, "height_mm": 900}
    await app.answer("admin", "correct_order", {"order_id": order, "packages": [turned]})
    refused = await app.call("admin", "commit_route_build", {"build_id": build.id})
    assert refused.error
    assert (refused.status, refused.error["code"]) == (409, "PLAN_OUTDATED")


async def test_a_vehicle_has_one_load_space_under_concurrent_updates(app: App) -> None:
    vehicles = [await make_vehicle(app, name=f"Van {number}") for number in range(2)]
    made = await app.answer("admin", "create_load_space", {**LOAD_SPACE, "code": "A", "vehicle_ids": vehicles})
    assert made.load_space.vehicle_ids == vehicles
    asked = [{**LOAD_SPACE, "code": code, "vehicle_ids": vehicles[:1]} for code in "BCD"]
    others = await asyncio.gather(*(app.answer("admin", "create_load_space", each) for each in asked))
    listed = (await app.answer("admin", "list_load_spaces", {})).load_spaces
    held = {each.code: each.vehicle_ids for each in listed if each.vehicle_ids}
    assert held.pop("A") == vehicles[1:]
    assert list(held.values()) == [vehicles[:1]]
    for other in others:
        await app.answer("admin", "delete_load_space", {"load_space_id": other.load_space.id})
    first = (await app.answer("admin", "get_load_space", {"load_space_id": made.load_space.id})).load_space
    assert first.vehicle_ids == vehicles[1:]
    wrong = await app.call(
        "admin", "create_load_space", {**LOAD_SPACE, "code": "E", "vehicle_ids": [vehicles[0], 10**9]}
    )
    assert wrong.error
    assert (wrong.status, wrong.error["errors"][0]["field"]) == (422, "vehicle_ids.1")
    theirs = await app.call("rival", "create_load_space", {**LOAD_SPACE, "code": "E", "vehicle_ids": vehicles})
    assert theirs.status == 422
