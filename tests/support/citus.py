"""A PostgreSQL distributed by Citus.

Run the tests with `HAULIER_TEST_CITUS=… make citus`, which is one of:

- `postgresql://…`: the URL of a superuser on the coordinator, of a database that tests may empty. The extension is
  created and its workers are registered.
- `/…/bin`: the programs of a PostgreSQL with the extension. Tests start a coordinator and two workers.

Tests connect as a role under row-level security. One process at a time.
"""

import asyncio
import os
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit, urlunsplit

import asyncpg

from haulier.adapters.citus import distribute_database
from haulier.adapters.new_schema import upgrade_to_newest_revision
from haulier.kernel.data.tables import metadata

T = TypeVar("T")

VARIABLE = "HAULIER_TEST_CITUS"
NEEDED = (
    "the URL of a superuser on a coordinator, or the folder of the programs of a PostgreSQL with the extension citus"
)
ROLE = "haulier_tests"
SHARDS = 8
TABLES = """
SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
AND relname NOT LIKE 'pg\\_dist\\_%'
"""


class CitusDatabase:
    """The distributed database, migrated for this run."""

    def __init__(self) -> None:
        given = os.environ.get(VARIABLE, "")
        if not given:
            raise RuntimeError(f"DB=citus needs {VARIABLE}: {NEEDED}")
        if os.environ.get("PYTEST_XDIST_WORKER"):
            raise RuntimeError("all workers would share the one distributed database: run without -n")
        self._servers = ExitStack()
        self._admin = given
        if given.startswith("/"):
            from scripts.citus_servers import citus_servers

            self._admin = self._servers.enter_context(citus_servers(Path(given))).url()
        self._distribute()

    def _distribute(self) -> None:
        from haulier.app import load_tables

        load_tables()
        existing = [row["relname"] for row in self._run(TABLES)]
        if stray := set(existing) - {*metadata.tables, "alembic_version"}:
            raise RuntimeError(
                f"{VARIABLE} names a database with other tables, and would empty it: {', '.join(sorted(stray))}"
            )
        for name in existing:
            self._run(f'DROP TABLE "{name}" CASCADE')
        upgrade_to_newest_revision(self._admin)
        distribute_database(self._admin, metadata.sorted_tables, shards=SHARDS, on_step=lambda step, done_before: None)
        self._let_in()

    def _let_in(self) -> None:
        secret = urlsplit(self._admin).password
        if not self._run("SELECT FROM pg_roles WHERE rolname = $1", ROLE):
            self._run(f"CREATE ROLE {ROLE} LOGIN" + (f" PASSWORD '{secret}'" if secret else ""))
        self._run(f"GRANT ALL ON SCHEMA public TO {ROLE}")
        self._run(f"GRANT ALL ON ALL TABLES IN SCHEMA public TO {ROLE}")
        self._run(f"GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO {ROLE}")

    def url(self) -> str:
        """The URL for a role under row-level security."""
        parts = urlsplit(self._admin)
        who = ROLE + (f":{parts.password}" if parts.password else "")
        return urlunsplit(parts._replace(netloc=f"{who}@{parts.netloc.rpartition('@')[2]}"))

    def sweep(self) -> None:
        """Empty every table."""
        self._run(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND usename = $1",
            ROLE,
        )
        # The triggers of the audit trail refuse this otherwise.
        tables = ", ".join(metadata.tables)
        self._run(f"TRUNCATE {tables} RESTART IDENTITY", before="SET session_replication_role = replica")

    def _run(self, sql: str, *values: Any, before: str = "") -> list[Any]:
        async def run() -> list[Any]:
            connection = await asyncpg.connect(self._admin)
            try:
                if before:
                    await connection.execute(before)
                return await connection.fetch(sql, *values)
            finally:
                await connection.close()

        return _apart(run())

    def close(self) -> None:
        """Stop servers that were started here."""
        self._servers.close()


def _apart(work: Coroutine[Any, Any, T]) -> T:
    """Return the result of a coroutine, also within an event loop."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


@cache
def citus() -> CitusDatabase:
    """Return the distributed database of this run, created on first use."""
    return CitusDatabase()
