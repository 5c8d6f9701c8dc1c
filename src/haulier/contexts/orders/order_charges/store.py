"""Table and statements of order charges."""

from collections.abc import Collection, Sequence
from datetime import date, datetime
from typing import Annotated, Any

from sqlalchemy import BigInteger, Index, String, UniqueConstraint, bindparam, cast, func, select, text

from haulier.contexts.orders.delivery_orders.store.tables import orders
from haulier.kernel.data.personal_data import PersonKey, RecordKind, personal_data
from haulier.kernel.data.records import BigInt, Record, Reference
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.unit_of_work import UnitOfWork

_IS_OPEN = text("due_minor > charged_minor")


class OrderChargeRow(
    Record,
    table="order_charge",
    items=[
        UniqueConstraint("client_id", "order_id"),
        Index("ix_order_charge_open", "client_id", "id", sqlite_where=_IS_OPEN, postgresql_where=_IS_OPEN),
    ],
):
    """Amount owed by the customer of an order, and amount charged.

    `at_creation` is true if the order was charged before its delivery. `postings` numbers the ledger keys of the order;
    `transfers` are its charges, oldest first.
    """

    order_id: Reference
    customer_id: Reference
    currency: Annotated[str, String(3)]
    due_minor: BigInt
    charged_minor: BigInt
    at_creation: bool | None
    postings: int
    transfers: list[int]
    serviced_on: date | None
    updated_at: datetime


charges = OrderChargeRow.table
personal_data(
    charges,
    RecordKind.ORDER_CONTACTS,
    by={"customer_id": PersonKey.USER},
    erased={},
    plain=("currency", "transfers"),
)


class UnchargedRow(Row):
    """Delivered order that is not charged in full."""

    id: int
    order_id: int
    customer_id: int
    order_ref: str | None
    tracking_number: str
    currency: str
    left_minor: int
    serviced_on: date | None


class UnchargedSumRow(Row):
    """Uncharged orders of one currency."""

    currency: str
    orders: int
    left_minor: int


class PendingRow(Row):
    """Delivered order that is not charged, with its price."""

    order_id: int
    customer_id: int
    currency: str
    left_minor: int
    price: dict[str, Any] | None


class PendingSumRow(Row):
    """Uncharged orders of a customer in one currency."""

    customer_id: int
    currency: str
    charges: int
    amount_minor: int


_c = charges.c
_left = _c.due_minor - _c.charged_minor
_open = _c.due_minor > _c.charged_minor
_customer = bindparam("customer", type_=_c.customer_id.type)
_wanted = (_open, _customer.is_(None) | (_c.customer_id == _customer))
_listed = (
    select(
        *(_c.id, _c.order_id, _c.customer_id, orders.c.order_ref, orders.c.tracking_number, _c.currency),
        *(_left.label("left_minor"), _c.serviced_on),
    )
    .join_from(charges, orders, orders.c.id == _c.order_id)
    .where(*_wanted, _c.id > bindparam("after", type_=_c.id.type))
    .order_by(_c.id)
    .limit(bindparam("most"))
)
_sums = (
    select(
        _c.currency,
        func.count().label("orders"),
        cast(func.sum(_left), BigInteger).label("left_minor"),
    )
    .where(*_wanted)
    .group_by(_c.currency)
    .order_by(_c.currency)
)

_pending_until = (_open, _c.serviced_on <= bindparam("until", type_=_c.serviced_on.type))
_pending = (
    select(_c.order_id, _c.customer_id, _c.currency, _left.label("left_minor"), orders.c.price)
    .join_from(charges, orders, orders.c.id == _c.order_id)
    .where(*_pending_until, in_param(_c.customer_id, "customers"))
    .order_by(_c.id)
)
_pending_sums = (
    select(
        _c.customer_id,
        _c.currency,
        func.count().label("charges"),
        cast(func.sum(_left), BigInteger).label("amount_minor"),
    )
    .where(*_pending_until)
    .group_by(_c.customer_id, _c.currency)
)
_early = select(_c.order_id).where(in_param(_c.order_id, "orders"), _c.at_creation.is_(True))


async def list_early_charged(work: UnitOfWork, order_ids: Sequence[int]) -> Sequence[int]:
    """Return the orders that were charged before their delivery."""
    return [row.order_id for row in await work.all(_early, orders=list(order_ids))]


async def list_uncharged_rows(
    work: UnitOfWork, *, customer_id: int | None, after: int, most: int
) -> Sequence[UnchargedRow]:
    """Return delivered orders not charged in full, oldest first, after a record."""
    return await work.all(_listed, UnchargedRow, customer=customer_id, after=after, most=most)


async def sum_uncharged(work: UnitOfWork, *, customer_id: int | None) -> Sequence[UnchargedSumRow]:
    """Return the number and sum of uncharged orders by currency."""
    return await work.all(_sums, UnchargedSumRow, customer=customer_id)


async def list_pending_rows(work: UnitOfWork, customer_ids: Collection[int], until: date) -> Sequence[PendingRow]:
    """Return uncharged orders of customers, delivered up to a day, with their prices."""
    return await work.all(_pending, PendingRow, customers=list(customer_ids), until=until)


async def sum_pending(work: UnitOfWork, until: date) -> Sequence[PendingSumRow]:
    """Return sums of uncharged orders by customer and currency, up to a day."""
    return await work.all(_pending_sums, PendingSumRow, until=until)
