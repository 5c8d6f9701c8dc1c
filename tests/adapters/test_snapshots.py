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


async def test_a_transaction_sees_one_snapshot_and_the_next_one_later_changes(
    file: tuple[Database, apsw.Connection],
) -> None:
    database, another = file
    assert await counted(database) == 0
    another.execute(ADD, ("a",))
    assert await counted(database) == 0
    await asyncio.sleep(0)
    assert await counted(database) == 1


async def test_our_own_commit_is_visible_immediately(file: tuple[Database, apsw.Connection]) -> None:
    database, _ = file
    async with database.write(OURS) as work:
        assert await counted(database) == 0
        await work.insert(crates, name="a")
    assert await counted(database) == 1


async def test_the_commit_number_belongs_to_the_same_snapshot(file: tuple[Database, apsw.Connection]) -> None:
    database, another = file
    before = database.version()
    another.execute(ADD, ("a",))
    assert (database.version(), await counted(database)) == (before, 0)
    await asyncio.sleep(0)
    assert database.version() != before
    assert await counted(database) == 1


async def test_finished_readers_do_not_block_log_checkpoints(file: tuple[Database, apsw.Connection]) -> None:
    database, another = file
    another.execute(ADD, ("a",))
    assert await counted(database) == 1
    another.execute(ADD, ("b",))
    assert another.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)[0] > 0
    await asyncio.sleep(0)
    pages, written = another.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
    assert pages == written


async def test_a_snapshot_can_be_closed_in_its_own_turn(tmp_path: Path) -> None:
    database = database_for(f"sqlite:///{tmp_path}/closed.db")
    await database.open()
    await make_tables(f"sqlite:///{tmp_path}/closed.db", sample_metadata)
    assert await counted(database) == 0
    await database.close()
    await asyncio.sleep(0)


async def test_foreign_commits_are_reported_and_our_own_are_not(
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


async def test_writes_during_reads_restart_the_log(tmp_path: Path) -> None:
    database = database_for(f"sqlite:///{tmp_path}/log.db")
    await database.open()
    await make_tables(f"sqlite:///{tmp_path}/log.db", sample_metadata)
    for letter in "abcdefghijklmnopqrstuvwxyzABCD":
        async with database.write(OURS) as work:
            await work.insert(crates, name=letter * 2**20)
            database.version()  # a reader of the same turn, as every call with a remembered caller has
    assert (tmp_path / "log.db-wal").stat().st_size < 25 * 2**20  # 30 MB were written, and a log restarts after 16
    await database.close()
