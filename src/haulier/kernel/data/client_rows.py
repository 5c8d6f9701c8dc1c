"""Rows of one client in all tables."""

from collections.abc import Collection

from sqlalchemy import delete
from sqlalchemy.sql.schema import Table

from haulier.kernel.data.tables import metadata
from haulier.kernel.data.unit_of_work import UnitOfWork


def list_client_tables(present: Collection[str]) -> list[Table]:
    """Return the tables whose rows belong to a client, of those that the database has."""
    return [table for table in metadata.sorted_tables if table.info.get("tenant") and table.name in present]


async def delete_client_rows(work: UnitOfWork, present: Collection[str], *, but: Collection[str] = ()) -> int:
    """Delete the rows of the client of a unit of work, except in some tables.

    Return their number.
    """
    tables = [table for table in list_client_tables(present) if table.name not in but]
    return sum([await work.run(delete(table)) for table in tables])
