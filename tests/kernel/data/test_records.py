"""Records declare a table, its row and its common statements in one class."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, date, datetime
from typing import Annotated, Any

import pytest
from sqlalchemy import BigInteger, Column, Index, Integer, MetaData, String, UniqueConstraint, bindparam
from tests.kernel.data.sample_tables import OURS, THEIRS
from tests.support.databases import make_tables

from haulier.adapters.database import database_for
from haulier.kernel.data.records import BigInt, Record, Reference
from haulier.kernel.data.tables import VOLATILE, Id, Json, UTCDateTime, is_tenant_table, metadata, shared_table
from haulier.kernel.data.tenancy import TenantIsolationError
from haulier.kernel.data.unit_of_work import Database, UniqueConflict

records_metadata = MetaData(naming_convention=metadata.naming_convention)
NOON = datetime(2026, 6, 10, 12, tzinfo=UTC)


class BoxRow(
    Record,
    table="test_box",
    items=[UniqueConstraint("client_id", "label"), Index("ix_test_box_shelf", "client_id", "shelf_id")],
    metadata=records_metadata,
):
    """A box."""

    label: Annotated[str, String(20)]
    shelf_id: Reference | None
    price_minor: BigInt
    full: bool
    weight_kg: float
    amount: int
    packed_on: date | None
    packed_at: datetime | None
    tags: list[str]
    notes: dict[str, Any] | None
    photo: bytes | None
    anything: Annotated[Any, Json]
    code: Annotated[str, Column("code", String(6), nullable=False, info=VOLATILE, default="new")]


class NumberedBoxRow(BoxRow):
    """A row of a statement on the table of boxes."""

    position: int


class RegionRow(Record, table="test_region", kind=shared_table, everywhere=True, metadata=records_metadata):
    """A record of a table outside the tenant filter."""

    name: Annotated[str, String(20)]


VALUES: dict[str, Any] = {
    "shelf_id": 7,
    "price_minor": 2**40,
    "full": True,
    "weight_kg": 1.5,
    "amount": 3,
    "packed_on": date(2026, 6, 10),
    "packed_at": NOON,
    "tags": ["a", "b"],
    "notes": {"fragile": True},
    "photo": b"\x00\xff",
    "anything": [1, {"two": 2}],
    "code": "c1",
}


@pytest.fixture
async def boxes(database_url: str) -> AsyncIterator[Database]:
    """Yield an open database with an empty table of boxes."""
    await make_tables(database_url, records_metadata)
    database = database_for(database_url)
    await database.open()
    yield database
    await database.close()


@pytest.mark.parametrize(
    ("name", "type_", "nullable"),
    [
        ("label", String, False),
        ("shelf_id", type(Id), True),
        ("price_minor", BigInteger, False),
        ("amount", Integer, False),
        ("packed_at", UTCDateTime, True),
        ("tags", Json, False),
        ("notes", Json, True),
        ("anything", Json, False),
        ("code", String, False),
    ],
)
def test_an_annotation_defines_the_column(name: str, type_: type, nullable: bool) -> None:
    column = BoxRow.table.c[name]
    assert (type(column.type), column.nullable) == (type_, nullable)


def test_a_table_has_its_columns_in_order_and_its_constraints() -> None:
    assert BoxRow.table.c.keys() == ["id", "client_id", "label", *VALUES]
    assert is_tenant_table(BoxRow.table)
    assert [index.name for index in BoxRow.table.indexes] == ["ix_test_box_shelf"]
    assert ["client_id", "label"] in [list(rule.columns.keys()) for rule in BoxRow.table.constraints]  # type: ignore[attr-defined]


def test_an_annotated_column_keeps_its_declaration() -> None:
    assert BoxRow.table.c.code.info == VOLATILE
    assert str(BoxRow.table.c.label.type) == "VARCHAR(20)"


def test_kind_and_options_select_another_type_of_table() -> None:
    assert not is_tenant_table(RegionRow.table)
    assert RegionRow.table.c.keys() == ["id", "name"]


def test_a_subclass_without_a_table_is_a_row_of_the_same_table() -> None:
    assert NumberedBoxRow.table is BoxRow.table
    assert NumberedBoxRow.column_names() == {"id", "label", *VALUES, "position"}


@pytest.mark.parametrize("hint", [str, str | None, object])
def test_an_annotation_without_a_column_type_is_refused(hint: Any) -> None:
    with pytest.raises(TypeError, match="name: annotate the column type"):
        type("Bare", (Record,), {"__annotations__": {"name": hint}}, table="test_bare", metadata=MetaData())


async def test_a_record_is_read_as_it_was_inserted(boxes: Database) -> None:
    async with boxes.write(OURS) as work:
        id = await BoxRow.insert(work, label="one", **VALUES)
        empty = dict.fromkeys(("shelf_id", "packed_on", "packed_at", "notes", "photo"))
        other = await BoxRow.insert(work, label="two", **{**VALUES, **empty})
    async with boxes.read(OURS) as work:
        found, bare = await BoxRow.get(work, id), await BoxRow.get(work, other)
        assert await BoxRow.get(work, other + 1) is None
    assert found
    assert bare
    assert {name: getattr(found, name) for name in VALUES} == VALUES
    assert {name: getattr(bare, name) for name in empty} == empty


async def test_get_many_returns_the_records_that_exist(boxes: Database) -> None:
    async with boxes.write(OURS) as work:
        ids = await BoxRow.insert_many(work, [{**VALUES, "label": label} for label in ("one", "two", "three")])
        assert list(await BoxRow.lock_many(work, [ids[1], ids[0]])) == ids[:2], "locked in the order of their ids"
        assert await BoxRow.lock_many(work, []) == {}
    async with boxes.read(OURS) as work:
        found = await BoxRow.get_many(work, [ids[2], ids[0], ids[2] + 1])
        before = work.statements
        assert await BoxRow.get_many(work, []) == {}
        assert work.statements == before
    assert {id: row.label for id, row in found.items()} == {ids[0]: "one", ids[2]: "three"}


async def test_find_by_reads_a_unique_key(boxes: Database) -> None:
    async with boxes.write(OURS) as work:
        id = await BoxRow.insert(work, label="one", **VALUES)
        found = await BoxRow.find_by(work, label="one")
        assert await BoxRow.find_by(work, label="two") is None
        assert await BoxRow.find_by(work, label="one", packed_at=NOON)
    assert found
    assert found.id == id


async def test_lock_or_insert_returns_one_record_for_two_callers_at_once(boxes: Database) -> None:
    async def lock(amount: int) -> int:
        async with boxes.write(OURS) as work:
            row = await BoxRow.lock_or_insert(work, {**VALUES, "amount": amount}, label="one")
            await BoxRow.update(work, row.id, {"amount": row.amount + 10})
            return row.id

    assert len(set(await asyncio.gather(lock(1), lock(1)))) == 1
    async with boxes.read(OURS) as work:
        found = await BoxRow.find_by(work, label="one")
    assert found
    assert found.amount == 21, "the second caller waits for the first, and inserts nothing"


async def test_update_sets_only_the_columns_given(boxes: Database) -> None:
    async with boxes.write(OURS) as work:
        id = await BoxRow.insert(work, label="one", **VALUES)
        assert await BoxRow.update(work, id, {"tags": [], "packed_at": None, "amount": 4})
        assert await BoxRow.update(work, id, {"amount": BoxRow.table.c.amount + 1, "notes": None})
        assert await BoxRow.update(work, id, {})
        assert not await BoxRow.update(work, id + 1, {"amount": 9})
        changed = await BoxRow.lock(work, id)
    assert changed
    assert (changed.tags, changed.packed_at, changed.amount, changed.notes) == ([], None, 5, None)
    assert (changed.label, changed.code) == ("one", "c1")


async def test_a_taken_key_is_a_conflict(boxes: Database) -> None:
    async with boxes.write(OURS) as work:
        await BoxRow.insert(work, label="one", **VALUES)
        other = await BoxRow.insert(work, label="two", **VALUES)
        with pytest.raises(UniqueConflict, match="test_box"):
            async with work.savepoint():
                await BoxRow.insert(work, label="one", **VALUES)
        with pytest.raises(UniqueConflict, match="test_box"):
            async with work.savepoint():
                await BoxRow.update(work, other, {"label": "one"})


async def test_delete_removes_the_record_once(boxes: Database) -> None:
    async with boxes.write(OURS) as work:
        id = await BoxRow.insert(work, label="one", **VALUES)
        assert await BoxRow.delete(work, id)
        assert not await BoxRow.delete(work, id)
        assert await BoxRow.get(work, id) is None


async def test_list_page_returns_a_page_and_the_count_of_all_that_match(boxes: Database) -> None:
    cheap = BoxRow.table.c.amount < bindparam("most")
    async with boxes.write(OURS) as work:
        for label, amount in (("d", 1), ("b", 1), ("a", 9), ("c", 1)):
            await BoxRow.insert(work, **{**VALUES, "label": label, "amount": amount})
        order = [BoxRow.table.c.label.desc()]
        page = await BoxRow.list_page(work, cheap, order_by=order, limit=2, offset=1, most=5)
        every, total = await BoxRow.list_page(work, order_by=[BoxRow.table.c.amount], limit=9, offset=0)
    assert ([row.label for row in page[0]], page[1]) == (["c", "b"], 3)
    assert ([row.label for row in every], total) == (["d", "b", "c", "a"], 4), "equal ones by id"


async def test_no_statement_crosses_the_tenant_boundary(boxes: Database) -> None:
    async with boxes.write(THEIRS) as work:
        theirs = await BoxRow.insert(work, label="one", **VALUES)
    async with boxes.write(OURS) as work:
        assert await BoxRow.get(work, theirs) is None
        assert await BoxRow.lock(work, theirs) is None
        assert await BoxRow.get_many(work, [theirs]) == {}
        assert await BoxRow.find_by(work, label="one") is None
        assert not await BoxRow.update(work, theirs, {"label": "mine"})
        assert not await BoxRow.delete(work, theirs)
        assert await BoxRow.list_page(work, order_by=[], limit=9, offset=0) == ([], 0)
    async with boxes.read(THEIRS) as work:
        kept = await BoxRow.get(work, theirs)
    assert kept
    assert kept.label == "one"


async def test_a_shared_record_is_readable_without_a_client_and_a_tenants_is_not(boxes: Database) -> None:
    async with boxes.write(None) as work:
        id = await RegionRow.insert(work, name="north")
        found = await RegionRow.get(work, id)
        with pytest.raises(TenantIsolationError):
            await BoxRow.get(work, id)
    assert found
    assert found.name == "north"
