"""Planner statistics of PostgreSQL tables."""

from sqlalchemy import Table, text

from haulier.kernel.data.unit_of_work import UnitOfWork


async def refresh_statistics(work: UnitOfWork, *tables: Table) -> None:
    """Update the planner statistics of tables after a large import.

    Does nothing on SQLite.

    Until autovacuum runs, about a minute later, PostgreSQL underestimates the number of distinct values, so that
    looking up a hundred of them reads the whole table. For tables that the application's role does not own,
    PostgreSQL only warns.
    """
    if work.on_sqlite:
        return
    for table in tables:
        await work.all(text(f'ANALYZE "{table.name}"'))
