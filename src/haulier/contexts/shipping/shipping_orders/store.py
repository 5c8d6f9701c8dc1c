"""Shipping orders."""

from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    ColumnElement,
    Date,
    Index,
    String,
    UniqueConstraint,
    bindparam,
    func,
    select,
    update,
)

from haulier.kernel.data.personal_data import PersonKey, RecordKind, personal_data, retained
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.tables import Id, Json, UTCDateTime, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.fields import NAME_MAX, NOTE_MAX, REASON_MAX

orders = tenant_table(
    "shipping_order",
    Column("customer_id", Id, nullable=False),
    Column("state", String(20), nullable=False),
    Column("service_id", Id, nullable=False),
    Column("service_code", String(40), nullable=False),
    Column("service_name", String(NAME_MAX), nullable=False),
    Column("kind", String(20), nullable=False),
    Column("price_family", String(20), nullable=False),
    Column("fulfilment", Json, nullable=False),
    Column("carrier_account_id", Id),
    Column("carrier_service", String(60)),
    Column("order_ref", String(100)),
    Column("terms", Json, nullable=False),
    Column("consignee_name", String(200), nullable=False),
    Column("consignee_city", String(200), nullable=False),
    Column("consignee_email", String(254)),
    Column("consignee_phone", String(50)),
    Column("scheduled_date", Date),
    Column("note", String(NOTE_MAX)),
    Column("quote_id", Id),
    Column("price", Json, nullable=False),
    Column("currency", String(3), nullable=False),
    Column("total_minor", BigInteger, nullable=False),
    Column("paid_minor", BigInteger, nullable=False),
    Column("transfer_id", Id),
    Column("order_id", Id),
    Column("shipment_id", Id),
    Column("label_fault", String(500)),
    Column("tracking_number", String(64)),
    Column("created_by", Id),
    Column("created_at", UTCDateTime, nullable=False),
    Column("updated_at", UTCDateTime, nullable=False),
    Column("confirmed_at", UTCDateTime),
    Column("completed_at", UTCDateTime),
    Column("cancelled_at", UTCDateTime),
    Column("cancel_reason", String(REASON_MAX)),
    UniqueConstraint("client_id", "customer_id", "order_ref"),
    Index("ix_shipping_order_customer", "client_id", "customer_id", "id"),
    Index("ix_shipping_order_state", "client_id", "state", "id"),
    Index("ix_shipping_order_order", "client_id", "order_id"),
    Index("ix_shipping_order_shipment", "client_id", "shipment_id"),
    CheckConstraint("paid_minor BETWEEN 0 AND total_minor", name="paid"),
)
"""Orders of services at their price. `terms` is the customer's request as sent."""
personal_data(
    orders,
    RecordKind.SHIPMENTS,
    by={
        "customer_id": PersonKey.USER,
        "consignee_name": PersonKey.NAME,
        "consignee_email": PersonKey.EMAIL,
        "consignee_phone": PersonKey.PHONE,
    },
    in_use=orders.c.state.in_(["pending", "confirmed", "in_progress"]),
)
retained(
    RecordKind.SHIPMENTS,
    orders.c.created_at,
    default_days=730,
    minimum_days=30,
    only=orders.c.state.in_(["completed", "cancelled"]),
)

_o = orders.c
_by_id = select(orders).where(_o.id == bindparam("shipping_order"))
_by_id_locked = _by_id.with_for_update()
_by_ref = select(orders).where(_o.customer_id == bindparam("customer"), _o.order_ref == bindparam("ref"))
_by_order = select(orders).where(_o.order_id == bindparam("local_order")).with_for_update()
_deliveries = select(_o.order_id).where(in_param(_o.order_id, "local_orders"))
_by_shipment = select(orders).where(_o.shipment_id == bindparam("shipment")).with_for_update()


class ShippingOrderRow(Row):
    """A shipping order."""

    id: int
    customer_id: int
    state: str
    service_id: int
    service_code: str
    service_name: str
    kind: str
    price_family: str
    fulfilment: list[str]
    carrier_account_id: int | None
    carrier_service: str | None
    order_ref: str | None
    terms: dict[str, Any]
    consignee_name: str
    consignee_city: str
    scheduled_date: date | None
    note: str | None
    quote_id: int | None
    price: dict[str, Any]
    currency: str
    total_minor: int
    paid_minor: int
    transfer_id: int | None
    order_id: int | None
    shipment_id: int | None
    label_fault: str | None
    tracking_number: str | None
    created_at: datetime
    updated_at: datetime
    confirmed_at: datetime | None
    completed_at: datetime | None
    cancelled_at: datetime | None
    cancel_reason: str | None


async def insert_shipping_order(work: UnitOfWork, values: Mapping[str, Any]) -> int | None:
    """Insert an order. Return its id, or None if its reference is taken."""
    rows = await work.insert_new(orders, [values], ShippingOrderRow)
    return rows[0].id if rows else None


async def update_shipping_order_row(work: UnitOfWork, id: int, values: Mapping[str, Any]) -> None:
    """Change columns of an order."""
    changed = update(orders).where(_o.id == bindparam("shipping_order")).values(**values)
    await work.run(changed, shipping_order=id)


async def get_shipping_order_row(work: UnitOfWork, id: int, *, lock: bool = False) -> ShippingOrderRow | None:
    """Return an order, or None."""
    return await work.first(_by_id_locked if lock else _by_id, ShippingOrderRow, shipping_order=id)


async def find_shipping_order_row(work: UnitOfWork, customer_id: int, order_ref: str) -> ShippingOrderRow | None:
    """Return a customer's order by its reference, or None."""
    return await work.first(_by_ref, ShippingOrderRow, customer=customer_id, ref=order_ref)


async def lock_order_of_delivery(work: UnitOfWork, order_id: int) -> ShippingOrderRow | None:
    """Return the order that became a local delivery, or None."""
    return await work.first(_by_order, ShippingOrderRow, local_order=order_id)


async def list_deliveries_of_orders(work: UnitOfWork, order_ids: Collection[int]) -> list[int]:
    """Return the local deliveries that belong to shipping orders."""
    return [row.order_id for row in await work.all(_deliveries, local_orders=sorted(order_ids))]


async def lock_order_of_shipment(work: UnitOfWork, shipment_id: int) -> ShippingOrderRow | None:
    """Return the order that became a label, or None."""
    return await work.first(_by_shipment, ShippingOrderRow, shipment=shipment_id)


async def list_shipping_order_rows(
    work: UnitOfWork, conditions: Sequence[ColumnElement[bool]], *, limit: int, offset: int, most: int
) -> tuple[Sequence[ShippingOrderRow], int]:
    """Return a page of orders, newest first, and their total, up to `most`."""
    page = select(orders).where(*conditions).order_by(_o.id.desc()).limit(limit).offset(offset)
    counted = select(_o.id).where(*conditions).limit(most).subquery()
    total = await work.value(select(func.count()).select_from(counted))
    return await work.all(page, ShippingOrderRow), total
