"""The whole application for tests, without a network.

It has two clients with users over a migrated database.

`app.call(token, operation, values)` uses the pipeline; `app.http` is a client of the ASGI application.
"""

import json
import tempfile
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import httpx
import pytest

from haulier.adapters.database import database_for
from haulier.app import build_application
from haulier.contexts.identity import public as access
from haulier.kernel.application import Application
from haulier.kernel.background import Worker
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.enums import Account, Module
from haulier.kernel.pipeline.request import OperationRequest
from haulier.kernel.pipeline.result import OperationResult
from haulier.kernel.pipeline.run import handle_request
from haulier.settings import Settings

START = datetime(2026, 6, 10, 14, tzinfo=UTC)
PEOPLE = {
    "admin": ("demo", Account.CLIENT_ADMIN),
    "employee": ("demo", Account.EMPLOYEE),
    "contractor": ("demo", Account.CONTRACTOR),
    "contractor2": ("demo", Account.CONTRACTOR),
    "driver": ("demo", Account.DRIVER),
    "driver2": ("demo", Account.DRIVER),
    "customer": ("demo", Account.CUSTOMER),
    "customer2": ("demo", Account.CUSTOMER),
    "rival": ("rival", Account.CLIENT_ADMIN),
    "rival_contractor": ("rival", Account.CONTRACTOR),
    "rival_driver": ("rival", Account.DRIVER),
    "rival_customer": ("rival", Account.CUSTOMER),
}
PASSWORD = "correct horse battery"


class Clock:
    """A clock that only advances when a test sets it."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        return self.now

    def forward(self, **by: float) -> None:
        self.now += timedelta(**by)


class App:
    """A running application and the tokens of its users, by role."""

    def __init__(self, application: Application, http: httpx.AsyncClient, clock: Clock, database_url: str) -> None:
        self.application = application
        self.database_url = database_url
        self.http = http
        self.clock = clock
        self.database = application.database
        self.ids: dict[str, int] = {}
        self.clients: dict[str, int] = {}
        self.tokens: dict[str, str] = {}
        self.statements = 0
        for kind in ("read", "write"):
            setattr(application.database, kind, self._counted(getattr(application.database, kind)))

    def _counted(self, unit: Any) -> Any:
        """Return a unit of work that adds its SQL statements to `statements`."""

        @asynccontextmanager
        async def counted(client_id: int | None, **words: Any) -> AsyncIterator[UnitOfWork]:
            done: UnitOfWork | None = None
            try:
                async with unit(client_id, **words) as work:
                    done = work
                    yield work
            finally:  # outside the block, to include statements just before the commit
                self.statements += done.statements if done else 0

        return counted

    async def call(
        self, who: str | None, operation: str, values: dict[str, Any] | None = None, **words: Any
    ) -> OperationResult:
        """Call an operation as a role of `PEOPLE` (or None) through the pipeline."""
        operation_request = OperationRequest(
            operation=self.application.registry[operation],
            interface="rest",
            request_id="req-test",
            body=json.dumps(values or {}, default=str).encode(),
            token=self.tokens[who] if who else None,
            **words,
        )
        return await handle_request(self.application, operation_request)

    async def answer(self, who: str | None, operation: str, values: dict[str, Any] | None = None, **words: Any) -> Any:
        """Call an operation that must succeed and return its answer."""
        outcome = await self.call(who, operation, values, **words)
        assert outcome.error is None, outcome.error
        return outcome.answer

    async def rest(self, who: str | None, method: str, path: str, body: Any = None, **words: Any) -> httpx.Response:
        """Send a request to the REST API; `path` is below /api."""
        headers = {**({"Authorization": f"Bearer {self.tokens[who]}"} if who else {}), **words.pop("headers", {})}
        return await self.http.request(method, f"/api{path}", json=body, headers=headers, **words)

    async def sign_in(self, who: str) -> str:
        """Sign in a role of `PEOPLE` as in a browser, and return the name to call with."""
        code, _ = PEOPLE[who]
        async with self.database.write(None) as work:
            session = await access.issue_access_token(
                work, client_id=self.clients[code], user_id=self.ids[who], now=self.clock.now
            )
        self.tokens[f"{who} signed in"] = session.token
        return f"{who} signed in"

    async def work_off(self) -> int:
        """Run all due jobs and return their number."""
        return await self.worker().run_due()

    def worker(self) -> Worker:
        from haulier.background import make_worker

        return make_worker(self.application)


async def populate(app: App) -> None:
    """Create two clients with users and a token each."""
    async with app.database.write(None) as plain:
        work = plain.without_tenant_filter("tests act for every client")
        for code, time_zone, currency in (("demo", "America/Toronto", "CAD"), ("rival", "Europe/Paris", "EUR")):
            app.clients[code] = await access.create_client(
                work, code=code, name=code.title(), now=START, time_zone=time_zone, currency=currency, modules=Module
            )
        for role, (code, account) in PEOPLE.items():
            client_id = app.clients[code]
            app.ids[role] = await access.provision_user(
                work,
                client_id=client_id,
                email=f"{role}@{code}.example",
                name=role.replace("_", " ").title(),
                account=account,
                now=START,
            )
            app.tokens[role] = await access.issue_token(
                work, client_id=client_id, user_id=app.ids[role], account=account, now=START
            )


def _when_asked(settings: Settings, application: Application) -> Any:
    """Return the ASGI application, built on first use.

    Most tests do not need it.
    """
    from haulier.server import create_asgi_app

    @cache
    def doors() -> Any:
        return create_asgi_app(settings, application)

    async def asked(scope: Any, receive: Any, send: Any) -> None:
        await doors()(scope, receive, send)

    return asked


@cache
def _usual_settings() -> Settings:
    """Return the default settings, read once.

    Reading them takes a fifth of the time of building an application.
    """
    folder = Path(tempfile.gettempdir(), "haulier-test-signing")
    pushes = {"push_web_key": "mU2_u_AdJFBcRlrJRONdQXzppNtlTk_M4ohnYxRcaMw", "push_contact": "mailto:ops@example.com"}
    served = {"base_url": "http://test", "signing_folder": str(folder), "operators": "admin@demo.example"}
    return Settings(background=False, rate_limits=False, **served, **pushes)


@pytest.fixture
async def remembering_app(app: App) -> AsyncIterator[App]:
    """Yield an application that caches callers like a serving process."""
    async with AsyncExitStack() as stack:
        await app.application.callers.listen(stack)
        await app.application.test_businesses.listen(stack)
        yield app


@asynccontextmanager
async def make_app(database_url: str, **settings: Any) -> AsyncIterator[App]:
    """Yield an application over a migrated, empty database."""
    from haulier.app import detect_missing_modules

    configured = _usual_settings().model_copy(update={"database": database_url})
    if settings:
        configured = Settings(**{**configured.model_dump(exclude_defaults=True), **settings})
    clock = Clock()
    application = build_application(configured, database_for(database_url, direct_url=configured.database_direct))
    application.clock = clock
    application.callers.cache.seconds = lambda: clock.now.timestamp()
    await application.database.open()
    try:
        await detect_missing_modules(application)
        transport = httpx.ASGITransport(app=_when_asked(configured, application))
        async with httpx.AsyncClient(transport=transport, base_url="http://test") as http:
            app = App(application, http, clock, database_url)
            await populate(app)
            yield app
    finally:
        await application.database.close()
