"""Schema migrations, and the creation of new revisions.

Every function takes a database URL, as `haulier.adapters.database.database_for` does. It runs in one transaction under a lock
on the schema: if several processes start at once, one migrates and the others wait. The functions block, so call them from
a thread if an event loop is running.
"""

import asyncio
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import asyncpg
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, create_engine, event, inspect, text
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import NullPool

from haulier.adapters.owner_files import create_owner_file
from haulier.adapters.postgres import PARTITION_INFIX
from haulier.adapters.revisions import (
    ADVISORY_LOCK_KEY,
    MIGRATIONS_FOLDER,
    OutdatedDatabase,
    is_before_baseline,
)
from haulier.kernel.data.full_text import INDEX_SUFFIX
from haulier.kernel.data.tables import key_columns, metadata

T = TypeVar("T")
MigrationStep = Callable[[Connection], T]

LOCK_TIMEOUT_S = 60


def upgrade_schema(url: str, revision: str = "head") -> None:
    """Upgrade the schema to a revision. Raises `OutdatedDatabase`."""
    _run_step(url, lambda connection: command.upgrade(_supported_config(connection), revision))


def downgrade_schema(url: str, revision: str) -> None:
    """Downgrade the schema to a revision, or to `base`, the empty database.

    Raises `OutdatedDatabase`.
    """
    _run_step(url, lambda connection: command.downgrade(_supported_config(connection), revision))


def current_revision(url: str) -> str | None:
    """Return the revision of the database, or None before the first migration."""
    return _run_step(url, lambda connection: MigrationContext.configure(connection).get_current_revision())


def pending_revisions(url: str) -> list[str]:
    """Return the revisions that an upgrade runs, in order. Raises `OutdatedDatabase`."""

    def list_pending(connection: Connection) -> list[str]:
        script = ScriptDirectory.from_config(_supported_config(connection))
        current = MigrationContext.configure(connection).get_current_revision()
        return [step.revision for step in script.iterate_revisions("head", current or "base")][::-1]

    return _run_step(url, list_pending)


def schema_differences(url: str) -> list[Any]:
    """Return the differences between the schema and the declared tables.

    All tables must be imported. The list is empty if the revisions cover all declarations.
    """
    options = {"include_name": lambda name, _kind, _parents: not (name and is_created_separately(name))}

    def compare(connection: Connection) -> list[Any]:
        found = compare_metadata(MigrationContext.configure(connection, opts=options), metadata)
        return [*found, *_key_differences(connection)]

    return _run_step(url, compare)


def is_created_separately(name: str) -> bool:
    """Return True for partitions and full-text indexes.

    They are created from the declaration of another table.
    """
    return PARTITION_INFIX in name or INDEX_SUFFIX in name


def _key_differences(connection: Connection) -> Iterator[tuple[str, str, tuple[str, ...], tuple[str, ...]]]:
    """Yield tables whose primary key differs from the declared key.

    Alembic does not compare primary keys.
    """
    found = inspect(connection).get_multi_pk_constraint()
    for table in metadata.sorted_tables:
        declared = key_columns(table, connection.dialect)
        key = found.get((None, table.name))
        if key is not None and (existing := tuple(key["constrained_columns"])) != declared:
            yield "modify_key", table.name, existing, declared


def autogenerate_revision(message: str) -> Path:
    """Generate the next revision from declarations that no revision covers.

    Review the file before committing it.
    """
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/schema.db"
        upgrade_schema(url)
        history = ScriptDirectory.from_config(_alembic_config()).walk_revisions()
        number = 1 + max((int(step.revision) for step in history), default=0)
        made: Any = _run_step(
            url,
            lambda connection: command.revision(
                _alembic_config(connection), message, autogenerate=True, rev_id=f"{number:04d}"
            ),
        )
    return Path(made.path)


def _supported_config(connection: Connection) -> Config:
    config = _alembic_config(connection)
    current = MigrationContext.configure(connection).get_current_revision()
    if current and is_before_baseline(current, ScriptDirectory.from_config(config).get_base()):
        raise OutdatedDatabase(current)
    return config


def _alembic_config(connection: Connection | None = None) -> Config:
    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", str(MIGRATIONS_FOLDER).replace("%", "%%"))
    config.set_main_option("file_template", "%%(rev)s_%%(slug)s")
    config.set_main_option("path_separator", "os")
    return config


def _run_step(url: str, step: MigrationStep[T]) -> T:
    if url.startswith("sqlite:"):
        return _run_step_on_sqlite(url, step)
    with ThreadPoolExecutor(1) as thread:  # the caller may already run an event loop
        return thread.submit(lambda: asyncio.run(_run_step_on_postgres(url, step))).result()


def _run_step_on_sqlite(url: str, step: MigrationStep[T]) -> T:
    create_owner_file(Path(url.removeprefix("sqlite:///")))
    engine = create_engine(url, poolclass=NullPool, connect_args={"timeout": LOCK_TIMEOUT_S, "isolation_level": None})

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    with engine.begin() as connection:
        return step(connection)


async def _run_step_on_postgres(url: str, step: MigrationStep[T]) -> T:
    engine = create_async_engine(
        "postgresql+asyncpg://", poolclass=NullPool, async_creator=lambda: asyncpg.connect(url)
    )
    try:
        async with engine.begin() as connection:
            await connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": ADVISORY_LOCK_KEY})
            return await connection.run_sync(step)
    finally:
        await engine.dispose()
