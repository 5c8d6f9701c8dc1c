"""The table of ship-outs and its statements."""

from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime
from typing import Annotated, Any

from sqlalchemy import Column, ColumnElement, Index, String, bindparam, func, select

from haulier.contexts.storage.shipouts.contract import NUMBER_MAX
from haulier.contexts.storage.storage_orders.contract import ORDER_REF_MAX
from haulier.kernel.data.personal_data import (
    ERASED,
    PersonKey,
    RecordKind,
    personal_data,
    plain_columns,
    redacted,
    retained,
)
from haulier.kernel.data.records import BigInt, Record, Reference
from haulier.kernel.data.statements import in_param
from haulier.kernel.data.tables import VOLATILE
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.fields import NAME_MAX, NOTE_MAX
from haulier.kernel.values.pagination import MAX_COUNT

FAULT_MAX = 500


class ShipoutRow(
    Record,
    table="shipout",
    items=[
        Index("ix_shipout_customer", "client_id", "customer_id"),
        Index("ix_shipout_status", "client_id", "status"),
        Index("ix_shipout_tracking_number", "client_id", "tracking_number"),
        Index("ix_shipout_order", "client_id", "order_id"),
        Index("ix_shipout_shipment", "client_id", "shipment_id"),
    ],
):
    """A ship-out."""

    customer_id: Reference
    status: Annotated[str, String(20)]
    service_id: Reference
    service_code: Annotated[str, String(40)]
    service_name: Annotated[str, String(NAME_MAX)]
    shipout_ref: Annotated[str, String(ORDER_REF_MAX)] | None
    consignee: dict[str, Any]
    consignee_name: Annotated[str, String(200)]
    consignee_email: Annotated[str, String(254)] | None
    consignee_phone: Annotated[str, String(50)] | None
    parcels: list[list[int]]
    inbound_parcels: list[list[int]] | None
    form_values: dict[str, Any]
    note: Annotated[str, String(NOTE_MAX)]
    scheduled_date: date | None
    price: dict[str, Any]
    price_minor: BigInt
    paid_minor: BigInt
    currency: Annotated[str, String(3)]
    transfer_id: Reference | None
    fulfilment: Annotated[str, String(20)] | None
    order_id: Reference | None
    shipment_id: Reference | None
    label_fault: Annotated[str, String(FAULT_MAX)] | None
    tracking_number: Annotated[str | None, Column("tracking_number", String(NUMBER_MAX), info=VOLATILE)]
    created_at: datetime
    confirmed_at: datetime | None
    ended_at: datetime | None


shipouts = ShipoutRow.table
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
_by_order = select(shipouts).where(shipouts.c.order_id == bindparam("delivery")).with_for_update()
_by_shipment = select(shipouts).where(shipouts.c.shipment_id == bindparam("shipment")).with_for_update()
_deliveries = select(shipouts.c.order_id).where(in_param(shipouts.c.order_id, "deliveries"))


async def lock_shipout_of_delivery(work: UnitOfWork, order_id: int) -> ShipoutRow | None:
    """Return the ship-out that became a local delivery, or None."""
    return await work.first(_by_order, ShipoutRow, delivery=order_id)


async def lock_shipout_of_shipment(work: UnitOfWork, shipment_id: int) -> ShipoutRow | None:
    """Return the ship-out of a shipment, or None."""
    return await work.first(_by_shipment, ShipoutRow, shipment=shipment_id)


async def list_deliveries_of_shipouts(work: UnitOfWork, order_ids: Collection[int]) -> list[int]:
    """Return the local deliveries that belong to ship-outs."""
    return [row.order_id for row in await work.all(_deliveries, deliveries=sorted(order_ids))]


async def list_shipout_rows(
    work: UnitOfWork, wanted: Mapping[str, Any], *, limit: int, offset: int
) -> tuple[Sequence[ShipoutRow], int]:
    """Return a page of ship-outs matching column values, newest first.

    Also returns the total, counted to one more than is shown.
    """
    conditions: list[ColumnElement[bool]] = [shipouts.c[name] == value for name, value in wanted.items()]
    page = select(shipouts).where(*conditions).order_by(shipouts.c.id.desc())
    rows = await work.all(page.limit(limit).offset(offset), ShipoutRow)
    counted = select(shipouts.c.id).where(*conditions).limit(MAX_COUNT + 1).subquery()
    return rows, await work.value(select(func.count()).select_from(counted))
