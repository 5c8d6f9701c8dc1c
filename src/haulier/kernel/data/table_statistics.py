"""What PostgreSQL knows of the values of a table, by which it chooses between an index and reading all rows."""

from sqlalchemy import Table, text

from haulier.kernel.data.unit_of_work import UnitOfWork


async def refresh_statistics(work: UnitOfWork, *tables: Table) -> None:
    """Let PostgreSQL look at a sample of tables that were just filled; SQLite needs none, and nothing is done there.

    For the end of a large import: autovacuum does it within a minute, and until then values that are all different are taken
    for few, so that looking up a hundred of them reads the whole table. Where the role of the application does not own a
    table, PostgreSQL warns and leaves it out.
    """
    if work.on_sqlite:
        return
    for table in tables:
        await work.all(text(f'ANALYZE "{table.name}"'))
