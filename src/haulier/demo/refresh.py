"""A demo that is started again: its data is around the present."""

from datetime import datetime, timedelta
from typing import Any

from haulier.demo.accounts import DemoUser, sign_in_team
from haulier.demo.caller import HISTORY_DAYS, OperationCaller, SeedClock
from haulier.demo.city import ZONE
from haulier.demo.day import drive_routes, report_places
from haulier.demo.drives import events_of
from haulier.demo.history import seed_history
from haulier.demo.rounds import create_round, load_base, reschedule_late
from haulier.kernel.application import Application

STARTS_MIN = (-45, -15, 20)
"""Starts of the routes of a refreshed demo, in minutes from now."""
OVER_AFTER = timedelta(minutes=30)


async def refresh_demo(app: Application) -> None:
    """Complete what was under way, and play the missed days and a new round.

    Does nothing while routes of the last round are current.
    """
    now = app.clock()
    people = await sign_in_team(app)
    if not people:
        return
    admin = OperationCaller(app, people["admin"])
    planned = [route for route in (await admin.call("get_routes")).routes if route.planned_end_at]
    if not planned or max(route.planned_end_at for route in planned) > now - OVER_AFTER:
        return
    for route in planned:
        if route.status in ("assigned", "started"):
            await _complete(admin, route, now)
    await _play_missed(app, people, max(route.day for route in planned))


async def _complete(admin: OperationCaller, route: Any, now: datetime) -> None:
    """Complete a route at its planned times, unless a user has changed it."""
    detail = (await admin.call("get_route_detail", route_id=route.id)).route
    for event in events_of(detail, now):
        if await admin.attempt(event.operation, **event.values, occurred_at=event.at) is not None:
            return


async def _play_missed(app: Application, people: dict[str, DemoUser], last_day: Any) -> None:
    clock = SeedClock(app)
    admin = OperationCaller(app, people["admin"])
    base, customer = await load_base(admin), people["customer"].id
    missed = (clock.present.astimezone(ZONE).date() - last_day).days - 1
    await seed_history(admin, people, clock, base, days=min(HISTORY_DAYS, missed))
    clock.advance_to(clock.present - timedelta(hours=2))
    now = clock.present.replace(minute=clock.present.minute // 5 * 5, second=0, microsecond=0)
    routes = await create_round(admin, base, customer, now, STARTS_MIN)
    await drive_routes(admin, routes, clock)
    await reschedule_late(admin, clock.present)
    await report_places(admin, people, routes)
