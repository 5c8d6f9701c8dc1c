"""Tables and statements of Uniorders."""

from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime
from typing import Any

from sqlalchemy import (
    Column,
    ColumnElement,
    Date,
    Index,
    Integer,
    String,
    UniqueConstraint,
    bindparam,
    func,
    select,
    update,
)

from haulier.kernel.data.personal_data import PersonKey, RecordKind, personal_data, plain_columns, retained
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.tables import Id, Json, UTCDateTime, notify_writes, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.values.pagination import MAX_COUNT

jobs = tenant_table(
    "uniorder_job",
    Column("purpose", String(10), nullable=False),
    Column("total", Integer, nullable=False),
    Column("created_by", Id),
    Column("account", String(20), nullable=False),
    Column("created_at", UTCDateTime, nullable=False),
    Column("cancelled_at", UTCDateTime),
    Column("finished_at", UTCDateTime),
    Index("ix_uniorder_job_made", "client_id", "created_by", "id"),
)
plain_columns(jobs, "purpose", "account")
job_rows = tenant_table(
    "uniorder_job_row",
    Column("job_id", Id, nullable=False),
    Column("number", Integer, nullable=False),
    Column("reference", String(100)),
    Column("request", Json, nullable=False),
    Column("state", String(20), nullable=False),
    Column("uniorder_id", Id),
    Column("quote_id", Id),
    Column("fault", Json),
    Index("ix_uniorder_job_row_job", "client_id", "job_id", "number"),
)
# Not searched: requests are deleted when done, and results are found with the order.
personal_data(
    job_rows,
    RecordKind.ORDER_IMPORTS,
    find=lambda keys: None,
    erased={"request": {}, "fault": None},
    plain=("reference", "state"),
)
retained(
    RecordKind.ORDER_IMPORTS,
    jobs.c.finished_at,
    children=(job_rows.c.job_id,),
    default_days=90,
    minimum_days=7,
)
_job = select(jobs).where(jobs.c.id == bindparam("job"))
_locked_job = _job.with_for_update()
_counts = (
    select(job_rows.c.job_id, job_rows.c.state, func.count().label("count"))
    .where(in_param(job_rows.c.job_id, "jobs"))
    .group_by(job_rows.c.job_id, job_rows.c.state)
)
_page = (
    select(job_rows)
    .where(job_rows.c.job_id == bindparam("job"))
    .where(job_rows.c.number >= bindparam("first"), job_rows.c.number < bindparam("last"))
    .order_by(job_rows.c.number)
)
_settle_row = (
    update(job_rows)
    .where(job_rows.c.id == bindparam("row"))
    .values(
        request={},
        state=bindparam("new_state"),
        uniorder_id=bindparam("new_uniorder"),
        quote_id=bindparam("new_quote"),
        fault=bindparam("new_fault", type_=Json),
    )
)
_finish = update(jobs).where(jobs.c.id == bindparam("job")).values(finished_at=bindparam("now"))
_cancel = (
    update(jobs)
    .where(jobs.c.id == bindparam("job"))
    .values(cancelled_at=bindparam("now"), finished_at=bindparam("now"))
)
_cancel_rows = (
    update(job_rows)
    .where(job_rows.c.job_id == bindparam("job"), job_rows.c.state == "queued")
    .values(state="cancelled", request={})
)


class UniorderJobRow(Row):
    """A job."""

    id: int
    purpose: str
    total: int
    created_by: int | None
    account: str
    created_at: datetime
    cancelled_at: datetime | None
    finished_at: datetime | None


class JobItemRow(Row):
    """A form of a job, and its result."""

    id: int
    number: int
    reference: str | None
    request: dict[str, Any]
    state: str
    uniorder_id: int | None
    quote_id: int | None
    fault: dict[str, Any] | None


class JobStateCount(Row):
    """Number of forms of a job in a state."""

    job_id: int
    state: str
    count: int


async def insert_job(work: UnitOfWork, job: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> int:
    """Insert a job with its rows. Return the id of the job.

    Each row has a `reference`, a `request`, a `state` and a `fault`.
    """
    id = await work.insert(jobs, **job)
    await work.insert_many(job_rows, [{"job_id": id, "number": number, **row} for number, row in enumerate(rows)])
    return id


async def get_job_row(work: UnitOfWork, id: int, *, lock: bool = False) -> UniorderJobRow | None:
    """Return a job, or None."""
    return await work.first(_locked_job if lock else _job, UniorderJobRow, job=id)


async def list_job_rows(
    work: UnitOfWork, wanted: Mapping[str, Any], *, finished: bool | None, limit: int, offset: int
) -> tuple[Sequence[UniorderJobRow], int]:
    """Return a page of jobs matching column values, newest first.

    Also returns the total, counted to one more than is shown.
    """
    conditions: list[ColumnElement[bool]] = [jobs.c[name] == value for name, value in wanted.items()]
    if finished is not None:
        conditions.append(jobs.c.finished_at.is_not(None) if finished else jobs.c.finished_at.is_(None))
    page = select(jobs).where(*conditions).order_by(jobs.c.id.desc()).limit(limit).offset(offset)
    rows = await work.all(page, UniorderJobRow)
    counted = select(jobs.c.id).where(*conditions).limit(MAX_COUNT + 1).subquery()
    return rows, await work.value(select(func.count()).select_from(counted))


async def count_rows_by_state(work: UnitOfWork, job_ids: Collection[int]) -> dict[int, dict[str, int]]:
    """Return the number of rows by state for each job, in one statement."""
    counts: dict[int, dict[str, int]] = {id: {} for id in job_ids}
    for row in await work.all(_counts, JobStateCount, jobs=list(job_ids)) if job_ids else []:
        counts[row.job_id][row.state] = row.count
    return counts


async def list_rows_page(work: UnitOfWork, id: int, first: int, count: int) -> list[JobItemRow]:
    """Return rows by number, from `first`."""
    return await work.all(_page, JobItemRow, job=id, first=first, last=first + count)


async def update_row_results(work: UnitOfWork, outcomes: Sequence[Mapping[str, Any]]) -> None:
    """Store the results of rows, and delete the requests."""
    await work.run_many(_settle_row, outcomes)


async def finish_job(work: UnitOfWork, id: int, now: datetime) -> None:
    """Mark a job as finished."""
    await work.run(_finish, job=id, now=now)


async def cancel_job(work: UnitOfWork, id: int, now: datetime) -> None:
    """Cancel a job and what is still queued of it."""
    await work.run(_cancel, job=id, now=now)
    await work.run(_cancel_rows, job=id)


quotes = tenant_table(
    "uniorder_quote",
    Column("customer_id", Id),
    Column("form", Json, nullable=False),
    Column("quoted", Json, nullable=False),
    Column("created_at", UTCDateTime, nullable=False),
    Index("ix_uniorder_quote_created", "created_at"),
)
personal_data(quotes, RecordKind.SHIPPING_QUOTES, by={"customer_id": PersonKey.USER})
retained(RecordKind.SHIPPING_QUOTES, quotes.c.created_at, default_days=7)
_quote_by_ids = select(quotes).where(in_param(quotes.c.id, "ids"))


class UniorderQuoteRow(Row):
    """A form and its rates."""

    id: int
    customer_id: int | None
    form: dict[str, Any]
    quoted: dict[str, Any]
    created_at: datetime


async def insert_quote(work: UnitOfWork, values: Mapping[str, Any]) -> int:
    """Insert rates. Return their id."""
    return await work.insert(quotes, **values)


async def list_quote_rows(work: UnitOfWork, ids: Collection[int]) -> dict[int, UniorderQuoteRow]:
    """Return stored rates by id."""
    if not ids:
        return {}
    return {row.id: row for row in await work.all(_quote_by_ids, UniorderQuoteRow, ids=sorted(set(ids)))}


UNIORDERS_CHANNEL = "uniorders"
"""Channel of notices that a client's Uniorders were created or deleted; status changes are not published."""

uniorders = tenant_table(
    "uniorder",
    Column("kind", String(8), nullable=False),
    Column("status", String(30), nullable=False),
    Column("claim_key", String(160)),
    Column("form_digest", String(64), nullable=False),
    Column("order_ref", String(100)),
    Column("customer_id", Id),
    Column("carrier", String(30), nullable=False),
    Column("ship_date", Date, nullable=False),
    Column("local_order_id", Id),
    Column("shipment_id", Id),
    Column("created_by", Id),
    Column("created_at", UTCDateTime, nullable=False),
    Column("updated_at", UTCDateTime, nullable=False),
    UniqueConstraint("client_id", "claim_key"),
    UniqueConstraint("client_id", "local_order_id"),
    UniqueConstraint("client_id", "shipment_id"),
    Index("ix_uniorder_status", "client_id", "status"),
    Index("ix_uniorder_order_ref", "client_id", "order_ref"),
    Index("ix_uniorder_customer", "client_id", "customer_id"),
)
plain_columns(uniorders, "kind", "status", "claim_key", "form_digest", "order_ref", "carrier")
notify_writes(uniorders, UNIORDERS_CHANNEL, silent_columns=("status", "updated_at"))
retained(RecordKind.SHIPMENTS, uniorders.c.created_at, default_days=730, minimum_days=30)
_uniorder_by_ids = select(uniorders).where(in_param(uniorders.c.id, "ids"))
_any = select(uniorders.c.id).limit(1)
_by_claim = select(uniorders).where(uniorders.c.claim_key == bindparam("claim")).with_for_update()

_set_status = {
    name: update(uniorders)
    .where(in_param(uniorders.c[name], "ids"))
    .values(status=bindparam("new_status"), updated_at=bindparam("now", type_=UTCDateTime))
    for name in ("local_order_id", "shipment_id")
}


class UniorderRow(Row):
    """An order."""

    id: int
    kind: str
    status: str
    claim_key: str | None
    form_digest: str
    order_ref: str | None
    customer_id: int | None
    carrier: str
    ship_date: date
    local_order_id: int | None
    shipment_id: int | None
    created_at: datetime
    updated_at: datetime


async def insert_uniorder(work: UnitOfWork, values: Mapping[str, Any]) -> UniorderRow | None:
    """Insert an order; None if its claim is taken.

    Waits for the call that holds the claim.
    """
    written = await work.insert_new(uniorders, [values], UniorderRow)
    return written[0] if written else None


async def has_uniorders(work: UnitOfWork) -> bool:
    """Return True if the client has any order."""
    return await work.value(_any) is not None


async def list_uniorders_by_id(work: UnitOfWork, ids: Collection[int]) -> dict[int, UniorderRow]:
    """Return orders by id."""
    return {row.id: row for row in await work.all(_uniorder_by_ids, UniorderRow, ids=sorted(set(ids)))} if ids else {}


async def get_uniorder_row(work: UnitOfWork, id: int) -> UniorderRow | None:
    """Return an order, or None."""
    return (await list_uniorders_by_id(work, [id])).get(id)


async def lock_claimed_uniorder(work: UnitOfWork, claim: str) -> UniorderRow | None:
    """Return the order of a claim, locked until the transaction ends; or None."""
    return await work.first(_by_claim, UniorderRow, claim=claim)


async def update_uniorder(work: UnitOfWork, id: int, values: Mapping[str, Any]) -> None:
    """Change an order."""
    await work.run(update(uniorders).where(uniorders.c.id == bindparam("uniorder")).values(**values), uniorder=id)


async def set_status_by(work: UnitOfWork, column: str, ids: Collection[int], status: str, now: datetime) -> None:
    """Set the status of orders by local order or shipment; `column` says which."""
    await work.run(_set_status[column], ids=sorted(set(ids)), new_status=status, now=now)


async def list_uniorder_rows(
    work: UnitOfWork, conditions: Sequence[ColumnElement[bool]], limit: int, offset: int, most: int
) -> tuple[list[UniorderRow], int]:
    """Return a page of orders, newest first, and their total, up to `most`."""
    page = select(uniorders).where(*conditions).order_by(uniorders.c.id.desc()).limit(limit).offset(offset)
    counted = select(uniorders.c.id).where(*conditions).limit(most).subquery()
    total = await work.value(select(func.count()).select_from(counted))
    return await work.all(page, UniorderRow), total
