"""Rows inserted before the commit at the latest, on both databases."""

from typing import Any

import pytest
from sqlalchemy import bindparam, delete, func, select, update
from tests.kernel.data.sample_tables import OURS, THEIRS, crates, labels, pieces, zones

from haulier.adapters.database import database_for
from haulier.adapters.postgres_sessions import PostgresSession, TransactionSession
from haulier.kernel.data.change_capture import RecordingUnitOfWork
from haulier.kernel.data.unit_of_work import Database, ReadOnlyUnitOfWork, UniqueConflict, UnitOfWork

NAMES = select(pieces.c.name).order_by(pieces.c.id)
CROSSING = "the test looks at every client"


async def names(work: UnitOfWork) -> list[str]:
    return [row.name for row in await work.all(NAMES)]


async def stored(database: Database, client: int = OURS) -> list[str]:
    async with database.read(client) as work:
        return await names(work)


@pytest.fixture
def exchanges(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the statements sent to PostgreSQL; empty on SQLite."""
    sent: list[str] = []
    fetch, command = PostgresSession._fetch, TransactionSession._run_command

    async def noting_fetch(session: Any, each: Any) -> Any:
        rows = await fetch(session, each)
        sent.append(each.sql.split()[0])
        return rows

    async def noting_command(session: Any, link: Any, sql: str) -> Any:
        sent.append(sql.split(";")[0])
        return await command(session, link, sql)

    monkeypatch.setattr(PostgresSession, "_fetch", noting_fetch)
    monkeypatch.setattr(TransactionSession, "_run_command", noting_command)
    return sent


async def test_rows_exist_after_the_commit_with_column_defaults(stock: Database) -> None:
    async with stock.write(OURS) as work:
        await work.insert_later(pieces, [])
        await work.insert_later(pieces, [{"name": f"p{at}"} for at in range(30)])
        await work.insert_later(crates, [{"name": "one", "notes": {"is": [1, None]}}])
    async with stock.read(OURS) as work:
        assert await names(work) == [f"p{at}" for at in range(30)]
        (crate,) = await work.all(select(crates))
        assert (crate.client_id, crate.name, crate.weight_g, crate.notes) == (OURS, "one", 100, {"is": [1, None]})
    assert await stored(stock, THEIRS) == []


async def test_later_statements_see_the_rows(stock: Database) -> None:
    async with stock.write(OURS) as work:
        await work.insert_later(pieces, [{"name": "a"}])
        assert await names(work) == ["a"]
        await work.insert_later(pieces, [{"name": "b"}, {"name": "c"}])
        renamed = update(pieces).where(pieces.c.name == bindparam("old")).values(name=bindparam("new"))
        assert await work.run(renamed, old="b", new="B") == 1
        await work.insert_later(pieces, [{"name": "d"}])
        await work.run_many(renamed, [{"old": "c", "new": "C"}, {"old": "d", "new": "D"}])
        await work.insert_later(pieces, [{"name": "e"}])
        of_piece = select(func.count()).select_from(pieces).where(pieces.c.name == "e").scalar_subquery()
        assert await work.value(select(of_piece)) == 1
        assert await work.run(delete(pieces).where(pieces.c.name == "e")) == 1
        assert await names(work) == ["a", "B", "C", "D"]
    assert await stored(stock) == ["a", "B", "C", "D"]


async def test_row_ids_of_a_table_follow_the_insertion_order(stock: Database, exchanges: list[str]) -> None:
    async with stock.write(OURS) as work:
        await work.insert_later(pieces, [{"name": "a"}])
        await work.insert_later(labels, [{"text": "between"}])
        await work.insert_later(pieces, [{"name": "b"}, {"name": "c"}])
        await work.insert_later(pieces, [{"name": "d", "crate_id": 1}])
        await work.insert_later(pieces, [{"name": "e", "crate_id": 1}])
    assert await stored(stock) == ["a", "b", "c", "d", "e"]
    if stock.dialect == "postgresql":  # the last two have another column, so they need a separate statement
        assert exchanges[:4] == ["BEGIN", "WITH", "INSERT", "COMMIT"]


async def test_rows_belong_to_the_client_of_their_unit_of_work(stock: Database) -> None:
    async with stock.write(OURS) as work:
        await work.insert_later(pieces, [{"name": "ours"}])
        theirs = work.for_tenant(THEIRS, CROSSING)
        await theirs.insert_later(pieces, [{"name": "theirs"}])
        await theirs.insert_later(labels, [{"text": "theirs"}])
        await work.insert_later(labels, [{"text": "ours"}])
        assert await work.value(select(labels.c.text)) == "ours"
        await work.insert_later(zones, [{"name": "north"}])
        assert await theirs.value(select(labels.c.text)) == "theirs"
        everyone = work.without_tenant_filter(CROSSING)
        await everyone.insert_later(pieces, [{"name": "named", "client_id": THEIRS}])
        assert {row.name for row in await everyone.all(select(pieces.c.name))} == {"ours", "theirs", "named"}
    assert (await stored(stock), await stored(stock, THEIRS)) == (["ours"], ["theirs", "named"])


async def test_a_rollback_removes_only_its_own_rows(stock: Database) -> None:
    async def give_up_a_step(work: UnitOfWork) -> None:
        async with work.savepoint():
            await work.insert_later(pieces, [{"name": "undone"}])
            raise ZeroDivisionError

    async def give_up() -> None:
        async with stock.write(OURS) as work:
            await work.insert_later(pieces, [{"name": "lost"}])
            raise ZeroDivisionError

    async with stock.write(OURS) as work:
        await work.insert_later(pieces, [{"name": "before"}])
        with pytest.raises(ZeroDivisionError):
            await give_up_a_step(work)
        async with work.savepoint():
            await work.insert_later(pieces, [{"name": "within"}])
    with pytest.raises(ZeroDivisionError):
        await give_up()
    async with stock.write(OURS) as work:
        await work.insert_later(pieces, [{"name": "given up"}])
        work.mark_for_rollback()
    assert await stored(stock) == ["before", "within"]


async def test_a_constraint_violation_is_raised_by_the_end_and_rolls_everything_back(stock: Database) -> None:
    async def write_twice() -> None:
        async with stock.write(OURS) as work:
            await work.insert_later(pieces, [{"name": "a"}])
            await work.insert_later(crates, [{"name": "same"}, {"name": "same"}])

    with pytest.raises(UniqueConflict):
        await write_twice()
    assert await stored(stock) == []


async def test_work_deferred_until_the_commit_can_insert_this_way(stock: Database) -> None:
    async with stock.write(OURS) as work:

        async def write(items: list[Any]) -> None:
            await work.insert_later(pieces, [{"name": item} for item in items])

        work.defer_until_commit("pieces", "a", write)
        work.defer_until_commit("pieces", "b", write)
    assert await stored(stock) == ["a", "b"]


async def test_reading_units_cannot_insert_and_columns_must_be_known(stock: Database) -> None:
    async with stock.read(OURS) as work:
        with pytest.raises(ReadOnlyUnitOfWork):
            await work.insert_later(pieces, [{"name": "a"}])
    async with stock.write(OURS) as work:
        with pytest.raises(TypeError, match="columns"):
            await work.insert_later(pieces, [{"name": "a"}, {"name": "b", "amount": 1}])


async def test_a_dry_run_shows_the_rows_with_their_ids(stock: Database) -> None:
    async with stock.write(OURS) as work:
        recording = RecordingUnitOfWork(work)
        await recording.insert_later(pieces, [{"name": "a"}])
        (change,) = recording.changes.all()
        assert (change.record, change.after) == ("test_piece", {"name": "a"})
        assert change.id
        work.mark_for_rollback()


async def test_postgresql_needs_fewer_round_trips(stock: Database, exchanges: list[str]) -> None:
    async with stock.write(OURS) as work:
        await work.insert_later(pieces, [{"name": "a"}])
        await work.insert_later(labels, [{"text": "b"}, {"text": "c"}])
        assert await work.value(select(func.count()).select_from(crates)) == 0
        await work.insert_later(pieces, [{"name": "d"}])
        await work.insert_later(labels, [{"text": "e"}])
    assert await stored(stock) == ["a", "d"]
    del exchanges[4:]
    assert exchanges == (["BEGIN", "WITH", "WITH", "COMMIT"] if stock.dialect == "postgresql" else [])


@pytest.mark.parametrize("database_url", ["postgres"], indirect=True)  # what alone is ever distributed
async def test_on_distributed_tables_each_row_is_sent_separately(
    stock: Database, database_url: str, exchanges: list[str]
) -> None:
    distributed: Any = database_for(database_url)
    await distributed.open()
    distributed.distributed = True  # as `open` finds where there is Citus
    async with distributed.write(OURS) as work:
        await work.insert_later(pieces, [{"name": "a"}, {"name": "b"}])
        await work.insert_later(labels, [{"text": "c"}])
    await distributed.close()
    assert exchanges == ["BEGIN", "SET LOCAL haulier.client = '1'", "INSERT", "INSERT", "COMMIT"]
    assert await stored(stock) == ["a", "b"]
