"""A unit of work for another client in the same transaction."""

import pytest
from sqlalchemy import func, select
from tests.kernel.data.sample_tables import OURS, THEIRS, crates, fill_tables

from haulier.kernel.data.unit_of_work import Database


async def test_work_for_another_tenant_reads_and_writes_only_its_rows(stock: Database) -> None:
    await fill_tables(stock)
    async with stock.write(OURS) as work:
        there = work.for_tenant(THEIRS, "the test was let in")
        assert await there.value(select(func.count()).select_from(crates)) > 0
        id = await there.insert(crates, name="brought")
        assert await work.first(select(crates).where(crates.c.id == id)) is None
        assert (await there.first(select(crates).where(crates.c.id == id))).client_id == THEIRS
        with pytest.raises(ValueError, match="reason"):
            work.for_tenant(THEIRS, "")
        work.mark_for_rollback()
    async with stock.read(THEIRS) as work:
        assert await work.first(select(crates).where(crates.c.id == id)) is None, "rolled back with ours"
