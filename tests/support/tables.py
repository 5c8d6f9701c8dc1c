"""Contents of the database."""

from typing import Any
from weakref import WeakKeyDictionary

import apsw
from sqlalchemy import select
from tests.support import databases
from tests.support.app import App

from haulier.kernel.data.tables import metadata, tenant_tables

REMEMBERED = {"failed_sign_in"}
"""Tables that a dry run writes. Wrong passwords are counted there too, to prevent guessing by dry runs."""
SQLITE = "sqlite:///"


async def rows(app: App, *, but: set[str] = REMEMBERED) -> dict[str, list[str]]:
    """Return all rows as text by table, except tables in `but`.

    Walks read everything after each call, so this reads directly, with one statement on PostgreSQL.
    """
    read = _rows_of_file if app.database_url.startswith(SQLITE) else _rows_of_cluster
    return {name: sorted(found) for name, found in read(app).items() if found and name not in but}


class _OpenFile:
    """An open database file whose rows are only read again after a commit."""

    def __init__(self, url: str) -> None:
        self._connection = apsw.Connection(url.removeprefix(SQLITE), flags=apsw.SQLITE_OPEN_READWRITE)
        self._version: Any = None
        self._rows: dict[str, list[str]] = {}

    def rows(self) -> dict[str, list[str]]:
        version = self._connection.pragma("data_version")
        if version != self._version:
            read = self._connection.execute
            self._rows = {name: [repr(row) for row in read(f'SELECT * FROM "{name}"')] for name in metadata.tables}
            self._version = version
        return self._rows


_open_files: WeakKeyDictionary[App, _OpenFile] = WeakKeyDictionary()
"""Why they stay open: opening one reads 200 definitions, and a walk reads after each call."""


def _rows_of_file(app: App) -> dict[str, list[str]]:
    if app not in _open_files:
        _open_files[app] = _OpenFile(app.database_url)
    return _open_files[app].rows()


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
