"""Locked stops and routes stay unchanged until unlocked."""

from typing import Any

from tests.contexts.routes.routes.makers import get_route, lock_stops, move_stops, some_routes, stop_ids_of, stops_of
from tests.support.app import App
from tests.support.transport import make_driver, make_order, status_and_code


async def test_a_locked_stop_keeps_its_position_until_unlocked(app: App) -> None:
    (route,) = await some_routes(app, 3)
    a, b, c = stop_ids_of(route)
    locked = await lock_stops(app, route.id, b, b)
    assert [stop.locked for stop in locked.stops] == [False, True, False]
    assert locked.version > route.version
    order = {"route_id": route.id, "stop_ids": [b, a, c]}
    assert status_and_code(await app.call("admin", "reorder_stops", order)) == (409, "STOP_STAYS")
    assert (await lock_stops(app, route.id, b)).version == locked.version
    await app.answer("admin", "unlock_stops", {"route_id": route.id, "stop_ids": [b]})
    assert (await app.call("admin", "reorder_stops", order)).error is None


async def test_a_locked_stop_cannot_be_removed_and_others_can(app: App) -> None:
    (route,) = await some_routes(app, 3)
    a, b, c = route.stops
    await lock_stops(app, route.id, b.id)
    outcome = await app.answer(
        "admin", "remove_orders_from_route", {"route_id": route.id, "order_ids": [a.order_id, b.order_id]}
    )
    assert (outcome.changed, outcome.skipped, outcome.errors[0].code) == (1, 1, "STOP_STAYS")
    assert await stops_of(app, route.id) == [b.id, c.id]


async def test_a_cancelled_order_leaves_even_a_locked_position(app: App) -> None:
    (route,) = await some_routes(app, 2)
    await lock_stops(app, route.id, *stop_ids_of(route))
    await app.answer("admin", "cancel_order", {"order_id": route.stops[0].order_id})
    await app.work_off()
    assert await stops_of(app, route.id) == stop_ids_of(route)[1:]


async def test_a_finished_or_foreign_stop_cannot_be_locked(app: App) -> None:
    here, there = await some_routes(app, 1, 1)
    body = {"route_id": here.id, "stop_ids": stop_ids_of(there)}
    assert status_and_code(await app.call("admin", "lock_stops", body)) == (409, "STOP_NOT_ON_ROUTE")


async def test_a_locked_route_cannot_be_planned_but_can_be_driven(app: App) -> None:
    driver_id = await make_driver(app, user="driver")
    route, other = await some_routes(app, 2, 1, driver_id=driver_id)
    locked = (await app.answer("admin", "lock_route", {"route_id": route.id})).route
    assert (locked.locked, locked.allowed_actions) == (True, ["start", "unlock", "unpublish"])
    stop_ids = {"route_id": route.id, "stop_ids": stop_ids_of(route)}
    refused: dict[str, dict[str, Any]] = {
        "add_orders_to_route": {"route_id": route.id, "order_ids": [await make_order(app)]},
        "remove_orders_from_route": {"route_id": route.id, "order_ids": [route.stops[0].order_id]},
        "reorder_stops": stop_ids,
        "split_route": {**stop_ids, "stop_ids": stop_ids_of(route)[:1]},
        "move_stops": {"route_id": other.id, "stop_ids": stop_ids_of(route)},
        "merge_routes": {"route_id": other.id, "route_ids": [route.id]},
        "assign_route_driver": {"route_id": route.id, "driver_id": None},
        "cancel_route": {"route_id": route.id},
    }
    for operation, body in refused.items():
        assert status_and_code(await app.call("admin", operation, body)) == (409, "ROUTE_LOCKED"), operation
    assert (await get_route(app, route.id)).version == locked.version
    assert (await app.call("driver", "start_route", {"route_id": route.id})).error is None


async def test_an_unlocked_route_can_be_planned_and_its_locked_stops_stay_locked(app: App) -> None:
    route, other = await some_routes(app, 2, 1)
    await lock_stops(app, route.id, stop_ids_of(route)[0])
    await app.answer("admin", "lock_route", {"route_id": route.id})
    free = (await app.answer("admin", "unlock_route", {"route_id": route.id})).route
    assert (free.locked, [stop.locked for stop in free.stops]) == (False, [True, False])
    assert status_and_code(await move_stops(app, other.id, stop_ids_of(route)[0])) == (409, "STOP_STAYS")
    assert status_and_code(await move_stops(app, other.id, stop_ids_of(route)[1])) == (200, None)
