"""Live drivers of the demo: they move along their routes in real time.

Only a server that runs with `demo` has them, and `demo_live` pauses them. All state is in the routes: a restarted
server continues, and reports what was due in the meantime at its planned times.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from typing import Any

from haulier.demo.accounts import DemoUser, sign_in_team
from haulier.demo.caller import SEED_INTERFACE, OperationCaller
from haulier.demo.city import ZONE
from haulier.demo.day import report_places
from haulier.demo.drives import events_of
from haulier.demo.people import DRIVERS
from haulier.demo.rounds import create_round, load_base
from haulier.kernel.application import Application
from haulier.kernel.background.periodic import PeriodicTask, claim_round
from haulier.kernel.background.tasks import running

TICK = timedelta(seconds=5)
TOKENS_LAST = timedelta(days=1)
ROUND = PeriodicTask("demo.live", TICK - timedelta(seconds=1), lambda _: asyncio.sleep(0))
"""One server process drives at a time."""
NEXT_ROUND_MIN = (3, 20, 40)
"""Minutes until each of the next routes starts, if no planned route is left."""
NEXT_ROUND_BEFORE = timedelta(minutes=5)

log = logging.getLogger("haulier.demo")


@asynccontextmanager
async def live_drivers(app: Application) -> AsyncGenerator[None]:
    """Move the drivers while the context is open."""
    logging.getLogger("haulier.call").addFilter(lambda record: getattr(record, "door", None) != SEED_INTERFACE)
    async with running(LiveDrivers(app).run(), name="live-drivers"):
        yield


class LiveDrivers:
    """Reports events and positions of all routes of the demo."""

    def __init__(self, app: Application) -> None:
        self.app = app
        self.people: dict[str, DemoUser] = {}
        self.signed_in_at: datetime | None = None

    async def run(self) -> None:
        """Drive until cancelled. Errors do not stop the loop."""
        while True:
            await asyncio.sleep(TICK.total_seconds())
            try:
                await self.drive()
            except Exception:
                log.exception("the demo could not drive")

    async def drive(self) -> None:
        """Report what is due now."""
        now = self.app.clock()
        async with self.app.database.write(None) as work:
            if not await claim_round(work, ROUND, now):
                return
        await self._sign_in(now)
        if not self.people:
            return
        admin = OperationCaller(self.app, self.people["admin"])
        since = now.astimezone(ZONE).date() - timedelta(days=2)
        listed = (await admin.call("get_routes", date_from=since)).routes
        current = [
            route for route in listed if route.status in ("assigned", "started") and route.driver_name in DRIVERS
        ]
        taken = await self._is_taken_over()
        current = [route for route in current if not (taken and route.driver_name == DRIVERS[0])]
        for route in current:
            await self._drive_route(admin, route.id, now)
        await report_places(admin, self.people, [route.id for route in current])
        if not any((route.planned_end_at or now) > now + NEXT_ROUND_BEFORE for route in current):
            base = await load_base(admin)
            await create_round(admin, base, self.people["customer"].id, now.replace(second=0), NEXT_ROUND_MIN)

    async def _sign_in(self, now: datetime) -> None:
        """Renew the tokens before they expire."""
        if self.signed_in_at is None or now - self.signed_in_at > TOKENS_LAST:
            self.people = await sign_in_team(self.app)
            self.signed_in_at = now

    async def _is_taken_over(self) -> bool:
        """Return True if a visitor has signed in as the first driver."""
        admin = OperationCaller(self.app, self.people["admin"])
        return bool((await admin.call("list_user_sessions", user_id=self.people["driver"].id)).sessions)

    async def _drive_route(self, admin: OperationCaller, route_id: int, now: datetime) -> None:
        """Report the due events of a route.

        Stops at the first refused one, because a visitor has changed the route.
        """
        route = (await admin.call("get_route_detail", route_id=route_id)).route
        callers = (self._driver_of(route), admin)
        for event in events_of(route, now):
            for caller in callers:
                error = await caller.attempt(event.operation, **event.values, occurred_at=event.at)
                if error is None:
                    break
            else:
                return

    def _driver_of(self, route: Any) -> OperationCaller:
        number = DRIVERS.index(route.driver_name) + 1
        return OperationCaller(self.app, self.people["driver" if number == 1 else f"driver{number}"])
