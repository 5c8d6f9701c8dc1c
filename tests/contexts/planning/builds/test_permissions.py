"""Permission to take orders: pools, zones, assigned drivers, skills, preferences.

Also permission to plan.
"""

from tests.contexts.planning.builds.makers import (
    DEPOT,
    TOMORROW,
    build_and_read,
    commit_build,
    make_order_at,
    make_small_day,
    make_vehicle,
    set_working_profile,
    unassigned_reasons,
    use_in_process_search,
    visited_order_ids,
)
from tests.support.app import App
from tests.support.transport import make_depot, make_driver, set_order, status_and_code

OPERATIONS = {
    "build_route": {"day": TOMORROW},
    "get_build_route_options": {},
    "list_route_builds": {},
    "get_route_build": {"build_id": 1},
    "get_route_build_steps": {"build_id": 1},
    "cancel_route_build": {"build_id": 1},
    "commit_route_build": {"build_id": 1},
}


async def test_only_planners_can_build(app: App) -> None:
    for operation, body in OPERATIONS.items():
        assert status_and_code(await app.call(None, operation, body)) == (401, "UNAUTHENTICATED")
        for who in ("driver", "customer"):
            assert status_and_code(await app.call(who, operation, body)) == (403, "ACCOUNT_NOT_ALLOWED")


async def test_a_foreign_build_is_not_found(app: App) -> None:
    await make_small_day(app)
    build = await build_and_read(app)
    for who in ("rival", "contractor"):
        for operation in ("get_route_build", "get_route_build_steps", "cancel_route_build", "commit_route_build"):
            assert status_and_code(await app.call(who, operation, {"build_id": build.id})) == (404, "NOT_FOUND")
        assert (await app.answer(who, "list_route_builds")).total == 0


async def test_a_contractor_plans_only_their_own_drivers_and_orders(app: App) -> None:
    _, orders = await make_small_day(app, orders=2, drivers=1)
    mine = await make_driver(app, who="contractor", name="Carla")
    body = {"order_ids": orders[:1], "broker_id": app.ids["contractor"]}
    assert (await app.answer("admin", "assign_orders_to_broker", body)).errors == []
    build = await build_and_read(app, who="contractor", order_ids=orders)
    assert [each.code for each in build.refused] == ["ORDER_UNKNOWN"]
    assert [(route.driver_id, route.stops[0].order_id) for route in build.routes] == [(mine, orders[0])]
    done = await commit_build(app, build, who="contractor")
    assert len(done.route_ids) == 1
    assert unassigned_reasons(await build_and_read(app, order_ids=orders)) == {}


async def test_the_office_plans_contractor_drivers_only_with_permitted_orders(app: App) -> None:
    own, (first, second) = await make_small_day(app, orders=2, drivers=1)
    theirs = await make_driver(app, who="contractor", name="Carla")
    body = {"order_ids": [first], "broker_id": app.ids["contractor"]}
    await app.answer("admin", "assign_orders_to_broker", body)
    alone = await build_and_read(app, order_ids=[first, second])
    assert unassigned_reasons(alone) == {first: "pool"}
    together = await build_and_read(app, driver_ids=[*own, theirs], order_ids=[first, second])
    assert {route.driver_id: [stop.order_id for stop in route.stops] for route in together.routes} == {
        own[0]: [second],
        theirs: [first],
    }
    done = await commit_build(app, together)
    routes = [(await app.answer("admin", "get_route_detail", {"route_id": id})).route for id in done.route_ids]
    assert {route.driver_id: route.contractor_id for route in routes} == {
        own[0]: None,
        theirs: app.ids["contractor"],
    }


async def test_drivers_are_planned_only_within_their_zones(app: App) -> None:
    use_in_process_search(app)
    await make_depot(app, lat=DEPOT[0], lng=DEPOT[1])
    north, south = await make_driver(app, name="North"), await make_driver(app, name="South")
    corners = [{"lat": DEPOT[0], "lng": east} for east in (-80, -79)] + [{"lat": 44, "lng": e} for e in (-79, -80)]
    await set_working_profile(app, north, zones=[{"polygon": corners}])
    await set_working_profile(app, south, zones=[{"postal_prefixes": ["l4"]}])
    up = await make_order_at(app, north=5)
    down = await make_order_at(app, north=-5, postal_code="L4B 1A1")
    nobodys = await make_order_at(app, north=-5)
    build = await build_and_read(app)
    assert {route.driver_id: [s.order_id for s in route.stops] for route in build.routes} == {
        north: [up],
        south: [down],
    }
    assert unassigned_reasons(build) == {nobodys: "pool"}


async def test_a_pinned_order_stays_with_its_driver_and_skills_combine_three_sources(app: App) -> None:
    (first, second), orders = await make_small_day(app, orders=2)
    await set_order(app, orders[0], driver_id=app.ids["driver"])
    await set_working_profile(app, second, skills=["cooled"], vehicle_id=await make_vehicle(app, skills=["lift"]))
    await set_working_profile(app, first, vehicle_id=await make_vehicle(app, name="Other"))
    both = await make_order_at(app, north=1, skills=["cooled", "lift"])
    build = await build_and_read(app)
    taken = {stop.order_id: route.driver_id for route in build.routes for stop in route.stops}
    assert (taken[orders[0]], taken[both]) == (first, second)


async def test_plan_preferences_are_respected(app: App) -> None:
    (first, second), orders = await make_small_day(app, orders=3)
    await set_working_profile(app, first, max_stops=1)
    await set_working_profile(app, second, max_stops=1)
    preferences = [
        {"order_id": orders[0], "priority": 50},
        {"order_id": orders[1], "driver_ids": [second], "priority": 10},
        {"order_id": orders[2], "priority": 0},
    ]
    build = await build_and_read(app, preferences=preferences)
    assert unassigned_reasons(build) == {orders[2]: "no_room"}
    assert {route.driver_id: route.stops[0].order_id for route in build.routes} == {first: orders[0], second: orders[1]}
    far = await make_order_at(app, north=40)
    optional = [{"order_id": far, "skip_cost": 1}]
    assert unassigned_reasons(await build_and_read(app, order_ids=[far], preferences=optional)) == {far: "not_worth"}


async def test_pairs_are_picked_up_before_delivery_and_pickups_return_to_the_depot(app: App) -> None:
    await make_small_day(app, orders=0, drivers=1)
    pair, pickup = await make_order_at(app, north=3, type="P2P"), await make_order_at(app, east=2, type="P")
    build = await build_and_read(app)
    kinds = [(stop.order_id, stop.kind) for stop in build.routes[0].stops]
    assert kinds.index((pair, "pickup")) < kinds.index((pair, "delivery"))
    assert (pickup, "pickup") in kinds
    assert visited_order_ids(build) == [pair, pair, pickup]
