"""Schema of an empty database, created directly from the declared tables.

This is faster than running every revision, and the result is the same: `tests/adapters/test_new_schema.py` compares the
catalogues of the databases.
"""

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from sqlalchemy import Column, MetaData, PrimaryKeyConstraint, String, Table, create_mock_engine

from haulier.adapters.audit_guard import audit_guard_ddl
from haulier.adapters.owner_files import create_owner_file
from haulier.adapters.revisions import ADVISORY_LOCK_KEY, newest_revision
from haulier.kernel.data.full_text import full_text_ddl, full_text_tables
from haulier.kernel.data.tables import is_unlogged, metadata, tenant_tables

LOCK_TIMEOUT_MS = 60_000
VERSION_TABLE = Table(
    "alembic_version",
    MetaData(),
    Column("version_num", String(32), nullable=False),
    PrimaryKeyConstraint("version_num", name="alembic_version_pkc"),
)


def upgrade_to_newest_revision(url: str) -> None:
    """Create the schema in an empty database, or migrate an existing one.

    As in `migrations`, one process does the work and the others wait.
    """
    if not make_schema(url):
        from haulier.adapters.migrations import upgrade_schema  # the import takes a third of a second

        upgrade_schema(url)


def make_schema(url: str) -> bool:
    """Create the whole schema in one transaction, unless the database has one.

    Returns True if the schema was created. All modules that declare tables must be imported (`haulier.app.load_tables`).
    """
    if url.startswith("sqlite:"):
        return _make_on_sqlite(Path(url.removeprefix("sqlite:///")))
    with ThreadPoolExecutor(1) as thread:  # the caller may already run an event loop
        return thread.submit(lambda: asyncio.run(_make_on_postgres(url))).result()


def schema_statements(kind: str) -> Iterator[str]:
    """Yield the statements that create the schema and record its revision.

    `kind` is `sqlite` or `postgresql`.
    """
    elements: list[Any] = []
    engine: Any = create_mock_engine(f"{kind}://", lambda element, *_, **__: elements.append(element))
    metadata.create_all(engine, checkfirst=False)
    VERSION_TABLE.create(engine, checkfirst=False)
    elements.append(VERSION_TABLE.insert().values(version_num=newest_revision()))
    if kind == "postgresql":
        from haulier.adapters.postgres import partition_ddl, row_level_security_ddl, unlogged_ddl

        for table in tenant_tables():
            elements += (*partition_ddl(table), *row_level_security_ddl(table))
        elements += [unlogged_ddl(table) for table in metadata.sorted_tables if is_unlogged(table)]
    for element in elements:
        yield str(element.compile(dialect=engine.dialect, compile_kwargs={"literal_binds": True}))
    for table in full_text_tables():
        yield from full_text_ddl(table, engine.dialect)
    yield from audit_guard_ddl(engine.dialect)


def _make_on_sqlite(file: Path) -> bool:
    import apsw

    create_owner_file(file)
    connection = apsw.Connection(str(file))
    try:
        connection.set_busy_timeout(LOCK_TIMEOUT_MS)
        connection.execute("BEGIN IMMEDIATE")
        present = {name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
        if _has_our_tables(present):
            return False
        connection.execute(";".join(schema_statements("sqlite")))
        connection.execute("COMMIT")
        return True
    finally:
        connection.close()


async def _make_on_postgres(url: str) -> bool:
    import asyncpg

    from haulier.adapters.postgres import TABLE_NAMES_SQL

    connection: Any = await asyncpg.connect(url)
    try:
        async with connection.transaction():
            await connection.execute("SELECT pg_advisory_xact_lock($1)", ADVISORY_LOCK_KEY)
            if _has_our_tables({row["relname"] for row in await connection.fetch(TABLE_NAMES_SQL)}):
                return False
            await connection.execute(";".join(schema_statements("postgresql")))
            return True
    finally:
        await connection.close()


def _has_our_tables(present: set[str]) -> bool:
    return not present.isdisjoint({VERSION_TABLE.name, *metadata.tables})
