"""Route suggestions for an order before it is created."""

from typing import Any

from tests.contexts.dispatch.board.makers import make_route_to, rules, two_routes
from tests.contexts.planning.builds.makers import DEPOT, TOMORROW, make_order_at, make_vehicle, set_working_profile
from tests.contexts.routes.routes.makers import stop_ids_of
from tests.support.app import App
from tests.support.transport import make_depot, make_driver, make_route, make_started_route, some_orders

from haulier.contexts.dispatch.board.rules import list_detours


async def suggest(app: App, north: float = 0, east: float = 0, who: str = "admin", **words: Any) -> Any:
    """Return the routes that fit an order some hundredths of a degree off the depot."""
    place = {"lat": DEPOT[0] + north / 100, "lng": DEPOT[1] + east / 100}
    return (await app.answer(who, "suggest_routes", {**place, "day": TOMORROW, **words})).routes


def test_the_shortest_detour_inserts_the_stop_between_its_neighbours() -> None:
    visited = [(1.0, 0.0), (2.0, 0.0)]
    assert list_detours((0.0, 0.0), visited, (0.0, 1.0), (1.5, 0.0))[0][1] == 1
    assert list_detours((0.0, 0.0), visited, None, (3.0, 0.0))[0][1] == 2
    assert [index for _, index in list_detours((0.0, 0.0), visited, None, (0.5, 0.0), first=1)] == [1, 2]


class TestFittingRoutes:
    async def test_the_nearest_passing_route_comes_first_with_the_best_position(self, app: App) -> None:
        north, south = await two_routes(app)
        first, second = await suggest(app, north=7)
        assert (first.route_id, second.route_id) == (north, south)
        assert (first.driver_name, first.position, first.feasible, first.findings) == ("Nora", 2, True, [])
        assert abs(first.extra_distance_m) < 100 < second.extra_distance_m
        assert first.extra_s < second.extra_s
        assert first.arrival_at.date().isoformat() == TOMORROW

    async def test_nothing_is_written(self, app: App) -> None:
        north, _ = await two_routes(app)
        before = await app.answer("admin", "get_route_detail", {"route_id": north})
        await suggest(app, north=7)
        assert await app.answer("admin", "get_route_detail", {"route_id": north}) == before

    async def test_a_route_that_the_order_would_break_comes_last_with_the_reasons(self, app: App) -> None:
        depot_id = await make_depot(app, lat=DEPOT[0], lng=DEPOT[1])
        near = await make_route_to(app, (5, 0), depot_id=depot_id)
        await make_vehicle(app, capacity_weight_g=2_000)
        (told,) = await suggest(app, north=4, weight_g=5_000)
        assert (told.route_id, told.feasible, rules(told)) == (near, False, {"capacity"})
        assert told.findings[0].message
        (light,) = await suggest(app, north=4, weight_g=500)
        assert light.feasible

    async def test_violated_windows_skills_and_zones_are_reported(self, app: App) -> None:
        north, _ = await two_routes(app)
        driver = next(each.driver_id for each in await suggest(app, north=7) if each.route_id == north)
        await set_working_profile(app, driver, zones=[{"postal_prefixes": ["K1"]}])
        night: dict[str, Any] = {"window_start": f"{TOMORROW}T05:00:00Z", "window_end": f"{TOMORROW}T05:05:00Z"}
        told = await suggest(app, north=7, postal_code="M5V 2T6", skills=["tail_lift"], **night)
        assert {"window", "skill", "zone"} <= next(rules(each) for each in told if each.route_id == north)

    async def test_existing_violations_are_not_counted_against_the_order(self, app: App) -> None:
        depot_id = await make_depot(app, lat=DEPOT[0], lng=DEPOT[1])
        await make_vehicle(app, capacity_weight_g=100)
        heavy = await make_order_at(app, 5, 0, packages=[{"weight_g": 5_000}])
        driver_id = await make_driver(app)
        await make_route(app, day=TOMORROW, driver_id=driver_id, order_ids=[heavy], depot_id=depot_id)
        (told,) = await suggest(app, north=4)
        assert told.feasible

    async def test_an_empty_route_can_be_suggested(self, app: App) -> None:
        depot_id = await make_depot(app, lat=DEPOT[0], lng=DEPOT[1])
        empty = await make_route(app, day=TOMORROW, depot_id=depot_id)
        (told,) = await suggest(app, north=4)
        assert (told.route_id, told.position, told.feasible, told.driver_name) == (empty, 1, True, None)

    async def test_the_limit_is_respected_and_an_unplanned_day_has_no_suggestions(self, app: App) -> None:
        await two_routes(app)
        assert len(await suggest(app, north=7, limit=1)) == 1
        assert await suggest(app, north=7, day="2026-06-20") == []
        assert await suggest(app, north=7, day="2026-06-01") == []

    async def test_a_window_of_another_day_fits_no_route(self, app: App) -> None:
        await two_routes(app)
        assert await suggest(app, north=7, window_start="2026-08-01T10:00:00Z") == []
        assert await suggest(app, north=7, window_end="2026-05-01T10:00:00Z") == []
        always: dict[str, Any] = {"window_start": "0002-01-01T00:00:00Z", "window_end": "9998-12-31T23:59:59Z"}
        assert [each.feasible for each in await suggest(app, 7, **always)] == [True, True]


class TestOtherRoutes:
    async def test_locked_cancelled_and_foreign_routes_are_omitted(self, app: App) -> None:
        north, south = await two_routes(app)
        await app.answer("admin", "lock_route", {"route_id": north})
        await app.answer("admin", "cancel_route", {"route_id": south})
        own = await make_route(app, who="contractor", day=TOMORROW, depot_id=await make_depot(app, name="Their depot"))
        assert await suggest(app, north=7) == []
        assert [each.route_id for each in await suggest(app, north=7, who="contractor")] == [own]

    async def test_depot_orders_fit_no_started_route_and_pickups_go_after_the_drivers_position(self, app: App) -> None:
        route = await make_started_route(app, await some_orders(app, 3))
        await app.answer("driver", "arrive_at_stop", {"route_id": route.id, "stop_id": stop_ids_of(route)[0]})
        assert await suggest(app, day=None) == []
        (told,) = await suggest(app, day=None, type="P")
        assert told.route_id == route.id
        assert told.position >= 2

    async def test_routes_of_another_business_are_not_suggested(self, app: App) -> None:
        await two_routes(app)
        assert await suggest(app, north=7, who="rival") == []


async def test_statement_count_is_constant_for_any_number_of_stops(app: App) -> None:
    depot_id = await make_depot(app, lat=DEPOT[0], lng=DEPOT[1])
    await make_route_to(app, (5, 0), depot_id=depot_id, driver="A")
    app.statements = 0
    await suggest(app, north=7)
    few = app.statements
    for number in range(3):
        await make_route_to(app, *[(n, number) for n in range(1, 6)], depot_id=depot_id, driver=f"B{number}")
    app.statements = 0
    assert len(await suggest(app, north=7)) == 3
    assert app.statements == few


async def test_a_window_that_ends_before_it_starts_is_refused(app: App) -> None:
    window = {"window_start": f"{TOMORROW}T15:00:00Z", "window_end": f"{TOMORROW}T14:00:00Z"}
    answer = await app.rest("admin", "POST", "/v1/dispatch/suggestions", {"lat": 43.6, "lng": -79.4, **window})
    assert (answer.status_code, "The window must end after it starts" in answer.text) == (422, True)
