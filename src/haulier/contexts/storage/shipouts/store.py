"""The table of ship-outs and its statements."""

from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime
from typing import Any

from sqlalchemy import BigInteger, Column, ColumnElement, Date, Index, String, bindparam, func, select, update

from haulier.contexts.storage.shipouts.contract import NUMBER_MAX
from haulier.contexts.storage.storage_orders.contract.orders import ORDER_REF_MAX
from haulier.kernel.data.personal_data import (
    ERASED,
    PersonKey,
    RecordKind,
    personal_data,
    plain_columns,
    redacted,
    retained,
)
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.tables import VOLATILE, Id, Json, UTCDateTime, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.fields import NAME_MAX, NOTE_MAX
from haulier.kernel.values.pagination import MAX_COUNT

FAULT_MAX = 500

shipouts = tenant_table(
    "shipout",
    Column("customer_id", Id, nullable=False),
    Column("status", String(20), nullable=False),
    Column("service_id", Id, nullable=False),
    Column("service_code", String(40), nullable=False),
    Column("service_name", String(NAME_MAX), nullable=False),
    Column("shipout_ref", String(ORDER_REF_MAX)),
    Column("consignee", Json, nullable=False),
    Column("consignee_name", String(200), nullable=False),
    Column("consignee_email", String(254)),
    Column("consignee_phone", String(50)),
    Column("parcels", Json, nullable=False),
    Column("inbound_parcels", Json),
    Column("form_values", Json, nullable=False),
    Column("note", String(NOTE_MAX), nullable=False),
    Column("scheduled_date", Date),
    Column("price", Json, nullable=False),
    Column("price_minor", BigInteger, nullable=False),
    Column("paid_minor", BigInteger, nullable=False),
    Column("currency", String(3), nullable=False),
    Column("transfer_id", Id),
    Column("fulfilment", String(20)),
    Column("order_id", Id),
    Column("shipment_id", Id),
    Column("label_fault", String(FAULT_MAX)),
    Column("tracking_number", String(NUMBER_MAX), info=VOLATILE),
    Column("created_at", UTCDateTime, nullable=False),
    Column("confirmed_at", UTCDateTime),
    Column("ended_at", UTCDateTime),
    Index("ix_shipout_customer", "client_id", "customer_id"),
    Index("ix_shipout_status", "client_id", "status"),
    Index("ix_shipout_tracking_number", "client_id", "tracking_number"),
    Index("ix_shipout_order", "client_id", "order_id"),
    Index("ix_shipout_shipment", "client_id", "shipment_id"),
)
plain_columns(
    shipouts,
    *(
        "status",
        "service_code",
        "service_name",
        "parcels",
        "inbound_parcels",
        "price",
        "currency",
        "fulfilment",
        "tracking_number",
        "label_fault",
    ),
)
personal_data(
    shipouts,
    RecordKind.STORAGE_ORDERS,
    by={
        "customer_id": PersonKey.USER,
        "consignee_name": PersonKey.NAME,
        "consignee_email": PersonKey.EMAIL,
        "consignee_phone": PersonKey.PHONE,
    },
    erased={
        "shipout_ref": None,
        "consignee": lambda row, keys: redacted(row.consignee),
        "consignee_name": ERASED,
        "consignee_email": None,
        "consignee_phone": None,
        "form_values": lambda row, keys: redacted(row.form_values),
        "note": ERASED,
    },
    in_use=shipouts.c.ended_at.is_(None),
)
retained(RecordKind.STORAGE_ORDERS, shipouts.c.ended_at, default_days=730, minimum_days=30)
_by_id = select(shipouts).where(shipouts.c.id == bindparam("shipout"))
_by_id_locked = _by_id.with_for_update()
_by_order = select(shipouts).where(shipouts.c.order_id == bindparam("delivery")).with_for_update()
_by_shipment = select(shipouts).where(shipouts.c.shipment_id == bindparam("shipment")).with_for_update()
_deliveries = select(shipouts.c.order_id).where(in_param(shipouts.c.order_id, "deliveries"))


class ShipoutRow(Row):
    """A ship-out."""

    id: int
    customer_id: int
    status: str
    service_id: int
    service_code: str
    service_name: str
    shipout_ref: str | None
    consignee: dict[str, Any]
    consignee_name: str
    parcels: list[list[int]]
    inbound_parcels: list[list[int]] | None
    form_values: dict[str, Any]
    note: str
    scheduled_date: date | None
    price: dict[str, Any]
    price_minor: int
    paid_minor: int
    currency: str
    transfer_id: int | None
    fulfilment: str | None
    order_id: int | None
    shipment_id: int | None
    label_fault: str | None
    tracking_number: str | None
    created_at: datetime
    confirmed_at: datetime | None
    ended_at: datetime | None


async def insert_shipout(work: UnitOfWork, **values: Any) -> int:
    """Write a ship-out. Returns its id."""
    return await work.insert(shipouts, **values)


async def update_shipout(work: UnitOfWork, shipout_id: int, values: Mapping[str, Any]) -> None:
    """Change columns of a ship-out."""
    await work.run(update(shipouts).where(shipouts.c.id == bindparam("shipout")).values(**values), shipout=shipout_id)


async def get_shipout_row(work: UnitOfWork, shipout_id: int, *, lock: bool = False) -> ShipoutRow | None:
    """A ship-out, or None."""
    return await work.first(_by_id_locked if lock else _by_id, ShipoutRow, shipout=shipout_id)


async def lock_shipout_of_delivery(work: UnitOfWork, order_id: int) -> ShipoutRow | None:
    """The ship-out that became a local delivery, or None."""
    return await work.first(_by_order, ShipoutRow, delivery=order_id)


async def lock_shipout_of_shipment(work: UnitOfWork, shipment_id: int) -> ShipoutRow | None:
    """The ship-out whose label a shipment is, or None."""
    return await work.first(_by_shipment, ShipoutRow, shipment=shipment_id)


async def list_deliveries_of_shipouts(work: UnitOfWork, order_ids: Collection[int]) -> list[int]:
    """Those of some local deliveries that ship-outs became."""
    return [row.order_id for row in await work.all(_deliveries, deliveries=sorted(order_ids))]


async def list_shipout_rows(
    work: UnitOfWork, wanted: Mapping[str, Any], *, limit: int, offset: int
) -> tuple[Sequence[ShipoutRow], int]:
    """A page of ship-outs whose columns have these values, newest first, and how many, counted to one too many."""
    conditions: list[ColumnElement[bool]] = [shipouts.c[name] == value for name, value in wanted.items()]
    page = select(shipouts).where(*conditions).order_by(shipouts.c.id.desc())
    rows = await work.all(page.limit(limit).offset(offset), ShipoutRow)
    counted = select(shipouts.c.id).where(*conditions).limit(MAX_COUNT + 1).subquery()
    return rows, await work.value(select(func.count()).select_from(counted))
