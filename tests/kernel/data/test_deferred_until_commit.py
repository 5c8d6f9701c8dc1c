"""Deferred items are handled together before the commit, or rolled back."""

from contextlib import suppress
from typing import Any

import pytest
from sqlalchemy import func, select
from tests.kernel.data.sample_tables import OURS, THEIRS, crates, fill_tables

from haulier.kernel.data.unit_of_work import Database, UnitOfWork


class Seen:
    """The items received together, and a row that was written for them."""

    def __init__(self) -> None:
        self.batches: list[list[Any]] = []

    def defer_until_commit(self, work: UnitOfWork, *items: Any) -> None:
        for item in items:
            work.defer_until_commit("seen", item, lambda all_of_it: self._see_to(work, all_of_it))

    async def _see_to(self, work: UnitOfWork, items: list[Any]) -> None:
        self.batches.append(items)
        await work.insert(crates, name=f"seen {len(items)}")


async def names(stock: Database, client_id: int) -> list[str]:
    async with stock.read(client_id) as work:
        return [row.name for row in await work.all(select(crates.c.name)) if row.name.startswith("seen")]


async def test_deferred_items_are_handled_together_and_committed_with_the_rest(stock: Database) -> None:
    seen = Seen()
    async with stock.write(OURS) as work:
        seen.defer_until_commit(work, 1, 2)
        assert seen.batches == []
        seen.defer_until_commit(work, 3)
    assert (seen.batches, await names(stock, OURS)) == ([[1, 2, 3]], ["seen 3"])


async def test_deferred_items_of_each_client_are_handled_in_their_tenant(stock: Database) -> None:
    await fill_tables(stock)
    seen = Seen()
    async with stock.write(OURS) as work:
        seen.defer_until_commit(work, "ours")
        seen.defer_until_commit(work.for_tenant(THEIRS, "the test was let in"), "theirs", "theirs")
    assert seen.batches == [["ours"], ["theirs", "theirs"]]
    assert [await names(stock, client) for client in (OURS, THEIRS)] == [["seen 1"], ["seen 2"]]


async def test_rolled_back_items_are_not_deferred(stock: Database) -> None:
    seen = Seen()
    async with stock.write(OURS) as work:
        seen.defer_until_commit(work, "kept")
        with suppress(LookupError):
            async with work.savepoint():
                seen.defer_until_commit(work, "undone")
                raise LookupError
    with suppress(LookupError):
        async with stock.write(OURS) as work:
            seen.defer_until_commit(work, "lost")
            raise LookupError
    async with stock.write(OURS) as work:
        seen.defer_until_commit(work, "rolled back")
        work.mark_for_rollback()
    assert seen.batches == [["kept"]]


async def test_a_failing_handler_rolls_back_the_transaction(stock: Database) -> None:
    async def fail(items: list[Any]) -> None:
        raise LookupError

    async def write() -> None:
        async with stock.write(OURS) as work:
            await work.insert(crates, name="seen nobody")
            work.defer_until_commit("fails", 1, fail)

    with pytest.raises(LookupError):
        await write()
    async with stock.read(OURS) as work:
        assert await work.value(select(func.count()).select_from(crates).where(crates.c.name == "seen nobody")) == 0


async def test_items_can_be_handled_early_and_are_not_repeated(stock: Database) -> None:
    seen = Seen()
    async with stock.write(OURS) as work:
        seen.defer_until_commit(work, 1)
        await work.run_deferred()
        assert seen.batches == [[1]]
    assert seen.batches == [[1]]
