"""Stops move between and within routes of a day, all or none."""

import asyncio
from typing import Any

from tests.contexts.routes.routes.makers import get_route, lock_stops, move_stops, some_routes, stop_ids_of, stops_of
from tests.support.app import App
from tests.support.every_case import for_every
from tests.support.transport import (
    make_driver,
    make_order,
    make_route,
    make_started_route,
    order_row,
    some_orders,
    status_and_code,
)

OUT = 5


async def test_stops_move_to_the_named_position_and_close_the_gap(app: App) -> None:
    here, there = await some_routes(app, 3, 2)
    outcome = await move_stops(app, there.id, stop_ids_of(here)[2], stop_ids_of(here)[0], position=2)
    assert outcome.error is None, outcome.error
    assert [route.id for route in outcome.answer.routes] == [there.id, here.id]
    assert await stops_of(app, there.id) == [
        stop_ids_of(there)[0],
        stop_ids_of(here)[2],
        stop_ids_of(here)[0],
        stop_ids_of(there)[1],
    ]
    assert await stops_of(app, here.id) == [stop_ids_of(here)[1]]


async def test_without_a_position_stops_are_appended(app: App) -> None:
    here, there = await some_routes(app, 2, 1)
    assert (await move_stops(app, there.id, stop_ids_of(here)[0])).error is None
    assert (await move_stops(app, there.id, stop_ids_of(here)[1], position=900)).error is None
    assert await stops_of(app, there.id) == [*stop_ids_of(there), *stop_ids_of(here)]
    assert await stops_of(app, here.id) == []


async def test_stops_of_many_routes_and_the_target_move_in_one_call(app: App) -> None:
    one, two, three = await some_routes(app, 2, 2, 3)
    mixed = [stop_ids_of(two)[0], stop_ids_of(three)[2], stop_ids_of(one)[1]]
    assert (await move_stops(app, three.id, *mixed, position=1)).error is None
    assert await stops_of(app, three.id) == [*mixed, *stop_ids_of(three)[:2]]
    assert (await stops_of(app, one.id), await stops_of(app, two.id)) == ([stop_ids_of(one)[0]], [stop_ids_of(two)[1]])


async def test_a_point_to_point_order_changes_routes_as_a_whole(app: App) -> None:
    both = await make_order(app, type="P2P")
    (there,) = await some_routes(app, 1)
    here = await get_route(app, await make_route(app, order_ids=[both], depot_id=there.depot_id))
    pickup, delivery = stop_ids_of(here)
    assert (await move_stops(app, there.id, delivery, position=1)).error is None
    assert await stops_of(app, there.id) == [pickup, delivery, *stop_ids_of(there)]
    assert await stops_of(app, here.id) == []
    assert status_and_code(await move_stops(app, there.id, pickup)) == (409, "PICKUP_COMES_FIRST")
    assert (await move_stops(app, there.id, delivery)).error is None
    assert await stops_of(app, there.id) == [pickup, *stop_ids_of(there), delivery]


async def test_orders_are_assigned_to_the_driver_of_their_new_route(app: App) -> None:
    driver_id = await make_driver(app, user="driver")
    here, there = await some_routes(app, 1, 1)
    await app.answer("admin", "assign_route_driver", {"route_id": there.id, "driver_id": driver_id})
    order_id = here.stops[0].order_id
    await move_stops(app, there.id, stop_ids_of(here)[0])
    assert (await order_row(app, order_id)).driver_id == app.ids["driver"]
    await move_stops(app, here.id, stop_ids_of(here)[0])
    assert (await order_row(app, order_id)).driver_id is None


async def test_routes_of_another_day_or_planner_are_refused(app: App) -> None:
    (here,) = await some_routes(app, 1)
    later = await make_route(app, day="2026-06-11")
    hers = await make_route(app, who="contractor")
    assert status_and_code(await move_stops(app, later, *stop_ids_of(here))) == (409, "ROUTES_DO_NOT_MATCH")
    assert status_and_code(await move_stops(app, hers, *stop_ids_of(here))) == (403, "ROUTE_NOT_YOURS_TO_PLAN")
    assert status_and_code(await move_stops(app, hers, *stop_ids_of(here), who="contractor")) == (404, "NOT_FOUND")
    assert status_and_code(await move_stops(app, here.id, *stop_ids_of(here), who="rival")) == (404, "NOT_FOUND")
    assert await stops_of(app, here.id) == stop_ids_of(here)


async def test_an_unknown_stop_moves_nothing(app: App) -> None:
    here, there = await some_routes(app, 1, 1)
    assert status_and_code(await move_stops(app, there.id, *stop_ids_of(here), 999_999)) == (409, "STOP_NOT_ON_ROUTE")
    assert await stops_of(app, here.id) == stop_ids_of(here)


async def test_goods_in_a_vehicle_on_route_stay_there(app: App) -> None:
    started = await make_started_route(app, await some_orders(app, 2))
    (there,) = await some_routes(app, 1)
    assert status_and_code(await move_stops(app, there.id, stop_ids_of(started)[0])) == (409, "GOODS_ABOARD")
    assert status_and_code(await move_stops(app, started.id, *stop_ids_of(there))) == (409, "GOODS_AT_DEPOT")


async def test_uncollected_goods_can_change_vehicles_on_route(app: App) -> None:
    fetch, keep, planned = [await make_order(app, type="P") for _ in range(3)]
    here = await make_started_route(app, [fetch, keep])
    driver_id = await make_driver(app, user="driver2")
    there_id = await make_route(app, order_ids=[await make_order(app)], driver_id=driver_id)
    waiting = await get_route(app, await make_route(app, order_ids=[planned]))
    assert status_and_code(await move_stops(app, waiting.id, stop_ids_of(here)[0])) == (409, "ROUTE_ON_THE_ROAD")
    await app.answer("driver2", "start_route", {"route_id": there_id})
    assert (await move_stops(app, there_id, stop_ids_of(here)[0], stop_ids_of(waiting)[0])).error is None
    assert [(await order_row(app, id)).driver_id for id in (fetch, planned)] == [app.ids["driver2"]] * 2
    assert [(await order_row(app, id)).status for id in (fetch, planned)] == [OUT] * 2
    stop = {"route_id": there_id, "stop_id": stop_ids_of(waiting)[0]}
    assert (await app.call("driver2", "pick_up_at_stop", stop)).error is None
    await app.answer("driver", "pick_up_at_stop", {"route_id": here.id, "stop_id": stop_ids_of(here)[1]})
    assert status_and_code(await move_stops(app, there_id, stop_ids_of(here)[1])) == (409, "GOODS_ABOARD")


async def test_visited_and_locked_stops_on_route_stay_in_place(app: App) -> None:
    route = await make_started_route(app, await some_orders(app, 5))
    a, b, c, d, e = stop_ids_of(route)
    await app.answer("driver", "deliver_stop", {"route_id": route.id, "stop_id": b})
    await lock_stops(app, route.id, d)
    body = {"route_id": route.id, "stop_ids": [e, c, d, a]}
    assert status_and_code(await app.call("admin", "reorder_stops", body)) == (200, None)
    assert await stops_of(app, route.id) == [e, b, c, d, a]
    for wanted in ([d, e, c, a], [e, c, a, d]):
        outcome = await app.call("admin", "reorder_stops", {**body, "stop_ids": wanted})
        assert status_and_code(outcome) == (409, "STOP_STAYS")
    assert status_and_code(await move_stops(app, route.id, e, position=5)) == (409, "STOP_STAYS")
    assert status_and_code(await move_stops(app, route.id, d, position=5)) == (409, "STOP_STAYS")
    assert await stops_of(app, route.id) == [e, b, c, d, a]


async def test_an_outdated_version_is_refused_with_the_current_one(app: App) -> None:
    here, there = await some_routes(app, 2, 1)
    known = [{"route_id": route.id, "version": route.version} for route in (here, there)]
    first = await move_stops(app, there.id, stop_ids_of(here)[0], expected_versions=known)
    assert first.error is None
    again = await move_stops(app, there.id, stop_ids_of(here)[1], expected_versions=known)
    assert status_and_code(again) == (409, "ROUTE_CHANGED")
    assert again.error
    assert "is now at version" in again.error["message"]
    now = {route.id: route.version for route in first.answer.routes}
    fresh = [{"route_id": route_id, "version": version} for route_id, version in now.items()]
    assert (await move_stops(app, there.id, stop_ids_of(here)[1], expected_versions=fresh)).error is None


@for_every(
    ("operation", "body"),
    [
        ("add_orders_to_route", {"order_ids": [1]}),
        ("remove_orders_from_route", {"order_ids": [1]}),
        ("reorder_stops", {"stop_ids": [1]}),
        ("assign_route_driver", {"driver_id": 1}),
        ("cancel_route", {}),
        ("split_route", {"stop_ids": [1]}),
        ("lock_stops", {"stop_ids": [1]}),
        ("lock_route", {}),
        ("publish_route", {}),
    ],
)
async def test_every_route_change_accepts_a_version(app: App, operation: str, body: dict[str, Any]) -> None:
    (route,) = await some_routes(app, 1)
    asked = {"route_id": route.id, "expected_version": route.version + 1, **body}
    assert status_and_code(await app.call("admin", operation, asked)) == (409, "ROUTE_CHANGED")


async def test_concurrent_moves_of_a_stop_leave_it_on_one_route(app: App) -> None:
    home, *others = await some_routes(app, 6, 1, 1, 1)
    calls = [move_stops(app, other.id, *stop_ids_of(home)[:: 1 if n % 2 else -1]) for n, other in enumerate(others)]
    outcomes = await asyncio.gather(*calls, *(move_stops(app, home.id, stop_ids_of(other)[0]) for other in others))
    assert {outcome.status for outcome in outcomes} <= {200, 409}
    found = [stop_id for route in (home, *others) for stop_id in await stops_of(app, route.id)]
    assert sorted(found) == sorted(stop_id for route in (home, *others) for stop_id in stop_ids_of(route))


async def test_of_concurrent_moves_with_one_version_one_succeeds(app: App) -> None:
    home, *others = await some_routes(app, 5, 0, 0, 0, 0, 0)
    known = [{"route_id": home.id, "version": home.version}]
    calls = [move_stops(app, other.id, stop_ids_of(home)[n], expected_versions=known) for n, other in enumerate(others)]
    outcomes = await asyncio.gather(*calls)
    assert sorted(status_and_code(outcome) for outcome in outcomes) == [(200, None), *[(409, "ROUTE_CHANGED")] * 4]
    assert len(await stops_of(app, home.id)) == 4


async def test_moving_stops_uses_a_constant_number_of_statements(app: App) -> None:
    counted: list[int] = []
    for size in (2, 60):
        here, there = await some_routes(app, size, 1)
        before = app.statements
        assert (await move_stops(app, there.id, *stop_ids_of(here))).error is None
        counted.append(app.statements - before)
    assert counted[0] == counted[1]
