"""Route building: from a planning input to a plan and its routes."""

from tests.contexts.planning.builds.makers import (
    build_and_read,
    commit_build,
    make_small_day,
    read_build,
    routes_without_names,
    visited_order_ids,
)
from tests.support.app import App
from tests.support.transport import order_row


async def test_a_day_is_planned_in_the_background_without_writing_routes(app: App) -> None:
    drivers, orders = await make_small_day(app)
    build = await build_and_read(app)
    assert (build.state, build.fault, build.refused, build.unassigned) == ("done", None, [], [])
    assert visited_order_ids(build) == orders
    assert {route.driver_id for route in build.routes} <= set(drivers)
    assert (build.score.stops, build.score.unassigned) == (len(orders), 0)
    assert (await app.answer("admin", "get_routes")).total == 0


async def test_the_same_request_and_seed_give_the_same_plan(app: App) -> None:
    await make_small_day(app, orders=9)
    assert routes_without_names(await build_and_read(app)) == routes_without_names(await build_and_read(app))


async def test_a_committed_plan_creates_routes_with_planned_times_visible_to_drivers(app: App) -> None:
    _, orders = await make_small_day(app)
    build = await commit_build(app, await build_and_read(app))
    assert build.committed_at is not None
    shown = [(await app.answer("admin", "get_route_detail", {"route_id": id})).route for id in build.route_ids]
    planned = {route.driver_id: route for route in build.routes}
    for route in shown:
        plan = planned[route.driver_id]
        assert (route.status, route.planned_start_at) == ("assigned", plan.start_at)
        assert [stop.order_id for stop in route.stops] == [stop.order_id for stop in plan.stops]
        assert [stop.planned_arrival_at for stop in route.stops] == [stop.start_at for stop in plan.stops]
        assert [stop.position for stop in route.stops] == list(range(1, len(plan.stops) + 1))
    assert {(await order_row(app, id)).status for id in orders} == {3}
    again = await commit_build(app, await read_build(app, build.id))
    assert again.route_ids == build.route_ids
