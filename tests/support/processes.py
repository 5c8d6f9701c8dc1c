"""A second process of the application over the same database."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from tests.support.app import App

from haulier.adapters.database import database_for
from haulier.app import build_application
from haulier.settings import Settings


@asynccontextmanager
async def another_process(app: App, database_url: str) -> AsyncIterator[App]:
    """A second application over the same database, with the same clock and tokens."""
    application = build_application(
        Settings(database=database_url, background=False, rate_limits=False), database_for(database_url)
    )
    application.clock = app.clock
    await application.database.open()
    try:
        twin = App(application, app.http, app.clock, database_url)
        twin.tokens = app.tokens
        yield twin
    finally:
        await application.database.close()
