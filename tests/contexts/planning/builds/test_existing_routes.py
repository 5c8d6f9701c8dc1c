"""Replanning of a day: driven and locked stops stay, starting from current routes."""

from typing import Any

from sqlalchemy import update
from tests.contexts.planning.builds.makers import (
    DEPOT,
    build_and_read,
    commit_build,
    make_order_at,
    set_working_profile,
    unassigned_reasons,
    use_in_process_search,
    visited_order_ids,
)
from tests.support.app import App
from tests.support.transport import DAY, make_depot, make_driver, status_and_code

from haulier.contexts.routes.routes.store import routes
from haulier.contexts.routes.stops.store import stops

TODAY: dict[str, Any] = {"day": DAY, "iterations": 60}


async def make_day_with_routes(app: App) -> tuple[list[int], list[int], list[int]]:
    """Two drivers with a committed route each; ids of drivers, orders and routes."""
    use_in_process_search(app)
    await make_depot(app, lat=DEPOT[0], lng=DEPOT[1])
    drivers = [await make_driver(app, user=user, name=user) for user in ("driver", "driver2")]
    for id in drivers:
        await set_working_profile(app, id, max_stops=4)
    orders = [await make_order_at(app, north=n, scheduled_date=DAY) for n in (1, 2, 3, -1, -2, -3)]
    build = await commit_build(app, await build_and_read(app, **TODAY))
    assert visited_order_ids(build) == sorted(orders)
    return drivers, orders, build.route_ids


async def detail(app: App, route_id: int) -> Any:
    return (await app.answer("admin", "get_route_detail", {"route_id": route_id})).route


async def on_routes(app: App, ids: list[int]) -> dict[int, list[int]]:
    found = [await detail(app, id) for id in ids]
    return {route.driver_id: [stop.order_id for stop in route.stops] for route in found}


async def lock(app: App, table: Any, id: int) -> None:
    async with app.database.write(app.clients["demo"]) as work:
        await work.run(update(table).where(table.c.id == id).values(locked_at=app.clock.now))


async def test_drivers_with_a_route_are_skipped_by_default(app: App) -> None:
    await make_day_with_routes(app)
    late = await make_order_at(app, scheduled_date=DAY)
    assert unassigned_reasons(await build_and_read(app, **TODAY)) == {late: "pool"}


async def test_extending_appends_new_stops_to_existing_routes(app: App) -> None:
    _, _, ids = await make_day_with_routes(app)
    before = await on_routes(app, ids)
    late = await make_order_at(app, north=1, scheduled_date=DAY)
    build = await build_and_read(app, **TODAY, current="extend")
    done = await commit_build(app, build)
    after = await on_routes(app, ids)
    assert sorted(done.route_ids) == sorted(ids)
    assert {driver: found[: len(before[driver])] for driver, found in after.items()} == before
    assert sum(late in found for found in after.values()) == 1


async def test_rebuilding_moves_orders_between_routes_and_keeps_the_routes(app: App) -> None:
    drivers, orders, ids = await make_day_with_routes(app)
    late = [await make_order_at(app, north=4, east=n, scheduled_date=DAY) for n in (0, 1)]
    build = await build_and_read(
        app, **TODAY, current="rebuild", preferences=[{"order_id": orders[0], "driver_ids": [drivers[1]]}]
    )
    assert {route.route_id for route in build.routes} == set(ids)
    await commit_build(app, build)
    after = await on_routes(app, ids)
    assert sorted(id for found in after.values() for id in found) == sorted([*orders, *late])
    assert orders[0] in after[drivers[1]]
    positions = [[stop.position for stop in (await detail(app, id)).stops] for id in ids]
    assert positions == [list(range(1, len(found) + 1)) for found in positions]


async def test_locked_stops_and_routes_stay_unchanged(app: App) -> None:
    drivers, _, ids = await make_day_with_routes(app)
    first, second = [await detail(app, id) for id in ids]
    await lock(app, stops, first.stops[1].id)
    await lock(app, routes, second.id)
    build = await build_and_read(app, **TODAY, current="rebuild")
    assert [route.driver_id for route in build.routes] == [first.driver_id]
    kept = [stop.order_id for stop in first.stops[:2]]
    assert [stop.order_id for stop in build.routes[0].stops][:2] == kept
    assert set(drivers) == {first.driver_id, second.driver_id}


async def test_a_started_route_continues_from_the_drivers_position_without_new_stops(app: App) -> None:
    drivers, _, ids = await make_day_with_routes(app)
    route = next(r for r in [await detail(app, id) for id in ids] if r.driver_id == drivers[0])
    await app.answer("driver", "start_route", {"route_id": route.id})
    done, here_now, *others = route.stops
    for operation, stop in (("deliver_stop", done), ("arrive_at_stop", here_now)):
        await app.answer("driver", operation, {"route_id": route.id, "stop_id": stop.id})
    late = await make_order_at(app, north=2, scheduled_date=DAY)
    build = await build_and_read(app, **TODAY, current="rebuild")
    planned = {found.driver_id: [stop.order_id for stop in found.stops] for found in build.routes}
    assert planned[drivers[0]][0] == here_now.order_id
    assert sorted(planned[drivers[0]]) == sorted([here_now.order_id, *(stop.order_id for stop in others)])
    assert late in planned[drivers[1]]
    await commit_build(app, build)
    after = await detail(app, route.id)
    assert [stop.order_id for stop in after.stops] == [done.order_id, *planned[drivers[0]]]


async def test_a_route_changed_in_the_meantime_is_reported(app: App) -> None:
    drivers, orders, ids = await make_day_with_routes(app)
    build = await build_and_read(app, **TODAY, current="rebuild")
    await app.answer("admin", "remove_orders_from_route", {"route_id": ids[0], "order_ids": orders})
    outcome = await app.call("admin", "commit_route_build", {"build_id": build.id})
    assert status_and_code(outcome) == (409, "PLAN_OUTDATED")
    assert f"routes.{ids[0]}" in {fault["field"] for fault in outcome.error["errors"]}
    assert len(drivers) == 2
