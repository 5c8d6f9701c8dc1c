"""SQLite reads in one turn of the event loop share a monotonic snapshot."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import apsw
import pytest
from sqlalchemy import func, select
from tests.kernel.data.sample_tables import OURS, crates, sample_metadata
from tests.support.databases import make_tables

from haulier.adapters.database import database_for
from haulier.kernel.data.unit_of_work import Database

COUNT = select(func.count()).select_from(crates)
ADD = "INSERT INTO test_crate (client_id, name, weight_g) VALUES (1, ?, 1)"


@pytest.fixture
async def file(tmp_path: Path) -> AsyncIterator[tuple[Database, apsw.Connection]]:
    """Return a database, and a connection of another process to its file."""
    url = f"sqlite:///{tmp_path}/shared.db"
    database = database_for(url)
    await database.open()
    await make_tables(url, sample_metadata)
    another = apsw.Connection(str(tmp_path / "shared.db"))
    another.set_busy_timeout(5000)
    yield database, another
    another.close()
    await database.close()


async def counted(database: Database) -> int:
    async with database.read(OURS) as work:
        return await work.value(COUNT)


async def test_a_turn_sees_one_state_and_the_next_one_what_came_since(file: tuple[Database, apsw.Connection]) -> None:
    database, another = file
    assert await counted(database) == 0
    another.execute(ADD, ("a",))
    assert await counted(database) == 0
    await asyncio.sleep(0)
    assert await counted(database) == 1


async def test_our_own_commit_is_seen_at_once(file: tuple[Database, apsw.Connection]) -> None:
    database, _ = file
    async with database.write(OURS) as work:
        assert await counted(database) == 0
        await work.insert(crates, name="a")
    assert await counted(database) == 1


async def test_the_number_of_commits_is_told_of_the_same_state(file: tuple[Database, apsw.Connection]) -> None:
    database, another = file
    before = database.version()
    another.execute(ADD, ("a",))
    assert (database.version(), await counted(database)) == (before, 0)
    await asyncio.sleep(0)
    assert database.version() != before
    assert await counted(database) == 1


async def test_nobody_who_has_read_keeps_the_log_from_being_emptied(file: tuple[Database, apsw.Connection]) -> None:
    database, another = file
    another.execute(ADD, ("a",))
    assert await counted(database) == 1
    another.execute(ADD, ("b",))
    assert another.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)[0] > 0
    await asyncio.sleep(0)
    pages, written = another.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
    assert pages == written


async def test_it_can_be_closed_in_the_turn_in_which_it_was_read(tmp_path: Path) -> None:
    database = database_for(f"sqlite:///{tmp_path}/closed.db")
    await database.open()
    await make_tables(f"sqlite:///{tmp_path}/closed.db", sample_metadata)
    assert await counted(database) == 0
    await database.close()
    await asyncio.sleep(0)


async def test_commits_of_others_are_told_of_the_same_state_and_our_own_are_not(
    file: tuple[Database, apsw.Connection],
) -> None:
    database, another = file
    before = database.outside_version()
    async with database.write(OURS) as work:
        await work.insert(crates, name="ours")
    assert (database.outside_version(), await counted(database)) == (before, 1)
    another.execute(ADD, ("a",))
    assert (database.outside_version(), await counted(database)) == (before, 1)
    await asyncio.sleep(0)
    assert database.outside_version() != before


async def test_writes_beside_reads_begin_the_log_anew(tmp_path: Path) -> None:
    database = database_for(f"sqlite:///{tmp_path}/log.db")
    await database.open()
    await make_tables(f"sqlite:///{tmp_path}/log.db", sample_metadata)
    for letter in "abcdefghijklmnopqrstuvwxyzABCD":
        async with database.write(OURS) as work:
            await work.insert(crates, name=letter * 2**20)
            database.version()  # a reader of the same turn, as every call with a remembered caller has
    assert (tmp_path / "log.db-wal").stat().st_size < 25 * 2**20  # 30 MB were written, and a log restarts after 16
    await database.close()
