"""Transactions of commands, and the setup link of a new server."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from haulier.kernel.application import Application
    from haulier.kernel.data.unit_of_work import UnitOfWork
    from haulier.settings import Settings


def make_first_link(settings: "Settings") -> str | None:
    """Return the setup link, or None if accounts exist.

    Raises `InvalidSetting` for an empty database.
    """
    from haulier.contexts.identity import public as access
    from haulier.kernel.data.clock import utc_now

    async def make(work: "UnitOfWork") -> str | None:
        return await access.make_setup_link(work, settings.base_url, utc_now())

    return run_in_transaction(settings.database, make)


def run_with_application(url: str | None, action: "Callable[[Application], Awaitable[Any]]") -> Any:
    """Run an action with an application over the opened database.

    Raises `InvalidSetting` if migrations are pending.
    """
    import asyncio

    from haulier.app import build_application
    from haulier.health import list_pending_revisions
    from haulier.settings import InvalidSetting, load_settings

    async def run() -> Any:
        app = build_application(load_settings(database=url))
        await app.database.open()
        try:
            if await list_pending_revisions(app.database):
                raise InvalidSetting("migrations of the database are pending. Run haulier db upgrade first.")
            return await action(app)
        finally:
            await app.database.close()

    return asyncio.run(run())


def run_in_transaction(url: str | None, action: Callable[["UnitOfWork"], Awaitable[Any]]) -> Any:
    """Run an action in one transaction without the tenant filter.

    Raises `InvalidSetting` for an empty database.
    """
    import asyncio

    from haulier.adapters.database import database_for
    from haulier.settings import InvalidSetting, load_settings

    async def run() -> Any:
        database = database_for(load_settings(database=url).database)
        await database.open()
        try:
            if "alembic_version" not in await database.table_names():
                raise InvalidSetting("the database is empty. Run haulier db upgrade first.")
            async with database.write(None) as work:
                return await action(work.without_tenant_filter("the command line is the operator's"))
        finally:
            await database.close()

    return asyncio.run(run())
