"""Orders for storage, and what they cost by part."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
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

from haulier.contexts.storage.storage_orders.contract.orders import ORDER_REF_MAX
from haulier.contexts.storage.storage_orders.contract.tariffs import CODE_MAX
from haulier.kernel.data.personal_data import ERASED, PersonKey, RecordKind, personal_data, plain_columns, retained
from haulier.kernel.data.statements import Row
from haulier.kernel.data.tables import Id, Json, UTCDateTime, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.fields import NAME_MAX, NOTE_MAX
from haulier.kernel.values.pagination import MAX_COUNT

orders = tenant_table(
    "storage_order",
    Column("customer_id", Id, nullable=False),
    Column("status", String(20), nullable=False),
    Column("quote_id", Id),
    Column("service_code", String(CODE_MAX), nullable=False),
    Column("service_name", String(NAME_MAX), nullable=False),
    Column("terms", Json, nullable=False),
    Column("order_ref", String(ORDER_REF_MAX)),
    Column("note", String(NOTE_MAX), nullable=False),
    Column("packages", Integer, nullable=False),
    Column("start_date", Date, nullable=False),
    Column("end_date", Date, nullable=False),
    Column("currency", String(3), nullable=False),
    Column("stored_minor", BigInteger, nullable=False),
    Column("price_minor", BigInteger, nullable=False),
    Column("owed_minor", BigInteger, nullable=False),
    Column("paid_minor", BigInteger, nullable=False),
    Column("payments", Integer, nullable=False),
    Column("transfer_id", Id),
    Column("charged_to", Date),
    Column("created_at", UTCDateTime, nullable=False),
    Column("confirmed_at", UTCDateTime),
    Column("ended_at", UTCDateTime),
    UniqueConstraint("client_id", "quote_id"),
    Index("ix_storage_order_customer", "client_id", "customer_id"),
    Index("ix_storage_order_status", "client_id", "status"),
)
charges = tenant_table(
    "storage_charge",
    Column("storage_order_id", Id, nullable=False),
    Column("kind", String(10), nullable=False),
    Column("period_start", Date, nullable=False),
    Column("period_end", Date, nullable=False),
    Column("amount_minor", BigInteger, nullable=False),
    Column("created_at", UTCDateTime, nullable=False),
    UniqueConstraint("client_id", "storage_order_id", "kind", "period_end"),
)
plain_columns(orders, "status", "service_code", "service_name", "terms", "currency")
plain_columns(charges, "kind")
personal_data(
    orders,
    RecordKind.STORAGE_ORDERS,
    by={"customer_id": PersonKey.USER},
    erased={"order_ref": None, "note": ERASED},
    in_use=orders.c.ended_at.is_(None),
)
retained(
    RecordKind.STORAGE_ORDERS,
    orders.c.ended_at,
    default_days=730,
    minimum_days=30,
    children=(charges.c.storage_order_id,),
)
_by_id = select(orders).where(orders.c.id == bindparam("storage_order"))
_by_id_locked = _by_id.with_for_update()
_by_quote = select(orders).where(orders.c.quote_id == bindparam("quote"))
_charges = select(charges).where(charges.c.storage_order_id == bindparam("storage_order")).order_by(charges.c.id)


class StorageOrderRow(Row):
    """An order for storage."""

    id: int
    customer_id: int
    status: str
    quote_id: int | None
    service_code: str
    service_name: str
    terms: dict[str, Any]
    order_ref: str | None
    note: str
    packages: int
    start_date: date
    end_date: date
    currency: str
    stored_minor: int
    price_minor: int
    owed_minor: int
    paid_minor: int
    payments: int
    transfer_id: int | None
    charged_to: date | None
    created_at: datetime
    confirmed_at: datetime | None
    ended_at: datetime | None


class StorageChargeRow(Row):
    """A part of what an order costs."""

    id: int
    kind: str
    period_start: date
    period_end: date
    amount_minor: int


async def insert_order(work: UnitOfWork, **values: Any) -> int:
    """Write an order. Returns its id. Raises `UniqueConflict` for a quote that made one before."""
    return await work.insert(orders, **values)


async def update_order(work: UnitOfWork, storage_order_id: int, values: Mapping[str, Any]) -> None:
    """Change columns of an order."""
    changed = update(orders).where(orders.c.id == bindparam("storage_order")).values(**values)
    await work.run(changed, storage_order=storage_order_id)


async def get_order_row(work: UnitOfWork, storage_order_id: int, *, lock: bool = False) -> StorageOrderRow | None:
    """An order, or None."""
    return await work.first(_by_id_locked if lock else _by_id, StorageOrderRow, storage_order=storage_order_id)


async def get_order_of_quote(work: UnitOfWork, quote_id: int) -> StorageOrderRow | None:
    """The order that was made of a quote, or None."""
    return await work.first(_by_quote, StorageOrderRow, quote=quote_id)


async def insert_charge(work: UnitOfWork, **values: Any) -> None:
    """Add a part of what an order costs, once for each end of a period. Raises `UniqueConflict`."""
    await work.insert(charges, **values)


async def list_charge_rows(work: UnitOfWork, storage_order_id: int) -> Sequence[StorageChargeRow]:
    """What an order costs so far, by part, oldest first."""
    return await work.all(_charges, StorageChargeRow, storage_order=storage_order_id)


async def list_order_rows(
    work: UnitOfWork,
    wanted: Mapping[str, Any],
    *,
    start_from: date | None,
    start_to: date | None,
    limit: int,
    offset: int,
) -> tuple[Sequence[StorageOrderRow], int]:
    """A page of orders whose columns have these values, newest first, and how many there are, counted to one too many."""
    conditions: list[ColumnElement[bool]] = [orders.c[name] == value for name, value in wanted.items()]
    if start_from:
        conditions.append(orders.c.start_date >= start_from)
    if start_to:
        conditions.append(orders.c.start_date <= start_to)
    page = select(orders).where(*conditions).order_by(orders.c.id.desc())
    rows = await work.all(page.limit(limit).offset(offset), StorageOrderRow)
    counted = select(orders.c.id).where(*conditions).limit(MAX_COUNT + 1).subquery()
    return rows, await work.value(select(func.count()).select_from(counted))
