"""Routes are merged and split."""

import asyncio

from tests.contexts.routes.routes.makers import get_route, lock_stops, some_routes, stop_ids_of, stops_of
from tests.support.app import App
from tests.support.every_case import for_every
from tests.support.transport import (
    make_depot,
    make_driver,
    make_order,
    make_route,
    make_started_route,
    order_row,
    status_and_code,
)


async def test_merged_routes_are_driven_in_sequence_and_the_others_end(app: App) -> None:
    driver_id = await make_driver(app, user="driver")
    stays, first, second = await some_routes(app, 2, 2, 1)
    await app.answer("admin", "assign_route_driver", {"route_id": stays.id, "driver_id": driver_id})
    merged = await app.answer("admin", "merge_routes", {"route_id": stays.id, "route_ids": [second.id, first.id]})
    assert [(route.id, route.status, route.merged_into) for route in merged.routes] == [
        (stays.id, "assigned", None),
        (second.id, "cancelled", stays.id),
        (first.id, "cancelled", stays.id),
    ]
    assert stop_ids_of(merged.routes[0]) == [*stop_ids_of(stays), *stop_ids_of(second), *stop_ids_of(first)]
    assert (await order_row(app, first.stops[0].order_id)).driver_id == app.ids["driver"]
    assert (await order_row(app, first.stops[0].order_id)).status == 3


async def test_only_similar_unstarted_routes_can_be_merged(app: App) -> None:
    (here,) = await some_routes(app, 1)
    elsewhere = await make_route(app, depot_id=await make_depot(app, name="West"))
    tomorrow = await make_route(app, depot_id=here.depot_id, day="2026-06-11")
    started = await make_started_route(app, [await make_order(app)])
    expected = {
        elsewhere: (409, "ROUTES_DO_NOT_MATCH"),
        tomorrow: (409, "ROUTES_DO_NOT_MATCH"),
        started.id: (409, "ROUTE_CANNOT"),
        here.id: (422, "INVALID_REQUEST"),
        999_999: (404, "NOT_FOUND"),
    }
    for other, refusal in expected.items():
        outcome = await app.call("admin", "merge_routes", {"route_id": here.id, "route_ids": [other]})
        assert status_and_code(outcome) == refusal
    body = {"route_id": here.id, "route_ids": [elsewhere]}
    assert status_and_code(await app.call("rival", "merge_routes", body)) == (404, "NOT_FOUND")


async def test_a_locked_stop_prevents_a_merge(app: App) -> None:
    here, there = await some_routes(app, 1, 1)
    await lock_stops(app, there.id, *stop_ids_of(there))
    outcome = await app.call("admin", "merge_routes", {"route_id": here.id, "route_ids": [there.id]})
    assert status_and_code(outcome) == (409, "STOP_STAYS")
    assert (await app.call("admin", "merge_routes", {"route_id": there.id, "route_ids": [here.id]})).error is None


async def test_of_two_crossing_merges_one_succeeds_without_loss(app: App) -> None:
    one, two = await some_routes(app, 3, 3)
    outcomes = await asyncio.gather(
        app.call("admin", "merge_routes", {"route_id": one.id, "route_ids": [two.id]}),
        app.call("admin", "merge_routes", {"route_id": two.id, "route_ids": [one.id]}),
        app.call("employee", "merge_routes", {"route_id": one.id, "route_ids": [two.id]}),
        app.call("employee", "move_stops", {"route_id": two.id, "stop_ids": stop_ids_of(one)[:1]}),
    )
    assert {status_and_code(outcome) for outcome in outcomes} <= {
        (200, None),
        (409, "ROUTE_CANNOT"),
        (409, "ROUTES_DO_NOT_MATCH"),
    }
    assert sum(outcome.error is None for outcome in outcomes[:3]) == 1
    found = [*await stops_of(app, one.id), *await stops_of(app, two.id)]
    assert sorted(found) == sorted([*stop_ids_of(one), *stop_ids_of(two)])
    shown = [await get_route(app, route.id) for route in (one, two)]
    assert sorted(route.status for route in shown) == ["cancelled", "draft"]
    assert [stop_ids_of(route) for route in shown if route.status == "cancelled"] == [[]]


async def test_stops_can_be_split_off_into_their_own_route(app: App) -> None:
    driver_id = await make_driver(app, user="driver")
    (route,) = await some_routes(app, 4)
    a, b, c, d = stop_ids_of(route)
    body = {"route_id": route.id, "stop_ids": [d, b], "name": "East", "driver_id": driver_id}
    old, new = (await app.answer("admin", "split_route", body)).routes
    assert (stop_ids_of(old), stop_ids_of(new)) == ([a, c], [b, d])
    assert (new.name, new.status, new.day, new.depot_id) == ("East", "assigned", old.day, old.depot_id)
    assert (new.published, new.version > 0, old.version > route.version) == (True, True, True)
    assert (await order_row(app, new.stops[0].order_id)).driver_id == app.ids["driver"]
    assert (await order_row(app, old.stops[0].order_id)).driver_id is None


async def test_a_route_split_off_an_unpublished_one_is_unpublished(app: App) -> None:
    (route,) = await some_routes(app, 2, published=False)
    _, new = (
        await app.answer("admin", "split_route", {"route_id": route.id, "stop_ids": stop_ids_of(route)[:1]})
    ).routes
    assert not new.published


async def test_a_split_must_leave_stops_on_the_route(app: App) -> None:
    both = await make_order(app, type="P2P")
    route = await get_route(app, await make_route(app, order_ids=[both]))
    for stop_ids in (stop_ids_of(route), stop_ids_of(route)[:1]):
        outcome = await app.call("admin", "split_route", {"route_id": route.id, "stop_ids": stop_ids})
        assert status_and_code(outcome) == (409, "NOTHING_LEFT")
    outcome = await app.call("admin", "split_route", {"route_id": route.id, "stop_ids": [999_999]})
    assert status_and_code(outcome) == (409, "STOP_NOT_ON_ROUTE")


@for_every("operation", ["merge_routes", "split_route", "move_stops", "lock_stops", "lock_route"])
async def test_merging_and_splitting_are_for_planners(app: App, operation: str) -> None:
    fields = app.application.registry[operation].request.model_fields
    body = {name: value for name, value in {"route_id": 1, "route_ids": [2], "stop_ids": [1]}.items() if name in fields}
    assert status_and_code(await app.call(None, operation, body)) == (401, "UNAUTHENTICATED")
    for who in ("driver", "customer"):
        assert status_and_code(await app.call(who, operation, body)) == (403, "ACCOUNT_NOT_ALLOWED")
