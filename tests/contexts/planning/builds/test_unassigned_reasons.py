"""Reasons without an eligible driver: the decisive one is named."""

from typing import Any

from tests.contexts.planning.builds.makers import (
    DEPOT,
    build_and_read,
    make_order_at,
    make_small_day,
    set_working_profile,
    use_in_process_search,
)
from tests.support.app import App
from tests.support.transport import make_depot, make_driver, make_route, set_order


def no_driver_reasons(build: Any) -> dict[int, tuple[str, Any]]:
    """Return the reason of each order that no driver may take."""
    return {each.order_id: (each.reason.value, each.facts.get("why")) for each in build.unassigned}


async def test_no_driver_works_on_the_day(app: App) -> None:
    (driver,), (order,) = await make_small_day(app, orders=1, drivers=1)
    await set_working_profile(app, driver, shifts=[{"weekday": 1, "start": "08:00", "end": "12:00"}])
    build = await build_and_read(app)
    assert no_driver_reasons(build) == {order: ("pool", "planned")}
    assert build.unassigned[0].message == "No driver can be planned on this day."


async def test_the_order_belongs_to_a_contractor(app: App) -> None:
    _, (theirs, ours) = await make_small_day(app, orders=2, drivers=1)
    await app.answer("admin", "assign_orders_to_broker", {"order_ids": [theirs], "broker_id": app.ids["contractor"]})
    assert no_driver_reasons(await build_and_read(app, order_ids=[theirs, ours])) == {theirs: ("pool", "contractor")}


async def test_all_drivers_are_already_on_the_road(app: App) -> None:
    (driver,), (gone, late) = await make_small_day(app, orders=2, drivers=1)
    route_id = await make_route(app, driver_id=driver, order_ids=[gone])
    await app.answer("driver", "start_route", {"route_id": route_id})
    build = await build_and_read(app, day="2026-06-10", current="rebuild", order_ids=[late])
    assert no_driver_reasons(build) == {late: ("pool", "on_the_road")}


async def test_the_plan_reserves_the_order_for_another_driver(app: App) -> None:
    (first, second), (order,) = await make_small_day(app, orders=1)
    preferences = [{"order_id": order, "driver_ids": [second]}]
    assert no_driver_reasons(await build_and_read(app, driver_ids=[first], preferences=preferences)) == {
        order: ("pool", "wished")
    }


async def test_the_order_is_assigned_to_another_driver(app: App) -> None:
    (_, second), (order,) = await make_small_day(app, orders=1)
    await set_order(app, order, driver_id=app.ids["driver"])
    assert no_driver_reasons(await build_and_read(app, driver_ids=[second])) == {order: ("pool", "given")}


async def test_no_driver_covers_the_zone(app: App) -> None:
    use_in_process_search(app)
    await make_depot(app, lat=DEPOT[0], lng=DEPOT[1])
    await set_working_profile(app, await make_driver(app), zones=[{"postal_prefixes": ["K1A"]}])
    order, known = await make_order_at(app, north=1), await make_order_at(app, north=1, postal_code="K1A 0B1")
    build = await build_and_read(app)
    assert no_driver_reasons(build) == {order: ("pool", "zone")}
    assert [stop.order_id for stop in build.routes[0].stops] == [known]
    assert build.unassigned[0].message == "The address is outside the zones of every planned driver."


async def test_a_past_window_or_one_on_another_day_is_reported_instead_of_working_hours(app: App) -> None:
    _, _ = await make_small_day(app, orders=0, drivers=1)
    windows = {
        "over": ("2026-06-10T14:00:00-04:00", "2026-06-10T16:00:00-04:00"),
        "later": ("2026-06-12T09:00:00-04:00", "2026-06-12T11:00:00-04:00"),
        "fits": ("2026-06-11T09:00:00-04:00", "2026-06-11T16:00:00-04:00"),
        "at night": ("2026-06-11T02:00:00-04:00", "2026-06-11T03:00:00-04:00"),
    }
    ids = {name: await make_order_at(app, window_start=a, window_end=b) for name, (a, b) in windows.items()}
    left_out = {each.order_id: each for each in (await build_and_read(app)).unassigned}
    assert {name: left_out[id].reason.value for name, id in ids.items() if id in left_out} == {
        "over": "window_over",
        "later": "other_day",
        "at night": "shift",
    }
    for name in ("over", "later"):
        start, end = windows[name]
        assert left_out[ids[name]].facts == {"window_start": start, "window_end": end}


async def test_a_window_of_today_that_has_passed_is_over(app: App) -> None:
    await make_small_day(app, orders=0, drivers=1)
    await make_order_at(app, scheduled_date="2026-06-10", window_end="2026-06-10T11:00:00-04:00")
    app.clock.forward(hours=7)
    build = await build_and_read(app, day="2026-06-10")
    assert [each.reason.value for each in build.unassigned] == ["window_over"]


async def test_an_order_on_another_continent_reports_distance_and_drive_time(app: App) -> None:
    await make_small_day(app, orders=0, drivers=1)
    lost = await make_order_at(app)
    await set_order(app, lost, lat=DEPOT[0], lng=-DEPOT[1])
    (left,) = (await build_and_read(app)).unassigned
    assert left.reason.value == "too_far"
    assert int(left.facts["distance_m"]) > 9_000_000
    assert int(left.facts["drive_s"]) > 100 * 3600
    assert left.message.endswith("Check the coordinates.")


async def test_a_window_after_the_last_shift_reports_the_window_and_the_nearest_shift_end(app: App) -> None:
    (driver,), _ = await make_small_day(app, orders=0, drivers=1)
    await set_working_profile(app, driver, shifts=[{"weekday": 4, "start": "08:00", "end": "17:00"}])
    await make_order_at(app, window_start="2026-06-11T18:00:00-04:00", window_end="2026-06-11T20:00:00-04:00")
    (left,) = (await build_and_read(app)).unassigned
    assert left.facts == {
        "driver_id": driver,
        "window_start": "2026-06-11T18:00:00-04:00",
        "window_end": "2026-06-11T20:00:00-04:00",
        "shift_start": "2026-06-11T08:00:00-04:00",
        "shift_end": "2026-06-11T17:00:00-04:00",
    }
    assert "5:00\u202fPM" in left.message


async def test_a_window_between_two_shifts_is_outside_working_hours(app: App) -> None:
    (driver,), _ = await make_small_day(app, orders=0, drivers=1)
    split: list[dict[str, Any]] = [
        {"weekday": 4, "start": "08:00", "end": "12:00"},
        {"weekday": 4, "start": "15:00", "end": "19:00"},
    ]
    await set_working_profile(app, driver, shifts=split)
    between = await make_order_at(app, window_start="2026-06-11T12:30:00-04:00", window_end="2026-06-11T14:30:00-04:00")
    evening = await make_order_at(app, window_start="2026-06-11T17:00:00-04:00", window_end="2026-06-11T18:00:00-04:00")
    build = await build_and_read(app)
    assert [stop.order_id for route in build.routes for stop in route.stops] == [evening]
    assert [(left.order_id, left.reason.value) for left in build.unassigned] == [(between, "shift")]
    assert "8:00\u202fAM–7:00\u202fPM) leave no time for the order" in build.unassigned[0].message
