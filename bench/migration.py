"""`python -m bench.migration`: how long the newest migration takes on a filled database, and how long others wait meanwhile.

The database is at the revision before, with so many orders, each with a package, a timeline and some events. While it is
migrated, one caller reads a timeline and another writes an order, again and again; the longest that either waited is told. On
PostgreSQL it is done twice: as it stands, and with the indexes that were made beforehand without a lock.
"""

import argparse
import asyncio
import contextlib
import sqlite3
import tempfile
import time
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import asyncpg
from rich.console import Console

from haulier.adapters import migrations
from haulier.migrations import versions

BEFORE, CLIENT = "0016", 1
NOW = "2026-11-01T00:00:00.000000Z"
SERIES = {
    "postgres": "generate_series(1, {}) AS series (n)",
    "sqlite": "(WITH RECURSIVE series (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM series LIMIT {}) SELECT n FROM series)",
}
FILL = (
    "INSERT INTO delivery_order (client_id, tracking_number, type, status, fulfilment, third_party_held, service_time_s,"
    ' weight_g, package_count, skills, "references", search, created_at, updated_at)'
    f" SELECT {CLIENT}, 'HLB' || n, 'D', 100, 'self_delivery', false, 120, 1500, 1, '[]', '{{}}', 'b ' || n, '{NOW}', '{NOW}'"
    " FROM {orders}",
    "INSERT INTO order_package (client_id, order_id, tracking_number, weight_g, quantity)"
    f" SELECT {CLIENT}, n, 'HLB' || n, 1500, 1 FROM {{orders}}",
    "INSERT INTO tracking_subject (client_id, tracking_number, number_key, profile, order_id, created_at)"
    f" SELECT {CLIENT}, 'HLB' || n, 'HLB' || n, 'parcel', n, '{NOW}' FROM {{orders}}",
    "INSERT INTO tracking_event"
    " (client_id, subject_id, event_id, occurred_at, recorded_at, status_code, document, shown)"
    f" SELECT {CLIENT}, n % {{size}} + 1, '0123456789abcdef' || n, '{NOW}', '{NOW}', 'in_transit', '{{document}}',"
    " '{document}' FROM {events}",
)
DOCUMENT = '{"description": "' + "x" * 150 + '"}'
READ = f"SELECT count(*) FROM tracking_event WHERE client_id = {CLIENT} AND subject_id = 7"
WRITE = "UPDATE delivery_order SET weight_g = weight_g + 1 WHERE id = 7"


def fill(kind: str, size: int, events: int) -> Iterator[str]:
    """The statements that fill a database."""
    series = SERIES[kind]
    for statement in FILL:
        yield (
            statement.replace("{orders}", series.format(size))
            .replace("{events}", series.format(size * events))
            .replace("{size}", str(size))
            .replace("{document}", DOCUMENT)
            .replace("{{", "{")
            .replace("}}", "}")
        )


class Waiting:
    """Callers on a database, and the longest that each of them waited."""

    def __init__(self, url: str) -> None:
        self._url = url
        self.longest: dict[str, float] = {}
        self._done = False

    @contextlib.contextmanager
    def counted(self) -> Generator[None]:
        """Callers call while the context is open."""
        with ThreadPoolExecutor(2) as threads:
            callers = [
                threads.submit(asyncio.run, self._call(name, sql)) for name, sql in (("read", READ), ("write", WRITE))
            ]
            try:
                yield
            finally:
                self._done = True
        for caller in callers:
            caller.result()

    async def _call(self, name: str, sql: str) -> None:
        connection = await asyncpg.connect(self._url)
        await connection.execute("SELECT set_config('haulier.client', '*', false)")
        while not self._done:
            began = time.perf_counter()
            await connection.execute(sql)
            self.longest[name] = max(self.longest.get(name, 0.0), time.perf_counter() - began)
            await asyncio.sleep(0.02)
        await connection.close()


def migrate_postgres(size: int, events: int, *, prepared: bool, tell: Callable[[str], None]) -> None:
    """Measure on PostgreSQL."""
    from tests.support.databases import cluster

    with cluster().nothing() as url:
        migrations.upgrade_schema(url, BEFORE)
        asyncio.run(
            _run(url, ["SELECT set_config('haulier.client', '*', false)", *fill("postgres", size, events), "ANALYZE"])
        )
        tell(f"  filled: {asyncio.run(_run(url, ['SELECT pg_size_pretty(pg_database_size(current_database()))']))}")
        if prepared:
            began = time.perf_counter()
            asyncio.run(_run(url, prepared_indexes()))
            tell(f"  indexes made beforehand, nobody waits: {time.perf_counter() - began:.1f} s")
        waiting = Waiting(url)
        with waiting.counted():
            began = time.perf_counter()
            migrations.upgrade_schema(url)
            seconds = time.perf_counter() - began
        waited = ", ".join(
            f"a {name} waited at most {longest:.2f} s" for name, longest in sorted(waiting.longest.items())
        )
        tell(f"  migrated: {seconds:.1f} s; {waited}")


async def _run(url: str, statements: list[str]) -> Any:
    connection = await asyncpg.connect(url)
    try:
        answers = [await connection.fetch(statement) for statement in statements]
        return answers[-1] and answers[-1][0][0]
    finally:
        await connection.close()


def prepared_indexes() -> list[str]:
    """What makes the indexes of the large tables before the migration, while everybody reads and writes."""
    file = next(Path(versions.__file__).parent.glob("0017_*.py"))
    namespace: dict[str, Any] = {"__name__": "step"}
    exec(compile(file.read_text(), file, "exec"), namespace)
    namespace["_partitions"] = lambda: [f"tracking_event_part_{number:02}" for number in range(16)]
    made: list[str] = list(namespace["_new_indexes"](("client_id",)))
    return [statement.replace("UNIQUE INDEX", "UNIQUE INDEX CONCURRENTLY") for statement in made]


def migrate_sqlite(size: int, events: int, tell: Callable[[str], None]) -> None:
    """Measure on SQLite, where nobody else may use the file meanwhile."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "haulier.db")
        migrations.upgrade_schema(f"sqlite:///{path}", BEFORE)
        with contextlib.closing(sqlite3.connect(path)) as connection:
            for statement in fill("sqlite", size, events):
                connection.execute(statement)
            connection.commit()
        tell(f"  filled: {path.stat().st_size // 2**20} MB")
        began = time.perf_counter()
        migrations.upgrade_schema(f"sqlite:///{path}")
        tell(f"  migrated: {time.perf_counter() - began:.1f} s")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--orders", type=int, default=1_000_000)
    parser.add_argument("--events", type=int, default=4, help="of each order")
    parser.add_argument("--databases", default="sqlite,postgres")
    given = parser.parse_args()
    tell = Console(highlight=False).print
    if "sqlite" in given.databases:
        tell(f"SQLite, {given.orders} orders")
        migrate_sqlite(given.orders, given.events, tell)
    if "postgres" in given.databases:
        for prepared in (False, True):
            tell(f"PostgreSQL, {given.orders} orders, {'prepared' if prepared else 'as it stands'}")
            migrate_postgres(given.orders, given.events, prepared=prepared, tell=tell)


if __name__ == "__main__":
    main()
