"""The board of a day in one response, and previews of changes."""

from typing import Any

from tests.contexts.dispatch.board.makers import rules
from tests.contexts.planning.builds.makers import (
    DEPOT,
    TOMORROW,
    make_order_at,
    make_small_day,
    make_vehicle,
    set_working_profile,
)
from tests.contexts.routes.routes.makers import move_stops, some_routes, stop_ids_of, stops_of
from tests.support.app import App
from tests.support.every_case import for_every
from tests.support.transport import (
    DAY,
    make_depot,
    make_driver,
    make_order,
    make_route,
    make_started_route,
    some_orders,
    status_and_code,
)


async def board(app: App, who: str = "admin", **words: Any) -> Any:
    return await app.answer(who, "dispatch_board", {"day": DAY, **words})


async def check(app: App, *route_ids: int, who: str = "admin", **words: Any) -> Any:
    return await app.answer(who, "check_route_change", {"route_ids": list(route_ids), **words})


def make_move(route_id: int, *stop_ids: int, **words: Any) -> dict[str, Any]:
    return {"move": {"route_id": route_id, "stop_ids": list(stop_ids), **words}}


class TestBoard:
    async def test_the_board_shows_every_route_of_the_day_with_its_stops_in_order(self, app: App) -> None:
        first, second = await some_routes(app, 3, 2)
        await make_route(app, day="2026-06-11")
        shown = await board(app)
        assert [(route.id, stop_ids_of(route)) for route in shown.routes] == [
            (first.id, stop_ids_of(first)),
            (second.id, stop_ids_of(second)),
        ]
        assert (shown.depots[0].lat, shown.depots[0].closed) == (43.64, False)
        assert (shown.time_zone, shown.complete) == ("America/Toronto", True)

    async def test_the_board_without_stops_is_brief_and_shows_route_progress(self, app: App) -> None:
        (route,) = await some_routes(app, 3)
        (shown,) = (await board(app, stops=False)).routes
        assert (shown.id, shown.stops, shown.stops_total, shown.stops_done) == (route.id, [], 3, 0)

    async def test_statement_count_is_constant_for_any_number_of_stops(self, app: App) -> None:
        await some_routes(app, 2)
        app.statements = 0
        await board(app)
        few = app.statements
        await some_routes(app, *([20] * 5))
        app.statements = 0
        assert sum(len(route.stops) for route in (await board(app)).routes) == 102
        assert app.statements == few

    async def test_a_contractor_sees_only_their_own_routes(self, app: App) -> None:
        await some_routes(app, 1)
        own = await make_route(app, who="contractor", depot_id=await make_depot(app))
        assert [route.id for route in (await board(app, "contractor")).routes] == [own]

    async def test_cancelled_routes_are_hidden_and_single_routes_can_be_requested(self, app: App) -> None:
        first, second, third = await some_routes(app, 1, 1, 1)
        await app.answer("admin", "cancel_route", {"route_id": first.id})
        assert [route.id for route in (await board(app)).routes] == [second.id, third.id]
        assert [route.id for route in (await board(app, route_ids=[first.id, third.id])).routes] == [third.id]

    async def test_drivers_are_shown_at_their_last_known_position(self, app: App) -> None:
        await make_started_route(app, await some_orders(app, 2))
        point = {"occurred_at": app.clock.now, "lat": 43.66, "lng": -79.39}
        await app.answer("driver", "push_positions", {"points": [point]})
        (seen,) = (await board(app, stops=False)).drivers
        assert (seen.lat, seen.lng, seen.status.value) == (43.66, -79.39, "driving")


class TestCheck:
    async def test_current_routes_have_ascending_times(self, app: App) -> None:
        (route,) = await some_routes(app, 4)
        (told,) = (await check(app, route.id)).routes
        assert told.feasible
        assert [stop.stop_id for stop in told.stops] == stop_ids_of(route)
        assert sorted(stop.arrival_at for stop in told.stops) == [stop.arrival_at for stop in told.stops]
        assert told.start_at <= told.stops[0].arrival_at
        assert told.stops[-1].departure_at <= told.end_at

    async def test_a_started_route_is_simulated_from_its_open_stops_without_learning_from_actual_times(
        self, app: App
    ) -> None:
        route = await make_started_route(app, await some_orders(app, 3))
        await app.answer("driver", "deliver_stop", {"route_id": route.id, "stop_id": route.stops[0].id})
        (told,) = (await check(app, route.id)).routes
        assert [stop.stop_id for stop in told.stops] == stop_ids_of(route)[1:]
        assert all(stop.arrival_at is None and stop.start_at >= app.clock.now for stop in told.stops)
        for path in ("drivers", "progress", "exceptions", "changes"):
            observed = (await app.rest("admin", "GET", f"/v1/dispatch/{path}")).text
            assert [word for word in ('"arrival_at"', "forecast", '"eta') if word in observed] == []
        (shown,) = (await board(app)).routes
        assert [(stop.planned_arrival_at, stop.arrived_at) for stop in shown.stops[1:]] == [(None, None)] * 2

    async def test_a_move_is_checked_without_writing(self, app: App) -> None:
        here, there = await some_routes(app, 3, 2)
        told = await check(app, **make_move(there.id, here.stops[0].id, position=1))
        assert told.allowed
        sequences = {route.route_id: [stop.stop_id for stop in route.stops] for route in told.routes}
        assert sequences == {there.id: [stop_ids_of(here)[0], *stop_ids_of(there)], here.id: stop_ids_of(here)[1:]}
        assert (await stops_of(app, here.id), await stops_of(app, there.id)) == (stop_ids_of(here), stop_ids_of(there))

    @for_every("lock", ["stop", "route", "both", "none"])
    async def test_the_check_allows_the_same_moves_with_the_same_errors_as_moving(self, app: App, lock: str) -> None:
        here, there = await some_routes(app, 2, 2)
        if lock in ("stop", "both"):
            await app.answer("admin", "lock_stops", {"route_id": here.id, "stop_ids": [here.stops[0].id]})
        if lock in ("route", "both"):
            await app.answer("admin", "lock_route", {"route_id": there.id})
        told = await check(app, **make_move(there.id, here.stops[0].id))
        done = await move_stops(app, there.id, here.stops[0].id)
        assert told.allowed is (done.error is None) is (lock == "none")
        assert told.message == (done.error and done.error["message"])

    async def test_a_stop_after_its_window_shows_its_delay(self, app: App) -> None:
        await make_depot(app, lat=DEPOT[0], lng=DEPOT[1])
        driver = await make_driver(app)
        window = {"window_start": "2026-06-11T12:00:00Z", "window_end": "2026-06-11T12:05:00Z"}
        orders = [await make_order_at(app, 20, 20, **window), await make_order_at(app, -20, -20, **window)]
        route_id = await make_route(app, day=TOMORROW, driver_id=driver, order_ids=orders)
        (told,) = (await check(app, route_id)).routes
        assert rules(told) == {"window"}
        assert told.late_s == sum(stop.late_s for stop in told.stops) > 0
        assert {found.stop_id for found in told.findings} == {stop.stop_id for stop in told.stops if stop.late_s}

    async def test_an_overloaded_vehicle_is_reported(self, app: App) -> None:
        (driver, *_), orders = await make_small_day(app, orders=2, drivers=1)
        await make_vehicle(app, capacity_weight_g=2_000)
        heavy = await make_order_at(app, 1, 1, packages=[{"weight_g": 1_500}])
        route_id = await make_route(app, day=TOMORROW, driver_id=driver, order_ids=[*orders, heavy])
        (told,) = (await check(app, route_id)).routes
        assert rules(told) == {"capacity"}
        assert told.load_percent == 175

    async def test_a_driver_on_a_day_off_is_reported_and_a_missing_driver_is_not(self, app: App) -> None:
        (driver,), orders = await make_small_day(app, orders=2, drivers=1)
        await set_working_profile(app, driver, shifts=[{"weekday": 1, "start": "08:00", "end": "16:00"}])
        theirs = await make_route(app, day=TOMORROW, driver_id=driver, order_ids=orders[:1])
        nobodys = await make_route(app, day=TOMORROW, order_ids=orders[1:])
        told = {route.route_id: rules(route) for route in (await check(app, theirs, nobodys)).routes}
        assert told == {theirs: {"day_off"}, nobodys: set()}

    async def test_a_stop_outside_the_drivers_zones_is_reported(self, app: App) -> None:
        (driver,), (inside,) = await make_small_day(app, orders=1, drivers=1)
        outside = await make_order_at(app, 1, 1, postal_code="K1A 0B1")
        await set_working_profile(app, driver, zones=[{"postal_prefixes": ["M5V"]}])
        route_id = await make_route(app, day=TOMORROW, driver_id=driver, order_ids=[inside, outside])
        (told,) = (await check(app, route_id)).routes
        (found,) = told.findings
        assert (found.rule.value, found.stop_id, told.feasible) == ("zone", told.stops[1].stop_id, False)
        assert found.message == "The stop is outside the driver’s zones."

    async def test_a_started_route_is_calculated_from_now_for_its_open_stops(self, app: App) -> None:
        route = await make_started_route(app, await some_orders(app, 3))
        await app.answer("driver", "deliver_stop", {"route_id": route.id, "stop_id": route.stops[0].id})
        (told,) = (await check(app, route.id)).routes
        assert [stop.stop_id for stop in told.stops] == stop_ids_of(route)[1:]
        assert told.start_at >= app.clock.now

    async def test_statement_count_is_constant_for_any_number_of_stops(self, app: App) -> None:
        counts: list[int] = []
        for size in (2, 30):
            routes = await some_routes(app, size, size)
            app.statements = 0
            await check(app, *(route.id for route in routes))
            counts.append(app.statements)
        assert counts[0] == counts[1]

    async def test_routes_of_two_days_cannot_be_checked_together(self, app: App) -> None:
        today = await make_route(app, order_ids=[await make_order(app)])
        other = await make_route(app, day=TOMORROW)
        outcome = await app.call("admin", "check_route_change", {"route_ids": [today, other]})
        assert status_and_code(outcome) == (409, "ROUTES_DO_NOT_MATCH")
