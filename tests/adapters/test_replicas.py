"""Choice of the server for reads that a replica may serve."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from sqlalchemy import func, select
from tests.support.databases import cluster

from haulier.adapters import postgres_replicas
from haulier.adapters.database import database_for
from haulier.adapters.postgres_replicas import LogPosition, PrimaryLog, Replica, ReplicatedPostgres


class Answers:
    """Stand-in for a connection with scripted responses; the last one repeats."""

    def __init__(self, *rows: Any) -> None:
        self.rows = list(rows)
        self.asked = 0
        self.gate = asyncio.Event()
        self.gate.set()
        self.heard = asyncio.Event()

    async def ask(self, sql: str) -> Sequence[Any]:
        self.asked += 1
        self.heard.set()
        await self.gate.wait()
        rows = self.rows.pop(0) if len(self.rows) > 1 else self.rows[0]
        if isinstance(rows, Exception):
            raise rows
        return rows


def make_replica(*answers: Any) -> Replica:
    replica = Replica("postgresql://nobody@127.0.0.1:1/none", 1)
    replica._probe = Answers(*answers)  # type: ignore[assignment]
    return replica


async def test_a_replica_is_awaited_until_it_has_replayed_the_position() -> None:
    replica = make_replica([("00000001",)], [(5,)], [(9,)], [(10,)])
    assert await replica.reaches(LogPosition("00000001", 10))
    assert await replica.reaches(LogPosition("00000001", 8)), "what it has, it keeps: nobody is asked"
    assert replica._probe.asked == 4  # type: ignore[attr-defined]


async def test_a_replica_of_another_timeline_and_a_promoted_one_are_ignored() -> None:
    assert not await make_replica([("00000001",)], [(99,)]).reaches(LogPosition("00000002", 10))
    assert not await make_replica([("00000001",)], []).reaches(LogPosition("00000001", 10))


async def test_callers_share_only_position_queries_started_after_they_arrived() -> None:
    log = PrimaryLog("postgresql://nobody@127.0.0.1:1/none")
    log._probe = answers = Answers([("00000001", 1)], [("00000001", 2)])  # type: ignore[assignment]
    answers.gate.clear()
    first = asyncio.create_task(log.position())
    await answers.heard.wait()
    later = [asyncio.create_task(log.position()) for _ in range(5)]
    await asyncio.sleep(0)
    answers.gate.set()
    assert (await first).offset == 1
    assert {(await each).offset for each in later} == {2}
    assert answers.asked == 2


async def test_an_unavailable_or_lagging_replica_falls_back_to_the_primary(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres_replicas, "MAX_WAIT_S", 0.2)
    away = database_for(cluster().url(), replicas=["postgresql://haulier@127.0.0.1:1/away"])
    late = database_for(cluster().url(), replicas=[cluster().url()])
    for database in (away, late):
        assert isinstance(database, ReplicatedPostgres)
        await database.open()
        for _ in range(2):
            async with database.read(None, replica=True) as work:
                assert await work.value(select(func.pg_is_in_recovery())) is False
        assert database.reads_by_source == {"primary": 2}
        await database.close()
    cluster().sweep()
