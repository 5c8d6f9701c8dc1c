"""Planned times beside observed ones, while they are valid."""

from datetime import UTC, datetime, timedelta
from typing import Any

from tests.contexts.routes.routes.makers import get_route, move_stops, some_routes, stop_ids_of
from tests.support.app import START, App
from tests.support.transport import make_started_route, some_orders

from haulier.contexts.routes.public import update_stop_plans
from haulier.contexts.routes.routes import store
from haulier.kernel.call import call_as
from haulier.kernel.principal import ANONYMOUS


async def plan(app: App, route: Any, first: datetime = START) -> None:
    """Plan a route: a stop every ten minutes, a kilometre apart, two kilometres back."""
    legs = [
        (stop.id, first + timedelta(minutes=10 * n), first + timedelta(minutes=10 * n + 2), 1000)
        for n, stop in enumerate(route.stops)
    ]
    times = {"planned_start_at": first, "planned_end_at": first + timedelta(hours=1)}
    async with app.database.write(app.clients["demo"]) as work:
        call = call_as(app.application, ANONYMOUS, work, now=START)
        await update_stop_plans(call, legs)
        await store.update_route(work, route.id, planned_distance_m=1000 * len(legs) + 2000, **times)


async def arrivals(app: App, route_id: int) -> list[int | None]:
    """Minutes after the start at which the plan arrives at each stop."""
    planned = [stop.planned_arrival_at for stop in (await get_route(app, route_id)).stops]
    return [at and round((at - START).total_seconds() / 60) for at in planned]


async def test_a_plan_is_shown_on_the_route_and_its_stops(app: App) -> None:
    (route,) = await some_routes(app, 3)
    await plan(app, route)
    shown = await get_route(app, route.id)
    assert (shown.planned_distance_m, shown.planned_start_at, shown.version) == (5000, START, route.version + 1)
    assert shown.planned_end_at == START + timedelta(hours=1)
    assert [stop.planned_distance_m for stop in shown.stops] == [1000] * 3
    assert shown.stops[1].planned_departure_at == START + timedelta(minutes=12)
    assert await arrivals(app, route.id) == [0, 10, 20]


async def test_the_plan_is_dropped_from_the_first_changed_stop(app: App) -> None:
    here, there = await some_routes(app, 4, 3)
    await plan(app, here)
    await plan(app, there)
    await move_stops(app, there.id, stop_ids_of(here)[2], position=2)
    assert (await arrivals(app, here.id), await arrivals(app, there.id)) == ([0, 10, None], [0, None, None, None])
    assert {(await get_route(app, route.id)).planned_end_at for route in (here, there)} == {None}
    assert (await get_route(app, here.id)).planned_start_at == START


async def test_removing_an_order_keeps_the_plan_before_it(app: App) -> None:
    (route,) = await some_routes(app, 4)
    await plan(app, route)
    body = {"route_id": route.id, "order_ids": [route.stops[1].order_id]}
    await app.answer("admin", "remove_orders_from_route", body)
    assert await arrivals(app, route.id) == [0, None, None]


async def test_an_unchanged_order_of_stops_keeps_the_plan(app: App) -> None:
    (route,) = await some_routes(app, 3)
    await plan(app, route)
    body = {"route_id": route.id, "stop_ids": stop_ids_of(route), "expected_version": route.version + 1}
    assert (await app.answer("admin", "reorder_stops", body)).route.version == route.version + 1
    assert await arrivals(app, route.id) == [0, 10, 20]


async def test_actual_times_are_shown_with_planned_times_and_the_delay(app: App) -> None:
    route = await make_started_route(app, await some_orders(app, 3))
    await plan(app, route)
    app.clock.forward(minutes=14)
    done = {"route_id": route.id, "stop_id": stop_ids_of(route)[0], "occurred_at": START - timedelta(minutes=3)}
    await app.answer("driver", "deliver_stop", done)
    app.clock.forward(minutes=4)
    await app.answer("driver", "arrive_at_stop", {"route_id": route.id, "stop_id": stop_ids_of(route)[1]})
    app.clock.forward(minutes=10)
    stops = (await get_route(app, route.id)).stops
    assert [(stop.behind_plan_s, stop.punctuality) for stop in stops] == [
        (-180, "on_time"),
        (8 * 60, "late"),
        (8 * 60, "overdue"),
    ]
    assert stops[1].arrived_at.astimezone(UTC) - stops[1].planned_arrival_at == timedelta(minutes=8)
