"""Unpublished routes are visible to planners only; drivers see published ones."""

from tests.contexts.routes.routes.makers import get_route, move_stops, some_routes, stop_ids_of
from tests.support.app import App
from tests.support.transport import make_driver, make_order, make_route, order_row, status_and_code


async def drivers_routes(app: App, driver_id: int, who: str = "driver") -> list[int]:
    """Return what a driver, or a user on their behalf, sees of the day in both lists."""
    today = (await app.answer(who, "get_driver_routes_today", {"driver_id": driver_id})).routes
    listed = (await app.answer(who, "get_routes", {"driver_id": driver_id})).routes
    assert {route.id for route in today} == {route.id for route in listed}
    return [route.id for route in today]


async def test_an_unpublished_route_is_not_found_by_its_driver(app: App) -> None:
    driver_id, order_id = await make_driver(app, user="driver"), await make_order(app)
    route_id = await make_route(app, order_ids=[order_id], driver_id=driver_id, published=False)
    assert (await drivers_routes(app, driver_id), await drivers_routes(app, driver_id, "admin")) == ([], [route_id])
    assert status_and_code(await app.call("driver", "get_route_detail", {"route_id": route_id})) == (404, "NOT_FOUND")
    assert status_and_code(await app.call("driver", "start_route", {"route_id": route_id})) == (404, "NOT_FOUND")
    assert status_and_code(await app.call("admin", "start_route", {"route_id": route_id})) == (
        409,
        "ROUTE_NOT_PUBLISHED",
    )
    assert (await order_row(app, order_id)).driver_id is None
    route = await get_route(app, route_id)
    assert (route.published, "start" in route.allowed_actions, "publish" in route.allowed_actions) == (
        False,
        False,
        True,
    )


async def test_publishing_shows_the_driver_the_route_and_its_orders(app: App) -> None:
    driver_id, order_id = await make_driver(app, user="driver"), await make_order(app)
    route_id = await make_route(app, order_ids=[order_id], driver_id=driver_id, published=False)
    route = (await app.answer("admin", "publish_route", {"route_id": route_id})).route
    assert route.published
    assert await drivers_routes(app, driver_id) == [route_id]
    assert (await order_row(app, order_id)).driver_id == app.ids["driver"]
    assert (await app.answer("admin", "publish_route", {"route_id": route_id})).route.version == route.version
    assert (await app.call("driver", "start_route", {"route_id": route_id})).error is None
    assert status_and_code(await app.call("admin", "unpublish_route", {"route_id": route_id})) == (409, "ROUTE_CANNOT")


async def test_an_unpublished_route_keeps_its_driver(app: App) -> None:
    driver_id, order_id = await make_driver(app, user="driver"), await make_order(app)
    route_id = await make_route(app, order_ids=[order_id], driver_id=driver_id)
    route = (await app.answer("admin", "unpublish_route", {"route_id": route_id})).route
    assert (route.published, route.driver_id, route.status) == (False, driver_id, "assigned")
    assert await drivers_routes(app, driver_id) == []
    assert (await order_row(app, order_id)).driver_id is None


async def test_orders_added_to_an_unpublished_route_stay_hidden_from_its_driver(app: App) -> None:
    driver_id = await make_driver(app, user="driver")
    (public,) = await some_routes(app, 1)
    hidden = await make_route(app, driver_id=driver_id, published=False, depot_id=public.depot_id)
    await move_stops(app, hidden, *stop_ids_of(public))
    added = await make_order(app)
    await app.answer("admin", "add_orders_to_route", {"route_id": hidden, "order_ids": [added]})
    assert [(await order_row(app, id)).driver_id for id in (public.stops[0].order_id, added)] == [None, None]
    await app.answer("admin", "publish_route", {"route_id": hidden})
    assert (await order_row(app, added)).driver_id == app.ids["driver"]


async def test_only_the_planner_of_a_route_can_publish_it(app: App) -> None:
    hers = await make_route(app, who="contractor", published=False)
    for operation in ("publish_route", "unpublish_route"):
        assert status_and_code(await app.call("admin", operation, {"route_id": hers})) == (
            403,
            "ROUTE_NOT_YOURS_TO_PLAN",
        )
        for who in ("contractor2", "rival"):
            assert status_and_code(await app.call(who, operation, {"route_id": hers})) == (404, "NOT_FOUND")
        assert status_and_code(await app.call("driver", operation, {"route_id": hers})) == (403, "ACCOUNT_NOT_ALLOWED")
        assert (await app.call("contractor", operation, {"route_id": hers})).error is None
