"""What a process remembers of the database."""

from contextlib import AsyncExitStack

from haulier.kernel.data.remembered import Remembered
from haulier.kernel.data.unit_of_work import Database


async def test_nothing_is_remembered_that_may_have_changed_while_it_was_read(database: Database) -> None:
    async with AsyncExitStack() as stack:
        prices: Remembered[str, int] = Remembered(database, "prices", for_s=5, at_most=10)
        prices.keep("apple", 1, "fruit", prices.state())
        assert prices.get("apple") is None  # nobody listened yet
        await prices.listen(stack)
        before = prices.state()
        await database.notify("prices", "fruit")
        prices.keep("apple", 1, "fruit", before)
        assert prices.get("apple") is None
        prices.keep("apple", 2, "fruit", prices.state())
        assert prices.get("apple") == 2
    assert prices.get("apple") is None


async def test_a_notice_makes_what_it_names_forgotten_and_nothing_else(database: Database) -> None:
    async with AsyncExitStack() as stack:
        prices: Remembered[str, int] = Remembered(database, "prices", for_s=5, at_most=10)
        await prices.listen(stack)

        def known() -> list[int | None]:
            return [prices.get(name) for name in ("apple", "pear", "leek")]

        for name, value, subject in (("apple", 1, "fruit"), ("pear", 2, "fruit"), ("leek", 3, "vegetables")):
            prices.keep(name, value, subject, prices.state())
        await database.notify("prices", "fruit", "flowers")
        assert known() == [None, None, 3]
        await database.notify("prices")
        assert known() == [None, None, None]


async def test_what_is_remembered_is_bounded_in_number_and_in_time(database: Database) -> None:
    now_s = 100.0
    async with AsyncExitStack() as stack:
        squares: Remembered[int, int] = Remembered(database, "squares", for_s=5, at_most=3, seconds=lambda: now_s)
        await squares.listen(stack)
        for number in range(5):
            squares.keep(number, number * number, "all", squares.state())
        assert [squares.get(number) for number in range(5)] == [None, None, 4, 9, 16]
        now_s += 5.001
        assert [squares.get(number) for number in range(5)] == [None] * 5
