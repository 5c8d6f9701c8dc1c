"""Orders, each with the local order or the shipment that carries it out."""

from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime
from typing import Any

from sqlalchemy import Column, ColumnElement, Date, Index, String, UniqueConstraint, bindparam, func, select, update

from haulier.kernel.data.personal_data import RecordKind, plain_columns, retained
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.tables import Id, UTCDateTime, announce_writes, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork

UNIORDERS_CHANNEL = "uniorders"
"""The channel of notices that a client has orders, or others than before; that they moved is not told."""

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
announce_writes(uniorders, UNIORDERS_CHANNEL, silent_columns=("status", "updated_at"))
retained(RecordKind.SHIPMENTS, uniorders.c.created_at, default_days=730, minimum_days=30)
_by_ids = select(uniorders).where(in_param(uniorders.c.id, "ids"))
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
    """Write an order; None where its claim is taken, once the call that took it has ended."""
    written = await work.insert_new(uniorders, [values], UniorderRow)
    return written[0] if written else None


async def has_uniorders(work: UnitOfWork) -> bool:
    """Whether the client has any order."""
    return await work.value(_any) is not None


async def list_uniorders_by_id(work: UnitOfWork, ids: Collection[int]) -> dict[int, UniorderRow]:
    """Orders by id."""
    return {row.id: row for row in await work.all(_by_ids, UniorderRow, ids=sorted(set(ids)))} if ids else {}


async def get_uniorder_row(work: UnitOfWork, id: int) -> UniorderRow | None:
    """An order, or None."""
    return (await list_uniorders_by_id(work, [id])).get(id)


async def lock_claimed_uniorder(work: UnitOfWork, claim: str) -> UniorderRow | None:
    """The order of a claim, locked until the transaction ends; or None."""
    return await work.first(_by_claim, UniorderRow, claim=claim)


async def update_uniorder(work: UnitOfWork, id: int, values: Mapping[str, Any]) -> None:
    """Change an order."""
    await work.run(update(uniorders).where(uniorders.c.id == bindparam("uniorder")).values(**values), uniorder=id)


async def set_status_by(work: UnitOfWork, column: str, ids: Collection[int], status: str, now: datetime) -> None:
    """Change the status of what some local orders or shipments carry out; `column` says which."""
    await work.run(_set_status[column], ids=sorted(set(ids)), new_status=status, now=now)


async def list_uniorder_rows(
    work: UnitOfWork, conditions: Sequence[ColumnElement[bool]], limit: int, offset: int, most: int
) -> tuple[list[UniorderRow], int]:
    """A page of orders, newest first, and how many there are, counted up to `most`."""
    page = select(uniorders).where(*conditions).order_by(uniorders.c.id.desc()).limit(limit).offset(offset)
    counted = select(uniorders.c.id).where(*conditions).limit(most).subquery()
    total = await work.value(select(func.count()).select_from(counted))
    return await work.all(page, UniorderRow), total
