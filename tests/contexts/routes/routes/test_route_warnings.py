"""Warnings about orders added to a route manually."""

from typing import Any

from tests.support.app import App
from tests.support.transport import DAY, make_driver, make_order, make_route


async def add_order(app: App, route_id: int, **words: Any) -> list[tuple[str, bool, int | None]]:
    """Add a new order to a route, and return the warnings.

    Each with whether it names the order, and the load.
    """
    order_id = await make_order(app, **words)
    asked = {"route_id": route_id, "order_ids": [order_id]}
    answer = await app.answer("admin", "add_orders_to_route", asked)
    assert answer.changed == 1
    return [(warning.code, warning.order_id == order_id, warning.load_percent) for warning in answer.warnings]


async def test_an_overload_a_missing_skill_and_another_day_give_warnings(app: App) -> None:
    van = {"name": "Van", "capacity_parcels": 2, "skills": ["tail_lift"]}
    vehicle = (await app.answer("admin", "create_vehicle", van)).vehicle
    driver_id = await make_driver(app, skills=["frozen"])
    await app.answer("admin", "set_driver_working_profile", {"driver_id": driver_id, "vehicle_id": vehicle.id})
    route_id = await make_route(app, driver_id=driver_id)
    assert await add_order(app, route_id, skills=["tail_lift", "frozen"]) == []
    assert await add_order(app, route_id, skills=["two-person-lift"]) == [("SKILL_MISSING", True, None)]
    assert await add_order(app, route_id) == [("OVERLOADED", False, 150)]
    later = {
        "window_start": "2026-06-12T13:00:00Z",
        "window_end": "2026-06-12T15:00:00Z",
        "scheduled_date": "2026-06-12",
    }
    assert await add_order(app, route_id, **later) == [("OVERLOADED", False, 200), ("OTHER_DAY", True, None)]


async def test_the_load_of_a_vehicle_is_its_maximum_along_the_route(app: App) -> None:
    vehicle = (await app.answer("admin", "create_vehicle", {"name": "Bike", "capacity_parcels": 1})).vehicle
    driver_id = await make_driver(app)
    await app.answer("admin", "set_driver_working_profile", {"driver_id": driver_id, "vehicle_id": vehicle.id})
    route_id = await make_route(app, driver_id=driver_id, day=DAY)
    assert await add_order(app, route_id, type="D") == []
    assert await add_order(app, route_id, type="P2P") == []
    assert await add_order(app, route_id, type="P") == []
    assert await add_order(app, route_id, type="P") == [("OVERLOADED", False, 200)]


async def test_a_route_without_a_driver_has_no_driver_warnings(app: App) -> None:
    assert await add_order(app, await make_route(app), skills=["two-person-lift"]) == []
