"""Vehicles of routes."""

from typing import Any

from tests.support.app import App
from tests.support.transport import make_driver, make_route, status_and_code

from haulier.solvers.routing.travel import TravelMode


async def make_vehicle(app: App, user: str = "admin", **fields: Any) -> int:
    return (await app.answer(user, "create_vehicle", {"name": "Bike 1", "travel_mode": "bicycle", **fields})).vehicle.id


async def read(app: App, route: int, user: str = "admin") -> Any:
    return (await app.answer(user, "get_route_detail", {"route_id": route})).route


async def assign(app: App, route: int, **fields: Any) -> Any:
    return await app.call("admin", "assign_route_driver", {"route_id": route, **fields})


async def test_a_route_without_a_vehicle_takes_the_usual_one_of_its_driver(app: App) -> None:
    bike, driver = await make_vehicle(app), await make_driver(app, user=None)
    route = await make_route(app, driver_id=driver)
    assert (await read(app, route)).travel_mode is TravelMode.VAN
    await app.answer("admin", "set_driver_working_profile", {"driver_id": driver, "vehicle_id": bike})
    found = await read(app, route)
    assert (found.vehicle_id, found.vehicle_name, found.travel_mode) == (None, None, TravelMode.BICYCLE)


async def test_routes_boards_and_filters_name_the_vehicle(app: App) -> None:
    bike, driver = await make_vehicle(app), await make_driver(app, user=None)
    route = await make_route(app, driver_id=driver, vehicle_id=bike)
    other = await make_route(app, driver_id=driver)
    found = await read(app, route)
    assert (found.vehicle_id, found.vehicle_name, found.travel_mode) == (bike, "Bike 1", TravelMode.BICYCLE)
    listed = (await app.answer("admin", "get_routes", {"vehicle_id": bike})).routes
    assert [(each.id, each.vehicle_name) for each in listed] == [(route, "Bike 1")]
    board = (await app.answer("admin", "dispatch_board", {"day": found.day.isoformat()})).routes
    assert {each.id: each.vehicle_name for each in board} == {route: "Bike 1", other: None}


async def test_a_route_keeps_its_vehicle_with_its_driver(app: App) -> None:
    bike, one, two = await make_vehicle(app), await make_driver(app, user=None), await make_driver(app, user=None)
    route = await make_route(app, vehicle_id=bike)
    await assign(app, route, driver_id=one)
    await assign(app, route, driver_id=one)
    assert (await read(app, route)).vehicle_id == bike
    await assign(app, route, driver_id=two)
    assert (await read(app, route)).vehicle_id is None
    await assign(app, route, driver_id=two, vehicle_id=bike)
    assert (await read(app, route)).vehicle_id == bike
    await assign(app, route, driver_id=two, vehicle_id=None)
    assert (await read(app, route)).vehicle_id is None


async def test_only_vehicles_in_use_of_the_same_owner_are_assigned(app: App) -> None:
    driver = await make_driver(app, user=None)
    route = await make_route(app, driver_id=driver)
    retired = await make_vehicle(app, name="Old")
    await app.answer("admin", "retire_vehicle", {"vehicle_id": retired})
    others = [retired, await make_vehicle(app, "rival"), await make_vehicle(app, "contractor"), 9999]
    for vehicle in others:
        refused = await assign(app, route, driver_id=driver, vehicle_id=vehicle)
        assert status_and_code(refused) == (422, "INVALID_REQUEST"), vehicle
        assert [each["field"] for each in refused.error["errors"]] == ["vehicle_id"]
    assert (await read(app, route)).vehicle_id is None


async def test_the_usual_vehicle_is_that_of_the_same_business(app: App) -> None:
    """Rows of different businesses may share numbers of drivers."""
    driver = await make_driver(app, user=None)
    route = await make_route(app, driver_id=driver)
    theirs = (await app.answer("rival", "create_driver", {"name": "Rob"})).driver.id
    bike = await make_vehicle(app, "rival")
    await app.answer("rival", "set_driver_working_profile", {"driver_id": theirs, "vehicle_id": bike})
    assert (await read(app, route)).travel_mode is TravelMode.VAN
