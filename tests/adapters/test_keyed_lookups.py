"""Rows looked up key by key on PostgreSQL, for many keys at once."""

from collections.abc import AsyncIterator

import pytest
from sqlalchemy import or_, select
from tests.kernel.data.sample_tables import OURS, THEIRS, crates, sample_metadata
from tests.support.databases import cluster, make_tables

from haulier.adapters.postgres import Postgres
from haulier.kernel.data.keyed_lookups import for_each_key, key_list

PAIRS = key_list(names=crates.c.name, weights=crates.c.weight_g)
CRATE = select(crates.c.name, crates.c.weight_g)
BY_PAIR = for_each_key(PAIRS, CRATE.where(crates.c.name == PAIRS.c.names, crates.c.weight_g == PAIRS.c.weights))
BY_EITHER = for_each_key(PAIRS, CRATE.where(or_(crates.c.name == PAIRS.c.names, crates.c.weight_g == PAIRS.c.weights)))


@pytest.fixture
async def stock() -> AsyncIterator[Postgres]:
    url = cluster().url()
    await make_tables(url, sample_metadata)
    database = Postgres(url, pool_size=1)
    await database.open()
    for client in (OURS, THEIRS):
        async with database.write(client) as work:
            rows = [{"name": name, "weight_g": weight} for name, weight in (("a", client), ("b", 20), ("c", 30))]
            await work.insert_many(crates, rows)
    yield database
    await database.close()
    cluster().sweep()


async def test_the_values_of_a_key_stay_together(stock: Postgres) -> None:
    async with stock.read(OURS) as work:
        rows = await work.all(BY_PAIR, names=["a", "b", "c", "d"], weights=[OURS, 30, 30, 20])
    assert sorted(tuple(row) for row in rows) == [("a", OURS), ("c", 30)]


async def test_keys_find_only_rows_of_their_client(stock: Postgres) -> None:
    async with stock.read(OURS) as work:
        assert await work.all(BY_PAIR, names=["a"], weights=[THEIRS]) == []


async def test_an_empty_list_of_keys_finds_nothing(stock: Postgres) -> None:
    async with stock.read(OURS) as work:
        assert await work.all(BY_PAIR, names=[], weights=[]) == []


async def test_a_row_is_returned_once_per_matching_key(stock: Postgres) -> None:
    async with stock.read(OURS) as work:
        rows = await work.all(BY_EITHER, names=["b", "x"], weights=[0, 20])
    assert [tuple(row) for row in rows] == [("b", 20), ("b", 20)]
