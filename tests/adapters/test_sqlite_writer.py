"""Concurrent units of work share a SQLite commit, and succeed or fail separately."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import apsw
import pytest
from sqlalchemy import Column, MetaData, String, UniqueConstraint, select
from sqlalchemy.dialects import sqlite
from sqlalchemy.schema import CreateTable

from haulier.adapters import sqlite_writer
from haulier.adapters.sqlite import SQLite
from haulier.kernel.data.notices import EVERYTHING
from haulier.kernel.data.outages import DatabaseFull
from haulier.kernel.data.tables import metadata, tenant_table
from haulier.kernel.data.touched_tables import CLIENT_WRITES_CHANNEL
from haulier.kernel.data.unit_of_work import TransactionRetry, UniqueConflict, UnitOfWork

OURS = 1
boxes = tenant_table(
    "test_box",
    Column("name", String(20), nullable=False),
    UniqueConstraint("client_id", "name"),
    metadata=MetaData(naming_convention=metadata.naming_convention),
)


class Watched:
    """A database file, with a second connection that observes it."""

    def __init__(self, database: SQLite, path: Path) -> None:
        self.database = database
        self.other = apsw.Connection(str(path))
        self.heard: list[str] = []
        self.commits = 0
        database._writer.connection.set_commit_hook(self._count_commit)

    def _count_commit(self) -> bool:
        self.commits += 1
        return False  # continue

    def names(self) -> set[Any]:
        """Return the committed names."""
        return {row[0] for row in self.other.execute("SELECT name FROM test_box").fetchall()}

    async def put(self, *names: str) -> frozenset[Any]:
        """Put boxes in one unit of work; returns what is committed when it is over."""
        async with self.database.write(OURS) as work:
            for name in names:
                await work.insert(boxes, name=name)
        return frozenset(self.names())


@pytest.fixture
async def watched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Watched]:
    monkeypatch.setattr(sqlite_writer, "MAX_OPEN_S", 60.0)  # whatever the machine does meanwhile
    path = tmp_path / "boxes.db"
    with apsw.Connection(str(path)) as connection:
        connection.execute(str(CreateTable(boxes).compile(dialect=sqlite.dialect())))
    database = SQLite(path)
    await database.open()
    watched = Watched(database, path)
    await database.listen(CLIENT_WRITES_CHANNEL, watched.heard.append)
    yield watched
    watched.other.close()
    await database.close()


async def test_concurrent_units_share_a_commit_and_end_after_it(watched: Watched) -> None:
    seen = await asyncio.gather(*(watched.put(f"b{at}", f"c{at}") for at in range(8)))
    assert watched.commits == 1
    assert {*seen} == {frozenset(f"{letter}{at}" for letter in "bc" for at in range(8))}
    assert watched.heard == [str(OURS)] * 8


async def test_units_sharing_a_commit_continue_in_the_order_they_ended(watched: Watched) -> None:
    over: list[int] = []

    async def put(at: int) -> None:
        await watched.put(f"b{at}")
        over.append(at)

    await asyncio.gather(*map(put, range(6)))
    assert over == [*range(6)]
    assert watched.commits == 1


async def test_sequential_units_commit_individually(watched: Watched) -> None:
    for at in range(3):
        assert f"b{at}" in await watched.put(f"b{at}")
        assert watched.commits == at + 1


async def test_a_shared_commit_has_a_maximum_number_of_units(watched: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_writer, "MAX_UNITS", 4)
    await asyncio.gather(*(watched.put(f"b{at}") for at in range(10)))
    assert watched.commits == 3


async def test_a_long_unit_commits_without_waiting_for_others(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_writer, "MAX_OPEN_S", 0.0)
    await asyncio.gather(*(watched.put(f"b{at}") for at in range(5)))
    assert watched.commits == 5


@pytest.mark.parametrize("bad", range(4))
async def test_a_failing_unit_is_rolled_back_alone(watched: Watched, bad: int) -> None:
    async def put(at: int) -> None:
        async with watched.database.write(OURS) as work:
            await work.insert(boxes, name=f"b{at}")
            async with work.savepoint():
                await work.insert(boxes, name=f"c{at}")
            if at == bad:
                await work.insert(boxes, name=f"b{at}")

    results = await asyncio.gather(*(put(at) for at in range(4)), return_exceptions=True)
    assert [type(result) for result in results] == [UniqueConflict if at == bad else type(None) for at in range(4)]
    assert watched.names() == {f"{letter}{at}" for letter in "bc" for at in range(4) if at != bad}
    assert len(watched.heard) == 3


async def test_a_unit_sees_earlier_units_and_conflicts_with_them(watched: Watched) -> None:
    first, second = await asyncio.gather(watched.put("same"), watched.put("same"), return_exceptions=True)
    assert (first, type(second)) == (frozenset({"same"}), UniqueConflict)


async def test_a_dry_run_in_a_shared_commit_leaves_no_changes(watched: Watched) -> None:
    async def try_out() -> list[str]:
        async with watched.database.write(OURS) as work:
            await work.insert(boxes, name="tried")
            work.mark_for_rollback()
            return [row.name for row in await work.all(select(boxes.c.name).order_by(boxes.c.id))]

    *_, tried, _ = await asyncio.gather(watched.put("a"), try_out(), watched.put("b"))
    assert tried == ["a", "tried"]
    assert watched.names() == {"a", "b"}


async def test_a_unit_whose_caller_left_is_committed_and_announced(watched: Watched) -> None:
    work: UnitOfWork | None = None

    async def put() -> None:
        nonlocal work
        async with watched.database.write(OURS) as work:
            await work.insert(boxes, name="left")
            asyncio.get_running_loop().call_soon(leaving.cancel)

    leaving = asyncio.create_task(put())
    others = [asyncio.create_task(watched.put(f"b{at}")) for at in range(3)]
    with pytest.raises(asyncio.CancelledError):
        await leaving
    await asyncio.gather(*others)
    assert work
    assert work.committing, "who was cut off cannot know whether it is kept"
    assert watched.names() == {"left", "b0", "b1", "b2"}
    assert len(watched.heard) == 4


async def test_a_cancelled_waiter_blocks_no_one(watched: Watched) -> None:
    first = asyncio.create_task(watched.put("first"))
    waiting = [asyncio.create_task(watched.put(f"b{at}")) for at in range(3)]
    asyncio.get_running_loop().call_soon(lambda: [task.cancel() for task in waiting])
    assert await asyncio.wait_for(first, 10) == {"first"}
    assert {type(each) for each in await asyncio.gather(*waiting, return_exceptions=True)} == {asyncio.CancelledError}
    assert await watched.put("later") == {"first", "later"}


class FailingCommit:
    """A connection whose disk is full when it commits."""

    def __init__(self, connection: Any) -> None:
        self.connection = connection
        self.fails = True

    def __getattr__(self, name: str) -> Any:
        return getattr(self.connection, name)

    def execute(self, sql: str, *values: Any) -> Any:
        if sql == "COMMIT" and self.fails:
            raise apsw.FullError("FullError: database or disk is full")
        return self.connection.execute(sql, *values)


async def test_a_failed_commit_fails_all_its_units_and_clears_caches(watched: Watched) -> None:
    writer = watched.database._writer
    writer.connection = failing = FailingCommit(writer.connection)
    results = await asyncio.gather(*(watched.put(f"b{at}") for at in range(3)), return_exceptions=True)
    assert [type(result) for result in results] == [DatabaseFull] * 3
    assert watched.heard == [EVERYTHING]
    assert watched.names() == set()
    failing.fails = False
    assert await watched.put("again") == {"again"}


async def test_units_rolled_back_with_another_are_retried(watched: Watched) -> None:
    async def undo_all() -> None:
        async with watched.database.write(OURS):
            watched.database._writer.connection.execute("ROLLBACK")
            raise ZeroDivisionError

    results = await asyncio.gather(watched.put("a"), undo_all(), watched.put("b"), return_exceptions=True)
    assert [type(result) for result in results] == [TransactionRetry, ZeroDivisionError, frozenset]
    assert watched.names() == {"b"}


async def test_on_close_ended_units_are_committed_and_open_ones_rolled_back(watched: Watched) -> None:
    begun = asyncio.Event()

    async def put_and_wait() -> None:
        async with watched.database.write(OURS) as work:
            await work.insert(boxes, name="half")
            begun.set()
            await asyncio.Event().wait()

    ended, waiting = asyncio.create_task(watched.put("a")), asyncio.create_task(put_and_wait())
    await begun.wait()
    await watched.database.close()
    assert await ended == {"a"}
    waiting.cancel()
    await asyncio.wait([waiting])
    assert watched.names() == {"a"}
