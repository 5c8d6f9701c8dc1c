"""A statement must select the columns that a row type reads."""

from datetime import UTC, datetime

import pytest
from sqlalchemy import func, select
from tests.kernel.data.sample_tables import OURS, crates, fill_tables, pieces

from haulier.kernel.data.statements import Row
from haulier.kernel.data.unit_of_work import Database, UnitOfWork

NOON = datetime(2026, 6, 10, 12, tzinfo=UTC)


class CrateRow(Row):
    id: int
    name: str


class PackedCrateRow(CrateRow):
    packed_at: datetime | None
    pieces: int


COUNTED = (
    select(crates.c.id, crates.c.name, crates.c.packed_at, func.count(pieces.c.id).label("pieces"))
    .outerjoin(pieces, pieces.c.crate_id == crates.c.id)
    .group_by(crates.c.id, crates.c.name, crates.c.packed_at)
    .order_by(crates.c.id)
)


async def test_rows_are_the_same_with_and_without_a_type(stock: Database) -> None:
    await fill_tables(stock)
    async with stock.read(OURS) as work:
        typed = await work.all(COUNTED, PackedCrateRow)
        assert typed == await work.all(COUNTED)
        assert [(row.name, row.packed_at, row.pieces) for row in typed] == [("full", None, 2), ("empty", None, 0)]
        assert await work.first(COUNTED, PackedCrateRow) == typed[0]


async def test_values_have_the_types_named_by_the_row_type(stock: Database) -> None:
    async with stock.write(OURS) as work:
        await work.insert(crates, name="a", packed_at=NOON)
        row = await work.first(COUNTED, PackedCrateRow)
    assert row
    assert row.packed_at == NOON


async def test_no_rows_give_none_and_an_empty_list(stock: Database) -> None:
    async with stock.read(OURS) as work:
        assert await work.first(COUNTED, CrateRow) is None
        assert await work.all(COUNTED, CrateRow) == []


async def test_a_field_the_statement_does_not_select_is_refused_before_reading(stock: Database) -> None:
    narrow = select(crates.c.id, crates.c.name)
    for read in (UnitOfWork.all, UnitOfWork.first):
        async with stock.read(OURS) as work:
            assert not await read(work, narrow, CrateRow)
            for _ in range(2):
                with pytest.raises(TypeError, match="PackedCrateRow names packed_at, pieces, which is not selected by"):
                    await read(work, narrow, PackedCrateRow)


async def test_one_statement_serves_several_row_types(stock: Database) -> None:
    await fill_tables(stock)
    async with stock.read(OURS) as work:
        assert [row.id for row in await work.all(COUNTED, CrateRow)] == [1, 2]
        assert [row.pieces for row in await work.all(COUNTED, PackedCrateRow)] == [2, 0]


def test_a_row_type_includes_declared_and_inherited_fields() -> None:
    assert CrateRow.column_names() == {"id", "name"}
    assert PackedCrateRow.column_names() == {"id", "name", "packed_at", "pieces"}
