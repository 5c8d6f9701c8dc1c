"""Data read before a write is never considered current afterwards."""

import asyncio
import random
from collections.abc import Callable
from contextlib import AsyncExitStack, suppress
from typing import Any

from sqlalchemy import delete, func, select, update
from tests.kernel.data.sample_tables import OURS, THEIRS, crates, fill_tables, labels, pieces, zones

from haulier.adapters.database import database_for
from haulier.kernel.data.touched_tables import CLIENT_WRITES_CHANNEL
from haulier.kernel.data.unit_of_work import Database, UnitOfWork
from haulier.kernel.data.write_generations import ReadAt, WriteGenerations

STEPS = 120
HEARD_WITHIN_S = 60
QUESTIONS: tuple[Any, ...] = (
    select(func.count(), func.sum(crates.c.weight_g)).select_from(crates),
    select(func.max(pieces.c.name), func.sum(pieces.c.amount)).select_from(
        pieces.join(crates, crates.c.id == pieces.c.crate_id, isouter=True)
    ),
    select(func.count()).where(labels.c.piece_id.in_(select(pieces.c.id))),
    select(func.count(), func.max(zones.c.name)).select_from(zones),
    select(func.count(crates.c.id)).select_from(crates.join(zones, zones.c.id == crates.c.id)),
)
"""Rows of one table, of several, of shared ones, and of both."""
Answered = tuple[tuple[Any, ...], ReadAt, bool]


async def insert_one(work: UnitOfWork, name: str) -> None:
    await work.insert(pieces, name=name)


async def insert_several(work: UnitOfWork, name: str) -> None:
    await work.insert_many(crates, [{"name": f"{name}a"}, {"name": f"{name}b"}])
    await work.insert_new(crates, [{"name": f"{name}b"}, {"name": f"{name}c"}])


async def replace_one(work: UnitOfWork, name: str) -> None:
    await work.upsert(crates, ["name"], name="full", weight_g=len(name) + random.Random(name).randrange(1000))


async def change_all(work: UnitOfWork, name: str) -> None:
    await work.run(update(pieces).values(amount=pieces.c.amount + 1))


async def remove_labels(work: UnitOfWork, name: str) -> None:
    await work.run(delete(labels))
    await work.insert(labels, text=name, piece_id=1)


async def share(work: UnitOfWork, name: str) -> None:
    await work.insert(zones, name=name)


async def act_for_the_other(work: UnitOfWork, name: str) -> None:
    other = THEIRS if work.client_id == OURS else OURS
    await insert_one(work.for_tenant(other, "the test was let in"), name)


async def act_for_everybody(work: UnitOfWork, name: str) -> None:
    await change_all(work.without_tenant_filter("the test acts for all"), name)


async def undo_one_step(work: UnitOfWork, name: str) -> None:
    await insert_one(work, name)
    with suppress(LookupError):
        async with work.savepoint():
            await share(work, name)
            raise LookupError


async def undo_everything(work: UnitOfWork, name: str) -> None:
    await insert_several(work, name)
    work.mark_for_rollback()


WRITES: tuple[Callable[[UnitOfWork, str], Any], ...] = (
    insert_one,
    insert_several,
    replace_one,
    change_all,
    remove_labels,
    share,
    act_for_the_other,
    act_for_everybody,
    undo_one_step,
    undo_everything,
)


class Reader:
    """A reader that keeps data for as long as it counts as current."""

    def __init__(self, database: Database, generations: WriteGenerations) -> None:
        self.database = database
        self.generations = generations
        self.kept: dict[tuple[int, int], Answered] = {}
        self.spared = 0

    async def read(self, client: int, question: int) -> tuple[tuple[Any, ...], bool]:
        async with self.database.read(client) as work:
            return tuple((await work.all(QUESTIONS[question]))[0]), work.reads_shared

    async def check_all(self) -> None:
        """Compare the data that counts as current with the database, and refresh the rest."""
        for client in (OURS, THEIRS):
            for question in range(len(QUESTIONS)):
                before = self.generations.now(client)
                fresh, with_shared = await self.read(client, question)
                known = self.kept.get((client, question))
                if known and self.generations.is_current(known[1], with_shared=known[2]):
                    assert known[0] == fresh, (client, question)
                    self.spared += 1
                elif before:
                    self.kept[client, question] = fresh, before, with_shared


async def test_a_current_entry_matches_the_database_after_any_writes(stock: Database, database_url: str) -> None:
    await fill_tables(stock)
    chosen = random.Random(20260610)
    elsewhere = database_for(database_url)
    heard = asyncio.Event()
    async with AsyncExitStack() as stack:
        await elsewhere.open()
        stack.push_async_callback(elsewhere.close)
        here, there = (Reader(each, WriteGenerations(each)) for each in (stock, elsewhere))
        await here.generations.listen(stack)
        await there.generations.listen(stack)
        stack.callback(await elsewhere.listen(CLIENT_WRITES_CHANNEL, lambda _: heard.set()))
        for step in range(STEPS):
            write = chosen.choice(WRITES)
            heard.clear()
            async with stock.write(chosen.choice((OURS, THEIRS))) as work:
                await write(work, f"n{step}")
            await here.check_all()
            if stock.dialect == "postgresql" and write is not undo_everything:
                await asyncio.wait_for(heard.wait(), HEARD_WITHIN_S)
            await there.check_all()
    assert here.spared > STEPS, "what nobody wrote stays"
    assert there.spared > (STEPS if stock.dialect == "postgresql" else 0)


async def test_nothing_is_current_without_write_notifications(stock: Database) -> None:
    generations = WriteGenerations(stock)
    assert generations.now(OURS) is None
    async with AsyncExitStack() as stack:
        await generations.listen(stack)
        before = generations.now(OURS)
    assert before
    assert not generations.is_current(before, with_shared=False)
