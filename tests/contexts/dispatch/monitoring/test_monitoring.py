"""Observed day: positions, progress, exceptions and changes."""

from datetime import timedelta
from typing import Any

from tests.contexts.driver_app.makers import DOOR_POSITION
from tests.support.app import START, App
from tests.support.transport import DAY, make_driver, make_order, make_route, make_started_route, status_and_code


async def seen_at(app: App, who: str = "driver", minutes_ago: float = 1, **place: float) -> None:
    at = app.clock.now - timedelta(minutes=minutes_ago)
    await app.answer(who, "push_positions", {"points": [{"occurred_at": at.isoformat(), **DOOR_POSITION, **place}]})


async def drivers(app: App, who: str = "admin", **words: Any) -> Any:
    return (await app.answer(who, "dispatch_drivers", words)).drivers


async def exceptions(app: App, who: str = "admin", **words: Any) -> list[str]:
    return [each.kind.value for each in (await app.answer(who, "dispatch_exceptions", words)).exceptions]


async def test_drivers_are_shown_at_their_last_position_with_its_age(app: App) -> None:
    route = await make_started_route(app, [await make_order(app)])
    await make_driver(app, name="Zoe")
    await seen_at(app, minutes_ago=3)
    dan, zoe = await drivers(app)
    assert (dan.status, dan.age_s, dan.lat, dan.route_id) == ("driving", 180, DOOR_POSITION["lat"], route.id)
    assert (dan.current_stop.stop_id, dan.current_stop.status, dan.current_stop.address) == (
        route.stops[0].id,
        "planned",
        "100 Queen St W",
    )
    assert dan.observed_at == START - timedelta(minutes=3)
    assert (zoe.status, zoe.lat, zoe.observed_at, zoe.current_stop) == ("offline", None, None, None)


async def test_a_driver_becomes_at_stop_idle_and_offline(app: App) -> None:
    route = await make_started_route(app, [await make_order(app), await make_order(app)])
    await seen_at(app)
    at = {"route_id": route.id, "stop_id": route.stops[0].id}
    await app.answer("driver", "arrive_at_stop", at)
    assert [each.status for each in await drivers(app)] == ["at_stop"]
    await app.answer("driver", "deliver_stop", at)
    app.clock.forward(minutes=30)
    await seen_at(app)
    assert [each.status for each in await drivers(app)] == ["idle"]
    assert [each.status for each in await drivers(app, idle_after_min=60)] == ["driving"]
    assert await exceptions(app) == ["idle"]
    app.clock.forward(minutes=30)
    assert [each.status for each in await drivers(app)] == ["offline"]
    assert await exceptions(app) == ["no_signal"]


async def test_progress_compares_actual_times_with_windows(app: App) -> None:
    soon, gone = START + timedelta(hours=1), START - timedelta(hours=1)
    windows = [
        {"window_start": (end - timedelta(hours=1)).isoformat(), "window_end": end.isoformat()} for end in (soon, gone)
    ]
    route = await make_started_route(app, [*[await make_order(app, **each) for each in windows], await make_order(app)])
    for stop in route.stops[:2]:
        await app.answer("driver", "deliver_stop", {"route_id": route.id, "stop_id": stop.id})
    day = await app.answer("admin", "dispatch_progress")
    assert (str(day.day), day.stops_total, day.stops_done, day.stops_left) == (DAY, 3, 2, 1)
    assert (day.on_time, day.late) == (1, 1)
    (shown,) = day.routes
    assert (shown.route_id, shown.driver_name, shown.started_at) == (route.id, "Dan", START)
    assert await exceptions(app, kind="missed_window") == ["missed_window"]


async def test_a_declined_route_and_a_failed_stop_are_exceptions(app: App) -> None:
    route = await make_started_route(app, [await make_order(app)])
    at = {"route_id": route.id, "stop_id": route.stops[0].id}
    await app.answer("driver", "rider_fail", {**at, "reason": "recipient_absent"})
    other = await make_route(app, order_ids=[await make_order(app)], driver_id=route.driver_id)
    await app.answer("driver", "decline_route", {"route_id": other})
    await seen_at(app)
    found = await app.answer("admin", "dispatch_exceptions")
    assert {(each.kind.value, each.route_id) for each in found.exceptions} == {
        ("failed_stop", route.id),
        ("declined", other),
    }
    assert all(each.message for each in found.exceptions)


async def test_exceptions_are_paged_and_counted_by_kind(app: App) -> None:
    route = await make_started_route(app, [await make_order(app) for _ in range(3)])
    for stop in route.stops[:2]:
        await app.answer(
            "driver", "rider_fail", {"route_id": route.id, "stop_id": stop.id, "reason": "recipient_absent"}
        )
    pages = [await app.answer("admin", "dispatch_exceptions", {"page": page, "per_page": 2}) for page in (1, 2)]
    assert [len(page.exceptions) for page in pages] == [2, 1]
    assert {page.total for page in pages} == {3}
    failed = await app.answer("admin", "dispatch_exceptions", {"kind": "failed_stop"})
    assert failed.total == len(failed.exceptions) == 2


async def test_a_driver_far_from_the_planned_line_is_off_route(app: App) -> None:
    await make_started_route(app, [await make_order(app)])
    await seen_at(app, lng=-79.28)
    (found,) = (await app.answer("admin", "dispatch_exceptions")).exceptions
    assert (found.kind, 7_500 < found.metres < 8_500) == ("off_route", True)


async def test_a_contractor_sees_only_their_own_drivers(app: App) -> None:
    await make_started_route(app, [await make_order(app)])
    await seen_at(app)
    own = await make_driver(app, user="driver2", contractor_id=app.ids["contractor"])
    assert [each.driver_id for each in await drivers(app, "contractor")] == [own]
    assert await drivers(app, "rival") == []
    for who in ("contractor", "rival"):
        assert (await app.answer(who, "dispatch_progress", {"day": DAY})).routes == []
        assert (await app.answer(who, "dispatch_changes", {"day": DAY})).changes == []
    assert status_and_code(await app.call("driver", "dispatch_drivers")) == (403, "ACCOUNT_NOT_ALLOWED")


async def test_monitoring_uses_a_constant_number_of_statements(app: App) -> None:
    route = await make_started_route(app, [await make_order(app)])
    await seen_at(app)
    once = [await counted(app, operation) for operation in OPERATIONS]
    for _ in range(4):
        await make_route(app, order_ids=[await make_order(app)], driver_id=route.driver_id)
        await make_driver(app)
    assert [await counted(app, operation) for operation in OPERATIONS] == once


OPERATIONS = ("dispatch_drivers", "dispatch_progress", "dispatch_exceptions", "dispatch_changes")


async def counted(app: App, operation: str) -> int:
    before = app.statements
    await app.answer("admin", operation, {"day": DAY} if operation == "dispatch_changes" else {})
    return app.statements - before


def told(answer: Any) -> list[tuple[str, str | None]]:
    return [(each.kind, each.status) for each in answer.changes]


async def test_changes_continue_from_the_cursor(app: App) -> None:
    route = await make_started_route(app, [await make_order(app)])
    await seen_at(app)
    first = await app.answer("admin", "dispatch_changes", {"day": DAY})
    assert sorted(kind for kind, _ in told(first)) == ["position", "route"]
    app.clock.forward(seconds=30)
    again = await app.answer("admin", "dispatch_changes", {"day": DAY, "cursor": first.next_cursor})
    assert sorted(kind for kind, _ in told(again)) == ["position", "route"]  # recent changes are listed twice
    quiet = await app.answer("admin", "dispatch_changes", {"day": DAY, "cursor": again.next_cursor})
    assert told(quiet) == []
    await app.answer("driver", "arrive_at_stop", {"route_id": route.id, "stop_id": route.stops[0].id})
    news = await app.answer("admin", "dispatch_changes", {"day": DAY, "cursor": quiet.next_cursor})
    assert told(news) == [("stop", "arrived")]


async def test_changes_at_the_same_instant_are_paged_without_loss(app: App) -> None:
    orders = [await make_order(app) for _ in range(5)]
    route = await make_started_route(app, orders)
    for stop in route.stops:
        await app.answer("driver", "arrive_at_stop", {"route_id": route.id, "stop_id": stop.id})
    found: list[int] = []
    asked: dict[str, Any] = {"day": DAY, "limit": 2}
    for _ in range(3):
        page = await app.answer("admin", "dispatch_changes", asked)
        found += [each.stop_id for each in page.changes if each.kind == "stop"]
        asked = {**asked, "cursor": page.next_cursor}
    assert sorted(found) == sorted(stop.id for stop in route.stops)


async def test_an_unknown_cursor_is_refused(app: App) -> None:
    outcome = await app.call("admin", "dispatch_changes", {"day": DAY, "cursor": "nonsense"})
    assert status_and_code(outcome) == (422, "INVALID_REQUEST")
