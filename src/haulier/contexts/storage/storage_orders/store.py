"""Tables and statements of storage orders."""

from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime
from typing import Annotated, Any

from sqlalchemy import (
    ColumnElement,
    Index,
    String,
    UniqueConstraint,
    bindparam,
    func,
    select,
    update,
)

from haulier.contexts.storage.storage_orders.contract import CODE_MAX, ORDER_REF_MAX
from haulier.kernel.data.personal_data import ERASED, PersonKey, RecordKind, personal_data, plain_columns, retained
from haulier.kernel.data.records import BigInt, Record, Reference
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.fields import NAME_MAX, NOTE_MAX
from haulier.kernel.values.pagination import MAX_COUNT


class StorageOrderRow(
    Record,
    table="storage_order",
    items=[
        UniqueConstraint("client_id", "quote_id"),
        Index("ix_storage_order_customer", "client_id", "customer_id"),
        Index("ix_storage_order_status", "client_id", "status"),
    ],
):
    """An order for storage."""

    customer_id: Reference
    status: Annotated[str, String(20)]
    quote_id: Reference | None
    service_code: Annotated[str, String(CODE_MAX)]
    service_name: Annotated[str, String(NAME_MAX)]
    terms: dict[str, Any]
    order_ref: Annotated[str, String(ORDER_REF_MAX)] | None
    note: Annotated[str, String(NOTE_MAX)]
    packages: int
    start_date: date
    end_date: date
    currency: Annotated[str, String(3)]
    stored_minor: BigInt
    price_minor: BigInt
    owed_minor: BigInt
    paid_minor: BigInt
    payments: int
    transfer_id: Reference | None
    charged_to: date | None
    created_at: datetime
    confirmed_at: datetime | None
    ended_at: datetime | None


orders = StorageOrderRow.table


class StorageChargeRow(
    Record, table="storage_charge", items=[UniqueConstraint("client_id", "storage_order_id", "kind", "period_end")]
):
    """A part of what an order costs."""

    storage_order_id: Reference
    kind: Annotated[str, String(10)]
    period_start: date
    period_end: date
    amount_minor: BigInt
    created_at: datetime


charges = StorageChargeRow.table
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
_charges = select(charges).where(charges.c.storage_order_id == bindparam("storage_order")).order_by(charges.c.id)


async def update_order(work: UnitOfWork, storage_order_id: int, values: Mapping[str, Any]) -> None:
    """Change columns of an order."""
    changed = update(orders).where(orders.c.id == bindparam("storage_order")).values(**values)
    await work.run(changed, storage_order=storage_order_id)


async def list_charge_rows(work: UnitOfWork, storage_order_id: int) -> Sequence[StorageChargeRow]:
    """Return the charges of an order, oldest first."""
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
    """Return a page of orders matching column values, newest first.

    Also returns the total, counted to one more than is shown.
    """
    conditions: list[ColumnElement[bool]] = [orders.c[name] == value for name, value in wanted.items()]
    if start_from:
        conditions.append(orders.c.start_date >= start_from)
    if start_to:
        conditions.append(orders.c.start_date <= start_to)
    page = select(orders).where(*conditions).order_by(orders.c.id.desc())
    rows = await work.all(page.limit(limit).offset(offset), StorageOrderRow)
    counted = select(orders.c.id).where(*conditions).limit(MAX_COUNT + 1).subquery()
    return rows, await work.value(select(func.count()).select_from(counted))


class StoredCustomerRow(Row):
    """A customer with storage orders in progress."""

    customer_id: int
    currency: str


_stored = orders.c.status == "stored"


async def list_stored_customers(
    work: UnitOfWork, *, customer_id: int | None, limit: int, offset: int
) -> tuple[Sequence[StoredCustomerRow], int]:
    """Return a page of customers with orders in progress, by currency, and the total."""
    page = select(orders.c.customer_id, orders.c.currency).where(_stored).distinct()
    if customer_id is not None:
        page = page.where(orders.c.customer_id == customer_id)
    total = await work.value(select(func.count()).select_from(page.subquery()))
    page = page.order_by(orders.c.customer_id, orders.c.currency).limit(limit).offset(offset)
    return await work.all(page, StoredCustomerRow), total


async def list_stored_orders(work: UnitOfWork, customer_ids: Collection[int]) -> Sequence[StorageOrderRow]:
    """Return the orders in progress of customers, by id."""
    page = select(orders).where(_stored, in_param(orders.c.customer_id, "customers")).order_by(orders.c.id)
    return await work.all(page, StorageOrderRow, customers=list(customer_ids)) if customer_ids else []


class StorageQuoteRow(Record, table="storage_quote", items=[Index("ix_storage_quote_created", "created_at")]):
    """A price for a wish, with the tariff that it was made with."""

    customer_id: Reference
    service_code: Annotated[str, String(CODE_MAX)]
    service_name: Annotated[str, String(NAME_MAX)]
    wish: dict[str, Any]
    terms: dict[str, Any]
    price_minor: BigInt
    created_at: datetime
    expires_at: datetime


quotes = StorageQuoteRow.table
personal_data(quotes, RecordKind.STORAGE_QUOTES, by={"customer_id": PersonKey.USER})
retained(RecordKind.STORAGE_QUOTES, quotes.c.created_at, default_days=7)


class TariffRow(Record, table="storage_tariff", items=[UniqueConstraint("client_id", "service_code")]):
    """A storage service and what it costs."""

    service_code: Annotated[str, String(CODE_MAX)]
    name: Annotated[str, String(NAME_MAX)]
    terms: dict[str, Any]
    active: bool
    updated_at: datetime


tariffs = TariffRow.table
plain_columns(tariffs, "service_code", "name", "terms")
_all = select(tariffs).order_by(tariffs.c.service_code)


async def upsert_tariff(work: UnitOfWork, **values: Any) -> None:
    """Insert or update the tariff of a service."""
    await work.upsert(tariffs, ("service_code",), **values)


async def list_tariff_rows(work: UnitOfWork) -> Sequence[TariffRow]:
    """Return all tariffs, by code."""
    return await work.all(_all, TariffRow)
