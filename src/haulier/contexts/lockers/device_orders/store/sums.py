"""Totals of device orders paid in a period."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, ColumnElement, String, bindparam, case, cast, distinct, func, select

from haulier.contexts.lockers.device_orders.rules import DeviceOrderStatus
from haulier.contexts.lockers.device_orders.store.tables import device_orders, lines, units
from haulier.kernel.data.statements import Row
from haulier.kernel.data.tables import UTCDateTime
from haulier.kernel.data.unit_of_work import UnitOfWork

_o = device_orders.c
_GROUPS: Mapping[str, ColumnElement[str]] = {
    "product": lines.c.product_code,
    "customer": cast(_o.customer_id, String),
}
_cancelled = case((_o.status == DeviceOrderStatus.CANCELLED.value, lines.c.quantity), else_=0)
_came_back = (
    select(func.count(units.c.id))
    .where(
        units.c.client_id == lines.c.client_id,
        units.c.device_order_id == lines.c.device_order_id,
        units.c.product_id == lines.c.product_id,
        units.c.returned_at.is_not(None),
    )
    .scalar_subquery()
)
_in_period = (
    _o.paid_at >= bindparam("begins", type_=UTCDateTime()),
    _o.paid_at < bindparam("ends", type_=UTCDateTime()),
)


class DeviceOrderSumsRow(Row):
    """Totals of a product or customer in one currency."""

    key: str
    currency: str
    orders: int
    pieces: int
    gross_minor: int
    cancelled_pieces: int
    returned_pieces: int


class DeviceRefundRow(Row):
    """Refunds in one currency."""

    currency: str
    refunded_minor: int


async def list_device_order_sums(
    work: UnitOfWork, group: str, begins: datetime, ends: datetime, *, most: int
) -> Sequence[DeviceOrderSumsRow]:
    """Sum payments in [begins, ends) by product or customer, highest first."""
    key, gross = _GROUPS[group], func.sum(lines.c.quantity * lines.c.unit_price_minor)
    sums = (
        select(
            key.label("key"),
            _o.currency,
            func.count(distinct(_o.id)).label("orders"),
            _whole(lines.c.quantity, "pieces"),
            cast(gross, BigInteger).label("gross_minor"),
            _whole(_cancelled, "cancelled_pieces"),
            _whole(_came_back, "returned_pieces"),
        )
        .join_from(device_orders, lines, (lines.c.client_id == _o.client_id) & (lines.c.device_order_id == _o.id))
        .where(*_in_period)
        .group_by(key, _o.currency)
        .order_by(gross.desc(), key)
        .limit(most)
    )
    return await work.all(sums, DeviceOrderSumsRow, begins=begins, ends=ends)


async def list_device_refunds(work: UnitOfWork, begins: datetime, ends: datetime) -> Sequence[DeviceRefundRow]:
    """Sum the refunds of orders paid in a period, by currency."""
    refunds = (
        select(_o.currency, _whole(_o.refunded_minor, "refunded_minor"))
        .where(*_in_period)
        .group_by(_o.currency)
        .order_by(_o.currency)
    )
    return await work.all(refunds, DeviceRefundRow, begins=begins, ends=ends)


def _whole(counted: Any, name: str) -> Any:
    return cast(func.coalesce(func.sum(counted), 0), BigInteger).label(name)
