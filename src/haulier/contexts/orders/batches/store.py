"""Batches and their rows."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, Column, Index, Integer, String, bindparam, func, select, update

from haulier.kernel.data.personal_data import PersonKey, RecordKind, personal_data, plain_columns, retained
from haulier.kernel.data.statements import Row
from haulier.kernel.data.tables import Json, UTCDateTime, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork

batches = tenant_table(
    "order_batch",
    Column("total", Integer, nullable=False),
    Column("created_by", BigInteger),
    Column("account", String(20), nullable=False),
    Column("created_at", UTCDateTime, nullable=False),
    Column("cancelled_at", UTCDateTime),
    Column("finished_at", UTCDateTime),
)
plain_columns(batches, "account")
batch_rows = tenant_table(
    "order_batch_row",
    Column("batch_id", BigInteger, nullable=False),
    Column("number", Integer, nullable=False),
    Column("request", Json, nullable=False),
    Column("state", String(20), nullable=False),
    Column("order_id", BigInteger),
    Column("tracking_number", String(64)),
    Column("fault", Json),
    Index("ix_order_batch_row_batch", "batch_id", "number"),
)
personal_data(
    batch_rows,
    RecordKind.ORDER_CONTACTS,
    by={"order_id": PersonKey.ORDER},
    erased={"request": lambda row, keys: {"order_ref": row.request.get("order_ref")}, "fault": None},
    plain=("state", "tracking_number"),
)
retained(
    RecordKind.ORDER_IMPORTS,
    batches.c.finished_at,
    children=(batch_rows.c.batch_id,),
    default_days=90,
    minimum_days=7,
)
_batch_by_id = select(batches).where(batches.c.id == bindparam("batch"))
_batch_by_id_locked = _batch_by_id.with_for_update()
_counts = (
    select(batch_rows.c.state, func.count().label("count"))
    .where(batch_rows.c.batch_id == bindparam("batch"))
    .group_by(batch_rows.c.state)
)
_batch_rows_page = (
    select(
        batch_rows.c.id,
        batch_rows.c.number,
        batch_rows.c.request,
        batch_rows.c.state,
        batch_rows.c.order_id,
        batch_rows.c.tracking_number,
        batch_rows.c.fault,
    )
    .where(batch_rows.c.batch_id == bindparam("batch"))
    .where(batch_rows.c.number >= bindparam("first"), batch_rows.c.number < bindparam("last"))
    .order_by(batch_rows.c.number)
)
_update_batch_row = (
    update(batch_rows)
    .where(batch_rows.c.id == bindparam("row"))
    .values(
        state=bindparam("new_state"),
        order_id=bindparam("new_order_id"),
        tracking_number=bindparam("new_number"),
        fault=bindparam("new_fault", type_=Json),
    )
)
_finish_batch = update(batches).where(batches.c.id == bindparam("batch")).values(finished_at=bindparam("now"))
_cancel_batch = (
    update(batches)
    .where(batches.c.id == bindparam("batch"))
    .values(cancelled_at=bindparam("now"), finished_at=bindparam("now"))
)
_cancel_queued_rows = (
    update(batch_rows)
    .where(batch_rows.c.batch_id == bindparam("batch"), batch_rows.c.state == "queued")
    .values(state="cancelled")
)


class BatchRow(Row):
    """A batch."""

    id: int
    total: int
    created_by: int | None
    account: str
    created_at: datetime
    cancelled_at: datetime | None
    finished_at: datetime | None


class BatchOutcomeRow(Row):
    """An order of a batch with its outcome."""

    id: int
    number: int
    state: str
    request: dict[str, Any]
    fault: dict[str, Any] | None


class BatchStateCount(Row):
    """Number of batch rows in a state."""

    state: str
    count: int


async def insert_order_batch(work: UnitOfWork, batch: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> int:
    """Insert a batch with its rows and return its id.

    Each row has a `request`, a `state` and a `fault`.
    """
    id = await work.insert(batches, **batch)
    await work.insert_many(batch_rows, [{"batch_id": id, "number": number, **row} for number, row in enumerate(rows)])
    return id


async def get_order_batch_row(work: UnitOfWork, id: int, *, lock: bool = False) -> BatchRow | None:
    """A batch, or None."""
    return await work.first(_batch_by_id_locked if lock else _batch_by_id, BatchRow, batch=id)


async def count_batch_rows_by_state(work: UnitOfWork, id: int) -> dict[str, int]:
    """Return the number of rows by state."""
    return {row.state: row.count for row in await work.all(_counts, BatchStateCount, batch=id)}


async def list_batch_rows_page(work: UnitOfWork, id: int, first: int, count: int) -> list[BatchOutcomeRow]:
    """Rows by number, from `first`."""
    return await work.all(_batch_rows_page, BatchOutcomeRow, batch=id, first=first, last=first + count)


async def update_batch_rows(work: UnitOfWork, outcomes: Sequence[Mapping[str, Any]]) -> None:
    """Write the outcomes of rows."""
    await work.run_many(_update_batch_row, outcomes)


async def finish_order_batch(work: UnitOfWork, id: int, now: datetime) -> None:
    """Mark a batch as finished."""
    await work.run(_finish_batch, batch=id, now=now)


async def cancel_order_batch(work: UnitOfWork, id: int, now: datetime) -> None:
    """Cancel a batch and what is still queued of it."""
    await work.run(_cancel_batch, batch=id, now=now)
    await work.run(_cancel_queued_rows, batch=id)
