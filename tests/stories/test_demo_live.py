"""The demo is around the present on every day and at every hour."""

from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.support.databases import demo_file, seconds_since_demo_seed

from haulier.app import build_application
from haulier.cli.server import demo_companions
from haulier.demo import PASSWORD, ensure_demo
from haulier.demo.accounts import sign_in_team
from haulier.demo.caller import OperationCaller
from haulier.demo.city import DEPOTS
from haulier.demo.live import LiveDrivers, live_drivers
from haulier.kernel.application import Application
from haulier.kernel.values.geography import great_circle_m
from haulier.settings import Settings

CENTRE = DEPOTS[0][3:]
CITY_M = 1_500


@pytest.fixture
async def app(tmp_path: Path) -> AsyncIterator[Application]:
    database = demo_file(tmp_path)
    application = build_application(Settings(database=database, demo=True, clock_offset_s=-seconds_since_demo_seed()))
    await application.database.open()
    yield application
    await application.database.close()


@pytest.fixture
async def admin(app: Application) -> OperationCaller:
    return OperationCaller(app, (await sign_in_team(app))["admin"])


def move_clock(app: Application, **span: float) -> datetime:
    """Move the clock of an application on, and return the new time."""
    now = app.clock() + timedelta(**span)
    app.clock = lambda: now
    return now


async def details(admin: OperationCaller, status: str) -> list[Any]:
    routes = (await admin.call("get_routes", status=status)).routes
    return [(await admin.call("get_route_detail", route_id=route.id)).route for route in routes]


async def stops_completed(admin: OperationCaller) -> int:
    """Return the number of completed stops of all routes, ended ones included."""
    return sum(route.stops_completed for route in (await admin.call("get_routes", per_page=100)).routes)


async def test_the_first_day_is_on_time_with_few_exceptions_and_history(admin: OperationCaller) -> None:
    insights = await admin.call("get_orders_insights")
    with_deliveries = [day for day in insights.days if day.delivered]
    assert len(with_deliveries) >= 7
    assert insights.total.on_time_share > 0.9
    under_way = insights.days[-2:]  # in the first hours of a day, the drives began on the evening before
    on_time, judged = (sum(getattr(day, name) for day in under_way) for name in ("on_time", "judged"))
    assert on_time / judged > 0.9
    assert 1 <= sum(day.failed_attempts for day in under_way) <= 5
    assert 1 <= judged - on_time <= 3


async def test_drivers_start_routes_move_and_deliver(app: Application, admin: OperationCaller) -> None:
    live = LiveDrivers(app)
    before = await stops_completed(admin)
    move_clock(app, minutes=20)
    await live.drive()
    started = await details(admin, "started")
    assert await stops_completed(admin) > before
    for route in started:
        since = app.clock() - timedelta(minutes=1)
        (point,) = (await admin.call("get_driver_trail", driver_id=route.driver_id, since=since)).points
        assert great_circle_m((point.lat, point.lng), CENTRE) < CITY_M
    move_clock(app, minutes=40)
    await live.drive()
    assert await details(admin, "assigned") == []
    move_clock(app, hours=2)
    await live.drive()
    assert all(route.planned_start_at > app.clock() for route in await details(admin, "assigned"))
    assert len(await details(admin, "assigned")) == 3


async def test_a_route_driven_by_a_visitor_is_left_alone(app: Application, admin: OperationCaller) -> None:
    await OperationCaller(app, None).call("login", email="driver@demo.example", password=PASSWORD)
    (before,) = [route for route in await details(admin, "started") if route.driver_name == "Dana Korhonen"]
    move_clock(app, minutes=20)
    await LiveDrivers(app).drive()
    after = (await admin.call("get_route_detail", route_id=before.id)).route
    assert [stop.status for stop in after.stops] == [stop.status for stop in before.stops]


async def test_a_demo_restarted_days_later_is_moved_to_the_present(tmp_path: Path) -> None:
    later = Settings(database=demo_file(tmp_path), demo=True, clock_offset_s=round(timedelta(days=3).total_seconds()))
    await ensure_demo(later)
    app = build_application(later)
    await app.database.open()
    try:
        admin = OperationCaller(app, (await sign_in_team(app))["admin"])
        today = admin.app.clock().date()
        assert all((route.day - today).days >= -1 for route in await details(admin, "started"))
        assert await details(admin, "started")
        insights = await admin.call("get_orders_insights")
        assert all(day.delivered for day in insights.days[-10:])
        assert insights.total.on_time_share > 0.9
        assert (await admin.call("get_orders", late=True, statuses=["NEW_ORDER"])).orders == []
        routes = (await admin.call("get_routes")).routes
    finally:
        await app.database.close()
    await ensure_demo(later)  # a restart within the round adds nothing
    app = build_application(later)
    await app.database.open()
    admin = OperationCaller(app, (await sign_in_team(app))["admin"])
    assert len((await admin.call("get_routes")).routes) == len(routes)
    await app.database.close()


def test_only_an_unpaused_demo_has_live_drivers() -> None:
    assert demo_companions(Settings(demo=True)) == [live_drivers]
    assert demo_companions(Settings(demo=True, demo_live=False)) == []
    assert demo_companions(Settings()) == []
