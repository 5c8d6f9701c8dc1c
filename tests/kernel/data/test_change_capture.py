"""A recording unit of work behaves like a normal one and returns its changes."""

from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import pytest
from sqlalchemy import bindparam, delete, select, update
from tests.kernel.data.sample_tables import OURS, THEIRS, crates, fill_tables, pieces, zones

from haulier.kernel.data import change_capture
from haulier.kernel.data.change_capture import RecordingUnitOfWork
from haulier.kernel.data.statements import in_param
from haulier.kernel.data.unit_of_work import Database, UniqueConflict

NOON = datetime(2026, 6, 10, 12, tzinfo=UTC)
RENAME = update(crates).where(crates.c.id == bindparam("crate")).values(name=bindparam("new_name"))


def changes_of(work: RecordingUnitOfWork) -> list[tuple[str, Any, Any, Any]]:
    return [(change.record, change.id, change.before, change.after) for change in work.changes.all()]


async def test_a_new_record_is_captured_with_its_values(stock: Database) -> None:
    async with stock.write(OURS) as plain:
        work = RecordingUnitOfWork(plain)
        id = await work.insert(crates, name="a", packed_at=NOON)
        two = await work.insert_many(zones, [{"name": "north"}, {"name": "south"}])
    assert changes_of(work) == [
        ("test_crate", id, None, {"name": "a", "packed_at": "2026-06-10T12:00:00Z"}),
        ("test_zone", two[0], None, {"name": "north"}),
        ("test_zone", two[1], None, {"name": "south"}),
    ]


async def test_only_new_rows_of_an_insert_or_ignore_are_captured(stock: Database) -> None:
    async with stock.write(OURS) as plain:
        await plain.insert(zones, name="north")
        work = RecordingUnitOfWork(plain)
        (south,) = await work.insert_new(zones, [{"name": "north"}, {"name": "south"}])
    assert changes_of(work) == [("test_zone", south.id, None, {"name": "south"})]


async def test_only_differences_of_a_changed_record_are_captured(stock: Database) -> None:
    await fill_tables(stock)
    async with stock.write(OURS) as plain:
        work = RecordingUnitOfWork(plain)
        assert await work.run(RENAME, crate=1, new_name="fuller") == 1
        assert await work.run(RENAME, crate=2, new_name="empty") == 1
    assert changes_of(work) == [("test_crate", 1, {"name": "full"}, {"name": "fuller"})]


async def test_an_upsert_is_captured_as_a_new_or_changed_record(stock: Database) -> None:
    await fill_tables(stock)
    async with stock.write(OURS) as plain:
        work = RecordingUnitOfWork(plain)
        await work.upsert(crates, ["name"], name="full", weight_g=250)
        await work.upsert(crates, ["name"], name="third", weight_g=1)
    assert [change[2:] for change in changes_of(work)] == [
        ({"weight_g": 100}, {"weight_g": 250}),
        (None, {"name": "third", "weight_g": 1}),
    ]


async def test_a_deleted_record_is_captured_with_its_last_values(stock: Database) -> None:
    await fill_tables(stock)
    async with stock.write(OURS) as plain:
        work = RecordingUnitOfWork(plain)
        assert await work.run(delete(pieces).where(in_param(pieces.c.id, "ids")), ids=[1]) == 1
    assert changes_of(work) == [("test_piece", 1, {"crate_id": 1, "name": "nut1", "amount": 1}, None)]


async def test_several_writes_of_one_record_are_one_change(stock: Database) -> None:
    await fill_tables(stock)
    async with stock.write(OURS) as plain:
        work = RecordingUnitOfWork(plain)
        new = await work.insert(crates, name="a")
        await work.run_many(RENAME, [{"crate": 1, "new_name": "b"}, {"crate": new, "new_name": "c"}])
        await work.run(RENAME, crate=1, new_name="d")
        gone = await work.insert(crates, name="e")
        await work.run(delete(crates).where(crates.c.id == bindparam("crate")), crate=gone)
    assert [(id, before and before["name"], after and after["name"]) for _, id, before, after in changes_of(work)] == [
        (new, None, "c"),
        (1, "full", "d"),
    ]


async def test_changes_undone_by_a_savepoint_are_not_captured(stock: Database) -> None:
    await fill_tables(stock)
    async with stock.write(OURS) as plain:
        work = RecordingUnitOfWork(plain)
        with suppress(UniqueConflict):
            async with work.savepoint():
                await work.run(RENAME, crate=1, new_name="x")
                await work.insert(crates, name="empty")
        async with work.savepoint():
            await work.run(RENAME, crate=2, new_name="y")
    assert changes_of(work) == [("test_crate", 2, {"name": "empty"}, {"name": "y"})]


async def test_tenant_isolation_applies_to_a_captured_unit(stock: Database) -> None:
    await fill_tables(stock)
    async with stock.write(OURS) as plain:
        work = RecordingUnitOfWork(plain)
        assert await work.run(update(crates).values(name="mine").where(crates.c.name == "full")) == 1
        beyond = work.without_tenant_filter("a test")
        assert await beyond.run(update(crates).values(weight_g=5).where(crates.c.name == "full")) == 1
    assert [(record, id) for record, id, *_ in changes_of(work)] == [("test_crate", 1), ("test_crate", 3)]
    async with stock.read(THEIRS) as there:
        assert await there.value(select(crates.c.weight_g).where(crates.c.name == "full")) == 5


@pytest.mark.parametrize("name", ["password_hash", "token_sha256", "secret", "api_key"])
def test_secret_like_values_are_not_captured(name: str) -> None:
    assert change_capture._SECRET.search(name)
