"""What stands in the database."""

from typing import Any

import apsw
from sqlalchemy import select
from tests.support import databases
from tests.support.app import App

from haulier.kernel.data.tables import metadata, tenant_tables

REMEMBERED = {"failed_sign_in"}
"""Tables that a dry run writes: a wrong password is counted there as well, or dry runs would be a way to guess."""
SQLITE = "sqlite:///"


async def rows(app: App, *, but: set[str] = REMEMBERED) -> dict[str, list[str]]:
    """Every row as text, by table, of every table that has any but of those in `but`.

    Walks read everything after each call, so it is read past the application, in one statement on PostgreSQL.
    """
    read = _rows_of_file if app.database_url.startswith(SQLITE) else _rows_of_cluster
    return {name: sorted(found) for name, found in read(app).items() if found and name not in but}


def _rows_of_file(app: App) -> dict[str, list[str]]:
    connection = apsw.Connection(app.database_url.removeprefix(SQLITE), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        return {name: [repr(row) for row in connection.execute(f'SELECT * FROM "{name}"')] for name in metadata.tables}
    finally:
        connection.close()


def _rows_of_cluster(app: App) -> dict[str, list[str]]:
    assert app.database_url == databases.cluster().url(), "the database of another test"
    found: dict[str, list[str]] = {}
    for name, row in databases.cluster().read(
        " UNION ALL ".join(f"SELECT '{name}', t::text FROM \"{name}\" t" for name in metadata.tables)
    ):
        found.setdefault(name, []).append(row)
    return found


async def rows_of(app: App, client: str) -> dict[str, list[Any]]:
    """Every row of one client, by table."""
    async with app.database.read(app.clients[client]) as work:
        return {
            table.name: [tuple(row) for row in await work.all(select(table).order_by(*table.primary_key))]
            for table in tenant_tables()
        }
