"""The unit of work, on both databases."""

import asyncio
from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import bindparam, delete, func, insert, select, update
from tests.kernel.data.sample_tables import OURS, THEIRS, crates, fill_tables, pieces, zones

from haulier.adapters.database import database_for
from haulier.kernel.data.statements import in_param
from haulier.kernel.data.tables import UTCDateTime
from haulier.kernel.data.unit_of_work import (
    Database,
    ReadOnlyUnitOfWork,
    TenantIsolationError,
    UniqueConflict,
    UnitOfWork,
)

NOON = datetime(2026, 6, 10, 12, 0, 0, 123456, tzinfo=UTC)
CRATE = select(crates).where(crates.c.id == bindparam("id"))
COUNT = select(func.count()).select_from(crates)
RENAME = update(crates).where(crates.c.id == bindparam("crate")).values(name=bindparam("new_name"))


async def test_written_values_are_read_back_typed(stock: Database):
    document = {"list": [1, "zwei", None], "nested": {"ü": 1.5}}
    async with stock.write(OURS) as work:
        id = await work.insert(crates, name="a", packed_at=NOON, notes=document)
    async with stock.read(OURS) as work:
        row = await work.first(CRATE, id=id)
    assert (row.client_id, row.name, row.weight_g, row.packed_at, row.notes) == (OURS, "a", 100, NOON, document)


async def test_times_are_read_back_in_utc_and_naive_ones_are_refused(stock: Database):
    elsewhere = NOON.astimezone(timezone(timedelta(hours=9)))
    async with stock.write(OURS) as work:
        await work.insert(crates, name="a", packed_at=elsewhere)
        found = await work.value(select(crates.c.packed_at))
        assert found == NOON
        assert found.utcoffset() == timedelta(0)
        with pytest.raises(ValueError, match="no time zone"):
            await work.insert(crates, name="b", packed_at=datetime(2026, 6, 10))  # noqa: DTZ001


async def test_a_time_parameter_without_a_column_type_is_refused(stock: Database):
    untyped = update(crates).values(packed_at=func.coalesce(crates.c.packed_at, NOON, type_=UTCDateTime()))
    async with stock.write(OURS) as work:
        with pytest.raises(TypeError, match="without a column's type"):
            await work.run(untyped)


async def test_times_in_the_repeated_hour_stay_an_hour_apart(stock: Database):
    first = datetime(2026, 11, 1, 1, 30, tzinfo=ZoneInfo("America/Toronto"))
    async with stock.write(OURS) as work:
        for moment in (first, first.replace(fold=1)):
            await work.insert(crates, name=str(moment.fold), packed_at=moment)
        earlier, later = await work.all(select(crates.c.packed_at).order_by(crates.c.name))
        assert later.packed_at - earlier.packed_at == timedelta(hours=1)


async def test_a_missing_document_is_null(stock: Database):
    async with stock.write(OURS) as work:
        await work.insert(crates, name="a", notes=None)
        assert await work.value(select(crates.c.id).where(crates.c.notes.is_(None))) == 1


async def test_rows_of_a_bulk_insert_get_ids_in_order(stock: Database):
    async with stock.write(OURS) as work:
        ids = await work.insert_many(crates, [{"name": f"c{i}"} for i in range(50)])
        rows = await work.all(select(crates.c.id, crates.c.name).order_by(crates.c.id))
        assert [(row.id, row.name) for row in rows] == [(id, f"c{i}") for i, id in enumerate(ids)]
        assert work.statements == 2


async def test_rows_of_a_bulk_insert_must_agree_on_their_columns(stock: Database):
    async with stock.write(OURS) as work:
        assert await work.insert_many(crates, []) == []
        with pytest.raises(TypeError, match="columns"):
            await work.insert_many(crates, [{"name": "a"}, {"name": "b", "weight_g": 1}])


async def test_rows_with_existing_keys_are_skipped_and_the_inserted_ones_returned(stock: Database):
    async with stock.write(OURS) as work:
        await work.insert(zones, name="north")
        written = await work.insert_new(zones, [{"name": "south"}, {"name": "north"}, {"name": "east"}])
        assert [row.name for row in written] == ["south", "east"]
        assert {row.id: row.name for row in await work.all(select(zones)) if row.name != "north"} == {
            row.id: row.name for row in written
        }
        assert await work.insert_new(zones, []) == []
        assert work.statements == 3  # and no savepoint


async def test_inserted_rows_are_returned_with_their_positions(stock: Database):
    async with stock.write(OURS) as work:
        await work.insert(zones, name="north")
        rows = [{"name": name} for name in ("south", "north", "east", "north", "west")]
        written = await work.insert_new(zones, rows, returning=("id", "name"))
        assert [row.name for row in written] == ["south", "east", "west"]
        stored = await work.all(select(zones.c.id, zones.c.name).where(zones.c.name != "north").order_by(zones.c.id))
        assert [tuple(row) for row in stored] == [tuple(row) for row in written]


async def test_new_rows_belong_to_the_writing_client(stock: Database):
    async with stock.write(OURS) as work:
        (row,) = await work.insert_new(crates, [{"name": "a"}])
        assert row.client_id == OURS


async def test_only_requested_columns_of_new_rows_are_returned(stock: Database):
    async with stock.write(OURS) as work:
        (row,) = await work.insert_new(zones, [{"name": "south"}], returning=("name",))
        assert row._asdict() == {"name": "south"}


async def test_a_row_of_a_bulk_insert_cannot_set_its_client(stock: Database):
    async with stock.write(THEIRS) as work:
        crate = await work.insert(crates, name="a")
    async with stock.write(OURS) as work:
        await work.run_many(RENAME, [{"crate": crate, "new_name": "ours", "_client": THEIRS}])
    async with stock.read(THEIRS) as work:
        assert [row.name for row in await work.all(select(crates))] == ["a"]


async def test_a_bulk_update_counts_as_one_statement(stock: Database):
    async with stock.write(OURS) as work:
        ids = await work.insert_many(crates, [{"name": f"c{i}"} for i in range(5)])
        await work.run_many(RENAME, [{"crate": id, "new_name": f"d{id}"} for id in ids])
        assert work.statements == 2
        names = [row.name for row in await work.all(select(crates.c.name).order_by(crates.c.id))]
        assert names == [f"d{id}" for id in ids]


async def test_run_returns_the_number_of_changed_rows(stock: Database):
    await fill_tables(stock)
    async with stock.write(OURS) as work:
        assert await work.run(RENAME, crate=1, new_name="x") == 1
        assert await work.run(RENAME, crate=99, new_name="x") == 0
        assert await work.run(delete(pieces)) == 3


async def test_first_and_value_are_none_when_nothing_is_found(stock: Database):
    async with stock.read(OURS) as work:
        assert await work.first(CRATE, id=1) is None
        assert await work.value(select(crates.c.name)) is None


@pytest.mark.parametrize("ids", [[], [1], {1, 2}, (2, 1, 99)])
async def test_among_accepts_any_collection(stock: Database, ids):
    await fill_tables(stock)
    statement = select(crates.c.id).where(in_param(crates.c.id, "ids"))
    others = select(crates.c.id).where(~in_param(crates.c.id, "ids"))
    async with stock.read(OURS) as work:
        assert {row.id for row in await work.all(statement, ids=ids)} == {1, 2} & set(ids)
        assert {row.id for row in await work.all(others, ids=ids)} == {1, 2} - set(ids)


async def test_values_in_a_statement_work_like_parameters(stock: Database):
    await fill_tables(stock)
    async with stock.read(OURS) as work:
        for names in (["full"], ["full", "empty"], ["none"], []):
            rows = await work.all(select(crates.c.id).where(crates.c.name.in_(names)).order_by(crates.c.id))
            assert [row.id for row in rows] == [i for i, name in ((1, "full"), (2, "empty")) if name in names]


async def test_among_accepts_times(stock: Database):
    async with stock.write(OURS) as work:
        await work.insert(crates, name="a", packed_at=NOON)
        found = await work.all(select(crates.c.id).where(in_param(crates.c.packed_at, "times")), times=[NOON])
        assert len(found) == 1


async def test_an_exception_rolls_everything_back(stock: Database):
    async def fail() -> None:
        async with stock.write(OURS) as work:
            await work.insert(crates, name="a")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await fail()
    async with stock.read(OURS) as work:
        assert await work.value(COUNT) == 0


async def test_a_dry_run_rolls_everything_back_and_sees_its_own_writes(stock: Database):
    kept: list[str] = []
    async with stock.write(OURS) as work:
        work.after_commit(lambda: kept.append("broken"))
        await work.insert(crates, name="a")
        work.mark_for_rollback()
    async with stock.write(OURS) as work:
        assert await work.value(COUNT) == 0
        work.after_commit(lambda: kept.append("kept"))
    assert kept == ["kept"]


async def test_a_savepoint_is_rolled_back_alone(stock: Database):
    kept: list[str] = []

    async def clash(work: UnitOfWork) -> None:
        async with work.savepoint():
            work.after_commit(lambda: kept.append("inner"))
            async with work.savepoint():
                await work.insert(crates, name="b")
            await work.insert(crates, name="a")

    async with stock.write(OURS) as work:
        work.after_commit(lambda: kept.append("outer"))
        await work.insert(crates, name="a")
        with pytest.raises(UniqueConflict):
            await clash(work)
        async with work.savepoint():
            await work.insert(crates, name="c")
    async with stock.read(OURS) as work:
        assert [row.name for row in await work.all(select(crates.c.name).order_by(crates.c.name))] == ["a", "c"]
    assert kept == ["outer"]


async def test_a_conflict_names_its_constraint(stock: Database):
    with pytest.raises(UniqueConflict) as clash:
        async with stock.write(OURS) as work:
            await work.insert_many(zones, [{"name": "north"}, {"name": "north"}])
    assert "zone" in clash.value.constraint
    assert "name" in clash.value.constraint


async def test_reading_units_cannot_write(stock: Database):
    async with stock.read(OURS) as work:
        for attempt in (
            work.insert(crates, name="a"),
            work.run(delete(crates)),
            work.run(RENAME, crate=1, new_name="b"),
        ):
            with pytest.raises(ReadOnlyUnitOfWork):
                await attempt
        with pytest.raises(ReadOnlyUnitOfWork):
            async with work.savepoint():
                pass


async def test_a_misspelled_or_missing_parameter_is_refused(stock: Database):
    async with stock.read(OURS) as work:
        with pytest.raises(TypeError, match="idd"):
            await work.first(CRATE, id=1, idd=2)
        with pytest.raises(TypeError, match="no value"):
            await work.first(CRATE)


async def test_without_a_client_only_shared_tables_are_accessible(stock: Database):
    async with stock.write(None) as work:
        await work.insert(zones, name="north")
        assert await work.value(select(zones.c.name)) == "north"
        for attempt in (work.all(select(crates)), work.insert(crates, name="a"), work.run(delete(crates))):
            with pytest.raises(TenantIsolationError):
                await attempt


async def test_parallel_writers_lose_no_updates(stock: Database):
    async with stock.write(OURS) as work:
        id = await work.insert(crates, name="a", weight_g=0)
    heavier = update(crates).where(crates.c.id == id).values(weight_g=crates.c.weight_g + 1)

    async def add() -> None:
        async with stock.write(OURS) as work:
            await asyncio.sleep(0)
            await work.run(heavier)

    await asyncio.gather(*(add() for _ in range(30)))
    async with stock.read(OURS) as work:
        assert await work.value(select(crates.c.weight_g)) == 30


async def test_several_connections_to_one_database_write_in_turn(stock: Database, database_url: str):
    """Two `Database` objects behave like two processes."""
    other = database_for(database_url)
    await other.open()

    async def add(database: Database, start: int) -> None:
        for i in range(start, start + 20):
            async with database.write(OURS) as work:
                await work.insert(crates, name=f"c{i}")
                await asyncio.sleep(0.001)

    await asyncio.gather(add(stock, 0), add(other, 100))
    async with stock.read(OURS) as work:
        assert await work.value(COUNT) == 40
    await other.close()


async def test_a_task_cancelled_in_a_transaction_leaves_no_changes(stock: Database):
    async def dawdle() -> None:
        async with stock.write(OURS) as work:
            await work.insert(crates, name="a")
            await asyncio.sleep(60)

    for _ in range(12):
        task = asyncio.create_task(dawdle())
        await asyncio.sleep(0.01)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    async with stock.write(OURS) as work:
        await work.insert(crates, name="a")
        assert await work.value(COUNT) == 1


async def test_readers_see_only_committed_changes(stock: Database):
    async with stock.write(OURS) as writing:
        await writing.insert(crates, name="a")
        assert await writing.value(COUNT) == 1
        async with stock.read(OURS) as reading:
            assert await reading.value(COUNT) == 0
    async with stock.read(OURS) as reading:
        assert await reading.value(COUNT) == 1


async def test_a_notification_is_received_once_after_the_commit(stock: Database):
    heard: asyncio.Queue[str] = asyncio.Queue()
    stop = await stock.listen("test_news", heard.put_nowait)
    async with stock.write(OURS) as work:
        work.notify("test_news", "rolled back")
        work.mark_for_rollback()
    async with stock.write(OURS) as work:
        work.notify("test_news", "a")
        work.notify("test_news", "a")
        work.notify("test_news", "b")
        assert heard.empty()
    assert await asyncio.wait_for(heard.get(), 60) == "a b"
    await asyncio.sleep(0.02)
    assert heard.empty()
    stop()


async def test_a_notification_reaches_only_subscribers_of_its_subjects(stock: Database):
    heard: list[str] = []
    for subject in ("7:a", "8:a", "b"):
        await stock.listen("test_news", lambda _, subject=subject: heard.append(subject), subject)
    stop = await stock.listen("test_news", lambda _: heard.append("all"))
    async with stock.write(OURS) as work:
        work.notify("test_news", "7:a", "b", "nobody's")
    assert heard == ["all", "7:a", "b"]
    stop()
    await stock.notify("test_news", "8:a")
    assert heard[3:] == ["8:a"]
    await stock.notify("test_news")
    assert heard[4:] == ["7:a", "8:a", "b"]


async def test_upserts_stay_within_the_client(stock: Database):
    for client, grams in ((OURS, 1), (OURS, 2), (THEIRS, 3)):
        async with stock.write(client) as work:
            await work.upsert(crates, ["name"], name="a", weight_g=grams)
    async with stock.read(OURS) as work:
        everyone = await work.without_tenant_filter("a test").all(
            select(crates.c.client_id, crates.c.weight_g).order_by(crates.c.id)
        )
    assert [tuple(row) for row in everyone] == [(OURS, 2), (THEIRS, 3)]


async def test_parallel_upserts_of_a_new_row_write_one(stock: Database):
    async def put(grams: int) -> None:
        async with stock.write(OURS) as work:
            await work.upsert(crates, ["name"], name="a", weight_g=grams)

    await asyncio.gather(*map(put, range(8)))
    async with stock.read(OURS) as work:
        assert await work.value(select(func.count()).select_from(crates)) == 1


async def test_an_upsert_keeps_omitted_columns_and_needs_a_unique_key(stock: Database):
    async with stock.write(OURS) as work:
        await work.upsert(crates, ["name"], name="a", weight_g=5, notes={"by": "hand"})
        await work.upsert_many(crates, ["name"], [{"name": "a", "weight_g": 6}, {"name": "b", "weight_g": 7}])
        with pytest.raises(TypeError, match="no unique constraint of test_crate over weight_g"):
            await work.upsert(crates, ["weight_g"], name="a", weight_g=6)
        rows = await work.all(select(crates.c.name, crates.c.weight_g, crates.c.notes).order_by(crates.c.name))
    assert [tuple(row) for row in rows] == [("a", 6, {"by": "hand"}), ("b", 7, None)]


async def test_rows_are_inserted_once_together(stock: Database):
    async with stock.write(OURS) as work:
        assert await work.insert_many_once(crates, [{"name": "a"}, {"name": "b"}])
        assert not await work.insert_many_once(crates, [{"name": "c"}, {"name": "b"}])
        assert await work.value(select(func.count()).select_from(crates)) == 2


async def test_rows_can_be_copied_by_a_select(stock: Database):
    await fill_tables(stock)
    copy = insert(pieces).from_select(["crate_id", "name"], select(crates.c.id, crates.c.name))
    async with stock.write(OURS) as work:
        assert await work.run(copy) == 2
        assert await work.value(select(func.count()).select_from(pieces)) == 5


async def test_a_database_responds_to_a_ping_and_lists_its_tables(stock: Database):
    await stock.ping()
    assert {"test_crate", "test_zone"} <= await stock.table_names()
