"""Held work of disabled accounts."""

from typing import Any

from tests.support.app import App
from tests.support.transport import make_depot, make_driver, make_order, make_route, make_started_route


async def held(app: App, who: str) -> Any:
    return (await app.answer("admin", "list_held_work", {"user_id": app.ids[who]})).held


async def give(app: App, *order_ids: int) -> None:
    await app.answer(
        "admin", "assign_orders_to_broker", {"order_ids": list(order_ids), "broker_id": app.ids["contractor"]}
    )


async def pool(app: App) -> set[int]:
    return {each.order_id for each in (await app.answer("admin", "planning_pool", {})).orders}


async def test_the_orders_of_a_contractor_are_listed_before_and_unassigned_after_disabling(app: App) -> None:
    free, planned, out = [await make_order(app) for _ in range(3)]
    await give(app, free, planned, out)
    depot_id = await make_depot(app)
    waiting = await make_route(app, "contractor", [planned], depot_id=depot_id)
    driver_id = (await app.answer("contractor", "create_driver", {"name": "Mo"})).driver.id
    going = await make_route(app, "contractor", [out], depot_id=depot_id, driver_id=driver_id)
    await app.answer("contractor", "start_route", {"route_id": going})
    before = await held(app, "contractor")
    assert (before.order_ids, before.order_ids_under_way, before.driver_ids) == ([free, planned], [out], [driver_id])
    assert {(route.id, route.status) for route in before.routes} == {(waiting, "draft"), (going, "started")}
    await app.answer("admin", "disable_user", {"user_id": app.ids["contractor"]})
    await app.work_off()
    assert await pool(app) == {free, planned}
    after = await held(app, "contractor")
    assert (after.active, after.order_ids, after.order_ids_under_way) == (False, [], [out])
    exceptions = await app.answer("admin", "list_exceptions", {"kinds": ["contractor_disabled"]})
    assert out in {each.order_id for each in exceptions.exceptions}


async def test_unstarted_routes_of_a_disabled_driver_are_unassigned(app: App) -> None:
    order_id = await make_order(app)
    driver_id = await make_driver(app, user="driver")
    route_id = await make_route(app, order_ids=[order_id], driver_id=driver_id)
    assert [route.id for route in (await held(app, "driver")).routes] == [route_id]
    await app.answer("admin", "update_driver", {"driver_id": driver_id, "active": False})
    await app.work_off()
    route = (await app.answer("admin", "get_route_detail", {"route_id": route_id})).route
    assert (route.status, route.driver_id) == ("draft", None)


async def test_a_started_route_stays_with_its_disabled_driver_and_is_listed(app: App) -> None:
    route = await make_started_route(app, [await make_order(app)])
    await app.answer("admin", "disable_user", {"user_id": app.ids["driver"]})
    await app.work_off()
    assert [(each.id, each.status) for each in (await held(app, "driver")).routes] == [(route.id, "started")]
