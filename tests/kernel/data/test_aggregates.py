"""Child rows aggregated into one text that is fast to parse."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from sqlalchemy import select
from tests.kernel.data.sample_tables import OURS, crates, pieces

from haulier.kernel.data.aggregates import delimited_agg, parse_instant, split_agg
from haulier.kernel.data.unit_of_work import Database

THEIR_CRATES = delimited_agg(crates.c.packed_at, crates.c.name, of=crates.c.id == pieces.c.crate_id, label="crates")
TIMES = [
    datetime(2026, 6, 10, 12, tzinfo=UTC),
    datetime(2026, 6, 10, 8, 0, 0, 1, tzinfo=timezone(timedelta(hours=-4))),
    datetime(2026, 6, 10, 12, 0, 0, 500_000, tzinfo=UTC),
    datetime(2026, 6, 10, 12, 0, 1, tzinfo=UTC),
]


async def test_columns_are_read_back_and_times_sort_chronologically(stock: Database) -> None:
    async with stock.write(OURS) as work:
        for at, time in enumerate(TIMES):
            crate = await work.insert(crates, name=f"c{at}", packed_at=time)
            await work.insert(pieces, crate_id=crate, name=f"p{at}")
        rows = await work.all(select(pieces.c.name, THEIR_CRATES).order_by(pieces.c.id))
    found = [split_agg(row.crates, 2) for row in rows]
    assert [names for _, names in found] == [["c0"], ["c1"], ["c2"], ["c3"]]
    texts = [times[0] for times, _ in found]
    assert texts == sorted(texts)
    assert [parse_instant(text) for text in texts] == TIMES


async def test_many_rows_become_one_text_and_no_rows_become_null(stock: Database) -> None:
    their_pieces = delimited_agg(pieces.c.name, crates.c.name, of=pieces.c.crate_id == crates.c.id, label="pieces")
    named = delimited_agg(pieces.c.name, of=pieces.c.crate_id == crates.c.id, label="pieces")
    async with stock.write(OURS) as work:
        full = await work.insert(crates, name="full")
        await work.insert(crates, name="empty")
        for name in ("nut", "bolt"):
            await work.insert(pieces, crate_id=full, name=name)
        rows = await work.all(select(crates.c.name, named).order_by(crates.c.id))
        pairs = await work.first(select(their_pieces).where(crates.c.name == "full"))
    assert [sorted(split_agg(row.pieces, 1)[0]) for row in rows] == [["bolt", "nut"], []]
    assert pairs is not None
    assert split_agg(pairs.pieces, 2)[1] == ["full", "full"]


@pytest.mark.parametrize("text", ["2026-06-10T12:00:00.500000Z", "2026-06-10 12:00:00.5"])
def test_a_time_is_read_in_the_format_of_either_database(text: str) -> None:
    assert parse_instant(text) == TIMES[2]
