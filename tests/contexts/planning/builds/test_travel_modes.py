"""Travel modes of vehicles: in plans, checks and suggestions."""

from collections.abc import Sequence
from typing import Any

import numpy as np
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
from tests.support.transport import make_depot, make_driver, make_route

from haulier.adapters.travel_times import EstimatedTravel
from haulier.contexts.planning.ports import GeoPoint, TravelTable, TravelTimes
from haulier.solvers.routing.travel import UNREACHABLE, TravelMode

QUAY = (DEPOT[0] + 0.03, DEPOT[1])


class ClosedQuay:
    """Estimates, but only bikes and pedestrians reach the quay.

    `asked` has the mode of each table.
    """

    def __init__(self, mode: TravelMode = TravelMode.VAN, asked: list[TravelMode] | None = None) -> None:
        self.mode, self.asked = mode, [] if asked is None else asked

    def by(self, mode: TravelMode) -> "ClosedQuay":
        return ClosedQuay(mode, self.asked)

    async def table(self, sources: Sequence[GeoPoint], targets: Sequence[GeoPoint]) -> TravelTable:
        self.asked.append(self.mode)
        seconds, metres = await EstimatedTravel(self.mode).table(sources, targets)
        if self.mode not in {TravelMode.BICYCLE, TravelMode.FOOT}:
            closed = [number for number, place in enumerate(targets) if np.allclose(place, QUAY)]
            seconds[:, closed] = UNREACHABLE
        return seconds, metres


def close_quay(app: App) -> ClosedQuay:
    quay = ClosedQuay()
    app.application.adapters = {**app.application.adapters, TravelTimes: quay}
    return quay


async def make_crew(app: App, *modes: str) -> list[int]:
    """Create a depot and a driver with a vehicle for each travel mode."""
    use_in_process_search(app)
    await make_depot(app, lat=DEPOT[0], lng=DEPOT[1])
    drivers = [await make_driver(app, user=None, name=f"Driver {mode}") for mode in modes]
    for driver, mode in zip(drivers, modes, strict=True):
        vehicle = await make_vehicle(app, name=mode, travel_mode=mode)
        await set_working_profile(app, driver, vehicle_id=vehicle)
    return drivers


async def check(app: App, route_id: int) -> Any:
    return (await app.answer("admin", "check_route_change", {"route_ids": [route_id]})).routes[0]


async def suggest(app: App, north: float) -> Any:
    place = {"lat": DEPOT[0] + north / 100, "lng": DEPOT[1]}
    return (await app.answer("admin", "suggest_routes", {**place, "day": TOMORROW})).routes


async def test_a_bike_takes_an_order_on_a_path_closed_to_vans(app: App) -> None:
    quay = close_quay(app)
    van, bike = await make_crew(app, "van", "bicycle")
    at_quay, near = await make_order_at(app, 3), await make_order_at(app, 1)
    build = await build_and_read(app)
    assert visited_order_ids(build) == sorted([at_quay, near])
    takes = {route.driver_id: [stop.order_id for stop in route.stops] for route in build.routes}
    assert at_quay in takes[bike]
    assert at_quay not in takes.get(van, [])
    assert set(quay.asked) == {TravelMode.VAN, TravelMode.BICYCLE}


async def test_vans_alone_leave_that_order_unassigned_with_the_reason(app: App) -> None:
    quay = close_quay(app)
    await make_crew(app, "van", "van")
    at_quay, _ = await make_order_at(app, 3), await make_order_at(app, 1)
    assert unassigned_reasons(await build_and_read(app)) == {at_quay: "unreachable"}
    assert quay.asked == [TravelMode.VAN]


async def test_the_route_check_matches_the_planned_times_in_every_mode(app: App) -> None:
    """Without a region, the estimate knows the speed of each mode."""
    (driver,) = await make_crew(app, "van")
    order = await make_order_at(app, 2)
    vehicle = (await app.answer("admin", "list_vehicles", {})).vehicles[0].id
    builds: dict[str, Any] = {}
    for mode in TravelMode:
        await app.answer("admin", "update_vehicle", {"vehicle_id": vehicle, "travel_mode": mode})
        builds[mode] = await build_and_read(app, order_ids=[order])
    routes = {mode: build.routes[0] for mode, build in builds.items()}
    drives = {mode: route.stops[0].arrival_at - route.start_at for mode, route in routes.items()}
    assert drives["van"] < drives["truck"]
    assert drives["van"] < drives["bicycle"] < drives["foot"]
    (route_id,) = (await commit_build(app, builds["foot"])).route_ids
    assert [stop.arrival_at for stop in (await check(app, route_id)).stops] == [routes["foot"].stops[0].arrival_at]
    assert routes["foot"].driver_id == driver


async def test_the_route_check_reports_a_route_a_van_cannot_drive(app: App) -> None:
    close_quay(app)
    await make_crew(app, "bicycle")
    await make_order_at(app, 3)
    build = await build_and_read(app)
    (route_id,) = (await commit_build(app, build)).route_ids
    assert (await check(app, route_id)).feasible
    vehicle = (await app.answer("admin", "list_vehicles", {})).vehicles[0].id
    await app.answer("admin", "update_vehicle", {"vehicle_id": vehicle, "travel_mode": "van"})
    assert {found.rule.value for found in (await check(app, route_id)).findings} == {"no_way"}


async def test_an_order_is_promised_at_the_arrival_time_of_its_vehicle(app: App) -> None:
    van, bike = await make_crew(app, "van", "bicycle")
    orders = [await make_order_at(app, 1), await make_order_at(app, 1)]
    for driver, order in zip((van, bike), orders, strict=True):
        await make_route(app, day=TOMORROW, depot_id=1, driver_id=driver, order_ids=[order])
    by_driver = {each.driver_id: each for each in await suggest(app, 3)}
    assert by_driver[van].arrival_at < by_driver[bike].arrival_at
    assert by_driver[van].extra_s < by_driver[bike].extra_s
    close_quay(app)
    closed = {each.driver_id: each for each in await suggest(app, 3)}
    assert (closed[bike].feasible, closed[van].feasible) == (True, False)
    assert "no_way" in {found.rule.value for found in closed[van].findings}


async def test_a_route_keeps_its_planned_vehicle_until_its_driver_changes(app: App) -> None:
    (driver,), _ = await make_small_day(app, drivers=1, orders=2)
    bike = await make_vehicle(app, name="Free bike", travel_mode="bicycle")
    build = await build_and_read(app)
    assert build.routes[0].vehicle_id == bike
    (route_id,) = (await commit_build(app, build)).route_ids
    van = await make_vehicle(app, name="Any van")
    await set_working_profile(app, driver, vehicle_id=van)
    shape = await app.answer("admin", "get_route_shape", {"route_id": route_id})
    assert shape.mode is TravelMode.BICYCLE
    planned = [stop.arrival_at for stop in build.routes[0].stops]
    assert [stop.arrival_at for stop in (await check(app, route_id)).stops] == planned
    other = await make_driver(app, user=None, name="Other")
    await app.answer("admin", "assign_route_driver", {"route_id": route_id, "driver_id": other})
    assert (await app.answer("admin", "get_route_shape", {"route_id": route_id})).mode is TravelMode.VAN
    await app.answer("admin", "assign_route_driver", {"route_id": route_id, "driver_id": driver})
    assert (await app.answer("admin", "get_route_shape", {"route_id": route_id})).mode is TravelMode.VAN
    await set_working_profile(app, driver, vehicle_id=bike)
    assert (await app.answer("admin", "get_route_shape", {"route_id": route_id})).mode is TravelMode.BICYCLE
    asked = {"route_id": route_id, "mode": "foot"}
    assert (await app.answer("admin", "get_route_shape", asked)).mode is TravelMode.FOOT


async def test_travel_modes_add_no_statements(app: App) -> None:
    await make_small_day(app, orders=3, drivers=2)
    vehicles = [await make_vehicle(app, name=name) for name in ("A", "B")]
    build = await build_and_read(app)
    route_ids = (await commit_build(app, build)).route_ids
    counts: list[int] = []
    for mode in ("van", "bicycle"):
        await app.answer("admin", "update_vehicle", {"vehicle_id": vehicles[0], "travel_mode": mode})
        app.statements = 0
        await app.answer("admin", "check_route_change", {"route_ids": route_ids})
        await app.answer("admin", "suggest_routes", {"lat": DEPOT[0], "lng": DEPOT[1], "day": TOMORROW})
        counts.append(app.statements)
    assert counts[0] == counts[1]
