"""Stale reads from a replica right after a write, with and without the gate."""

import asyncio
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack, suppress

import asyncpg
from msgspec import Struct
from scripts.two_postgres import OWNER, Pair, two_postgres
from sqlalchemy import BigInteger, Column, MetaData, Table, bindparam, select, update

from bench.serve import free_port
from haulier.adapters.postgres import Postgres
from haulier.adapters.postgres_replicas import ReplicatedPostgres
from haulier.kernel.data.unit_of_work import Database

CHANNEL = "bench_round"
NOTICE_TIMEOUT_S = 5.0
BUSY_WRITERS = 4
UNGATED_SHARE = 5
"""One of this number of rounds runs without the gate, for comparison."""
GATED, UNGATED, PRIMARY = "behind the gate", "without it", "from the primary"
round_table = Table(CHANNEL, MetaData(), Column("id", BigInteger), Column("value", BigInteger))
_write = update(round_table).where(round_table.c.id == bindparam("which")).values(value=bindparam("number"))
_read = select(round_table.c.value).where(round_table.c.id == bindparam("which"))


class Rounds(Struct):
    """Results of a number of rounds."""

    stale: int
    by_replica: int
    milliseconds: list[float]

    def cells(self, name: str, load: str, rounds: int) -> str:
        """Return a table row."""
        times = sorted(self.milliseconds)
        p50, p99 = times[len(times) // 2], times[int(len(times) * 0.99)]
        shares = f"{self.stale:,} ({self.stale / rounds:.1%}) | {self.by_replica / rounds:.1%}"
        return f"| {name} | {load} | {rounds:,} | {shares} | {p50:.2f} | {p99:.2f} |"


def measure_staleness(rounds: int) -> Iterator[str]:
    """Yield the lines of the page."""
    yield "## Reads from a replica right after a write"
    yield ""
    yield "One node writes; another reads as soon as the writer has its response, or as soon as it receives the notice. The"
    yield "replica is asynchronous. Busy: four more writers without pauses. p50 and p99 include the wait of the read."
    yield ""
    yield "| read | after | load | rounds | stale | by the replica | p50 ms | p99 ms |"
    yield "| --- | --- | --- | ---: | ---: | ---: | ---: | ---: |"
    with two_postgres((free_port(), free_port())) as pair:
        pair.primary.tell(
            f"CREATE TABLE {CHANNEL} (id bigint PRIMARY KEY, value bigint)",
            f"ALTER TABLE {CHANNEL} OWNER TO {OWNER}",
            f"INSERT INTO {CHANNEL} SELECT n, 0 FROM generate_series(0, {BUSY_WRITERS}) AS n",
            "ALTER SYSTEM RESET synchronous_standby_names",
            "SELECT pg_reload_conf()",
        )
        for load, writers in (("idle", 0), ("busy", BUSY_WRITERS)):
            for after in ("write", "notice"):
                for kind in (GATED, UNGATED, PRIMARY):
                    count = rounds if kind == GATED else rounds // UNGATED_SHARE
                    done = asyncio.run(_rounds(pair, kind, writers, count, wait=after == "notice"))
                    yield done.cells(f"{kind} | {after}", load, count)
    yield ""


async def _rounds(pair: Pair, kind: str, writers: int, rounds: int, *, wait: bool) -> Rounds:
    async with AsyncExitStack() as stack:
        writer, gated = Postgres(pair.primary.url()), ReplicatedPostgres(pair.primary.url(), [pair.standby.url()])
        reader: Database = Postgres(pair.standby.url()) if kind == UNGATED else gated
        for database in {writer, gated, reader}:
            stack.push_async_callback(database.close)
        noise = [asyncio.create_task(_write_without_pause(writer, 1 + n)) for n in range(writers)]
        heard: asyncio.Queue[str] = asyncio.Queue()
        await gated.listen(CHANNEL, heard.put_nowait)
        done = Rounds(0, 0, [])
        for number in range(1, rounds + 1):
            async with writer.write(None) as work:
                await work.run(_write, which=0, number=number)
                if wait:
                    work.notify(CHANNEL, str(number))
            if wait:
                await asyncio.wait_for(heard.get(), NOTICE_TIMEOUT_S)
            began = time.perf_counter()
            async with reader.read(None, replica=kind == GATED) as work:
                done.stale += await work.value(_read, which=0) != number
            done.milliseconds.append((time.perf_counter() - began) * 1000)
        done.by_replica = rounds if kind == UNGATED else gated.reads_by_source["replica"]
        for task in noise:
            task.cancel()
        await asyncio.gather(*noise, return_exceptions=True)
        return done


async def _write_without_pause(database: Database, which: int) -> None:
    number = 0
    with suppress(asyncpg.InterfaceError):
        while True:
            number += 1
            async with database.write(None) as work:
                await work.run(_write, which=which, number=number)
