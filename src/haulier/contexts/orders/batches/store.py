"""Batches and their rows."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import BigInteger, Column, Index, Integer, String, bindparam, func, select, update

from haulier.kernel.data.tables import Json, UTCDateTime, tenant_table
from haulier.kernel.data.work import Work

batches = tenant_table(
    "order_batch",
    Column("total", Integer, nullable=False),
    Column("created_by", BigInteger),
    Column("account", String(20), nullable=False),
    Column("created_at", UTCDateTime, nullable=False),
    Column("cancelled_at", UTCDateTime),
    Column("finished_at", UTCDateTime),
)
rows = tenant_table(
    "order_batch_row",
    Column("batch_id", BigInteger, nullable=False),
    Column("number", Integer, nullable=False),
    Column("request", Json, nullable=False),
    Column("state", String(20), nullable=False),
    Column("order_id", BigInteger),
    Column("tracking_number", String(64)),
    Column("fault", Json),
    Index("ix_order_batch_row_batch", "batch_id", "number"),
    Index("ix_order_batch_row_state", "batch_id", "state"),
)
_batch = select(batches).where(batches.c.id == bindparam("batch"))
_batch_locked = _batch.with_for_update()
_counts = (
    select(rows.c.state, func.count().label("count"))
    .where(rows.c.batch_id == bindparam("batch"))
    .group_by(rows.c.state)
)
_page = (
    select(rows.c.number, rows.c.request, rows.c.state, rows.c.order_id, rows.c.tracking_number, rows.c.fault)
    .where(rows.c.batch_id == bindparam("batch"))
    .where(rows.c.number >= bindparam("first"), rows.c.number < bindparam("last"))
    .order_by(rows.c.number)
)
_next = (
    select(rows.c.id, rows.c.number, rows.c.request)
    .where(rows.c.batch_id == bindparam("batch"), rows.c.state == "queued")
    .order_by(rows.c.number)
    .limit(bindparam("count"))
)
_set_row = (
    update(rows)
    .where(rows.c.id == bindparam("row"))
    .values(
        state=bindparam("new_state"),
        order_id=bindparam("new_order_id"),
        tracking_number=bindparam("new_number"),
        fault=bindparam("new_fault", type_=Json),
    )
)
_finish = update(batches).where(batches.c.id == bindparam("batch")).values(finished_at=bindparam("now"))
_cancel = (
    update(batches)
    .where(batches.c.id == bindparam("batch"))
    .values(cancelled_at=bindparam("now"), finished_at=bindparam("now"))
)
_cancel_rows = (
    update(rows).where(rows.c.batch_id == bindparam("batch"), rows.c.state == "queued").values(state="cancelled")
)


async def add(work: Work, batch: Mapping[str, Any], requests: Sequence[Any]) -> int:
    """Write a batch with its rows; the id of the batch."""
    id = await work.insert(batches, **batch)
    queued = [{"batch_id": id, "number": n, "request": each, "state": "queued"} for n, each in enumerate(requests)]
    await work.insert_many(rows, queued)
    return id


async def one(work: Work, id: int, *, lock: bool = False) -> Any | None:
    """A batch, or None."""
    return await work.first(_batch_locked if lock else _batch, batch=id)


async def counts(work: Work, id: int) -> dict[str, int]:
    """How many rows are in which state."""
    return {row.state: row.count for row in await work.all(_counts, batch=id)}


async def page(work: Work, id: int, first: int, count: int) -> list[Any]:
    """Rows by number, from `first`."""
    return await work.all(_page, batch=id, first=first, last=first + count)


async def queued(work: Work, id: int, count: int) -> list[Any]:
    """The next rows to work off."""
    return await work.all(_next, batch=id, count=count)


async def set_rows(work: Work, outcomes: Sequence[Mapping[str, Any]]) -> None:
    """Write what became of rows."""
    await work.run_many(_set_row, outcomes)


async def finish(work: Work, id: int, now: Any) -> None:
    """The batch is worked off."""
    await work.run(_finish, batch=id, now=now)


async def cancel(work: Work, id: int, now: Any) -> None:
    """Cancel a batch and what is still queued of it."""
    await work.run(_cancel, batch=id, now=now)
    await work.run(_cancel_rows, batch=id)
