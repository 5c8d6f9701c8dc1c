"""What stands in the database."""

from typing import Any

from sqlalchemy import func, select
from tests.support.app import App

from haulier.kernel.data.tables import metadata, tenant_tables

REMEMBERED = {"failed_sign_in"}
"""Tables that a dry run writes: a wrong password is counted there as well, or dry runs would be a way to guess."""


async def rows(app: App) -> dict[str, list[Any]]:
    """Every row of every table but `REMEMBERED`, by table."""
    async with app.database.read(None) as work:
        everywhere = work.without_tenant_filter("a test compares everything")
        return {
            name: [tuple(row) for row in await everywhere.all(select(table).order_by(*table.primary_key))]
            for name, table in metadata.tables.items()
            if name not in REMEMBERED and await everywhere.value(select(func.count()).select_from(table))
        }


async def rows_of(app: App, client: str) -> dict[str, list[Any]]:
    """Every row of one client, by table."""
    async with app.database.read(app.clients[client]) as work:
        return {
            table.name: [tuple(row) for row in await work.all(select(table).order_by(*table.primary_key))]
            for table in tenant_tables()
        }
