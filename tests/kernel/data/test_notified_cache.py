"""Short-lived cache of database values."""

from contextlib import AsyncExitStack

from sqlalchemy import Column, MetaData, String, select
from tests.support.databases import make_tables

from haulier.adapters.database import database_for
from haulier.kernel.data.notified_cache import ClientCache, NotifiedCache
from haulier.kernel.data.tables import notify_writes, tenant_table
from haulier.kernel.data.unit_of_work import Database, UnitOfWork

own_metadata = MetaData()
mottos = tenant_table("test_motto", Column("text", String(20)), metadata=own_metadata)
notify_writes(mottos, "mottos")


class KnownMottos(ClientCache[list[str]]):
    """Cached mottos of clients; `reads` counts the reads."""

    channel = "mottos"
    reads = 0

    async def read(self, work: UnitOfWork) -> list[str]:
        self.reads += 1
        return [row.text for row in await work.all(select(mottos).order_by(mottos.c.id))]


async def test_values_that_may_have_changed_during_the_read_are_not_cached(database: Database) -> None:
    async with AsyncExitStack() as stack:
        prices: NotifiedCache[str, int] = NotifiedCache(database, "prices", for_s=5, at_most=10)
        prices.keep("apple", 1, "fruit", prices.state())
        assert prices.get("apple") is None  # not listening yet
        await prices.listen(stack)
        before = prices.state()
        await database.notify("prices", "fruit")
        prices.keep("apple", 1, "fruit", before)
        assert prices.get("apple") is None
        prices.keep("apple", 2, "fruit", prices.state())
        assert prices.get("apple") == 2
    assert prices.get("apple") is None


async def test_a_notification_invalidates_only_the_named_entries(database: Database) -> None:
    async with AsyncExitStack() as stack:
        prices: NotifiedCache[str, int] = NotifiedCache(database, "prices", for_s=5, at_most=10)
        await prices.listen(stack)

        def known() -> list[int | None]:
            return [prices.get(name) for name in ("apple", "pear", "leek")]

        for name, value, subject in (("apple", 1, "fruit"), ("pear", 2, "fruit"), ("leek", 3, "vegetables")):
            prices.keep(name, value, subject, prices.state())
        await database.notify("prices", "fruit", "flowers")
        assert known() == [None, None, 3]
        await database.notify("prices")
        assert known() == [None, None, None]


async def test_the_cache_is_limited_in_size_and_time(database: Database) -> None:
    now_s = 100.0
    async with AsyncExitStack() as stack:
        squares: NotifiedCache[int, int] = NotifiedCache(database, "squares", for_s=5, at_most=3, seconds=lambda: now_s)
        await squares.listen(stack)
        for number in range(5):
            squares.keep(number, number * number, "all", squares.state())
        assert [squares.get(number) for number in range(5)] == [None, None, 4, 9, 16]
        now_s += 5.001
        assert [squares.get(number) for number in range(5)] == [None] * 5


async def test_settings_are_read_once_until_they_change_and_rolled_back_changes_are_not_cached(
    database_url: str,
) -> None:
    await make_tables(database_url, own_metadata)
    database = database_for(database_url)
    async with AsyncExitStack() as stack:
        await database.open()
        stack.push_async_callback(database.close)
        known = KnownMottos(database)
        await known.listen(stack)

        async def told(client_id: int) -> tuple[list[str], int]:
            async with database.read(client_id) as work:
                return await known.of(work), known.reads

        assert [await told(1), await told(1), await told(2), await told(2)] == [([], 1), ([], 1), ([], 2), ([], 2)]
        async with database.write(1) as work:
            await work.insert(mottos, text="undone")
            assert await known.of(work) == ["undone"]
            work.mark_for_rollback()
        assert await told(1) == ([], 3)
        async with database.write(1) as work:
            await work.insert(mottos, text="kept")
        assert [await told(1), await told(1), await told(2)] == [(["kept"], 4), (["kept"], 4), ([], 4)]
