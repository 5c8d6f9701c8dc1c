"""Table of freight shipments and its statements."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any

from sqlalchemy import Column, ColumnElement, Index, String, UniqueConstraint, func, or_, select

from haulier.contexts.freight.shipments.contract import CARRIER_MAX, PRO_MAX
from haulier.contexts.freight.shipments.rules import OVER
from haulier.kernel.data.personal_data import (
    ERASED,
    PersonKey,
    RecordKind,
    personal_data,
    plain_columns,
    redacted,
)
from haulier.kernel.data.records import BigInt, Record, Reference
from haulier.kernel.data.statements import in_param
from haulier.kernel.data.tables import VOLATILE
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.fields import REASON_MAX
from haulier.kernel.values.pagination import MAX_COUNT


class FreightShipmentRow(
    Record,
    table="freight_shipment",
    items=[
        UniqueConstraint("client_id", "claim_key"),
        UniqueConstraint("client_id", "tracking_number"),
        Index("ix_freight_shipment_status", "client_id", "status", "id"),
        Index("ix_freight_shipment_customer", "client_id", "customer_id", "id"),
        Index("ix_freight_shipment_order", "client_id", "order_id", "id"),
        Index("ix_freight_shipment_pro", "client_id", "pro_number"),
    ],
):
    """A freight shipment.

    `parties` are shipper, consignee and payer. `handling_units` have their class. `created_as` are digests of the
    fields of the first request, to compare repeats.
    """

    customer_id: Reference | None
    order_id: Reference | None
    status: Annotated[str, String(30)]
    claim_key: Annotated[str, String(130)] | None
    shipment_ref: Annotated[str, String(100)] | None
    created_as: dict[str, Any]
    tracking_number: Annotated[str, Column("tracking_number", String(40), nullable=False, info=VOLATILE)]
    carrier: Annotated[str, String(CARRIER_MAX)] | None
    pro_number: Annotated[str, String(PRO_MAX)] | None
    freight_terms: Annotated[str, String(20)]
    parties: dict[str, Any]
    shipper_city: Annotated[str, String(200)]
    consignee_name: Annotated[str, String(200)]
    consignee_city: Annotated[str, String(200)]
    consignee_email: Annotated[str, String(254)] | None
    consignee_phone: Annotated[str, String(50)] | None
    handling_units: list[dict[str, Any]]
    units: int
    weight_g: BigInt
    accessorials: list[str]
    declared_value_minor: BigInt | None
    purchase_order: Annotated[str, String(200)] | None
    instructions: Annotated[str, String(2000)] | None
    emergency_phone: Annotated[str, String(50)] | None
    appointments: dict[str, Any]
    receipt: dict[str, Any] | None
    price: dict[str, Any] | None
    price_minor: BigInt | None
    currency: Annotated[str, String(3)]
    transfer_id: Reference | None
    charged_minor: BigInt | None
    created_at: datetime
    updated_at: datetime
    tendered_at: datetime | None
    accepted_at: datetime | None
    picked_up_at: datetime | None
    delivered_at: datetime | None
    cancelled_at: datetime | None
    cancel_reason: Annotated[str, String(REASON_MAX)] | None


shipments = FreightShipmentRow.table
plain_columns(
    shipments,
    *("status", "created_as", "tracking_number", "carrier", "pro_number", "freight_terms", "shipper_city"),
    *("handling_units", "accessorials", "price", "currency", "consignee_city"),
)
personal_data(
    shipments,
    RecordKind.SHIPMENTS,
    by={
        "customer_id": PersonKey.USER,
        "consignee_name": PersonKey.NAME,
        "consignee_email": PersonKey.EMAIL,
        "consignee_phone": PersonKey.PHONE,
    },
    erased={
        "claim_key": None,
        "shipment_ref": None,
        "parties": lambda row, keys: redacted(row.parties),
        "consignee_name": ERASED,
        "consignee_email": None,
        "consignee_phone": None,
        "purchase_order": None,
        "instructions": None,
        "emergency_phone": None,
        "appointments": {},
        "receipt": lambda row, keys: None if row.receipt is None else {**row.receipt, "received_by": ERASED},
        "cancel_reason": None,
    },
    in_use=shipments.c.status.not_in(sorted(each.value for each in OVER)),
)
_s = shipments.c
_of_orders = select(shipments).where(in_param(_s.order_id, "orders")).order_by(_s.id.desc())


async def insert_shipment(work: UnitOfWork, values: Mapping[str, Any]) -> FreightShipmentRow | None:
    """Insert a shipment. Return None if its reference is taken."""
    rows = await work.insert_new(shipments, [values], FreightShipmentRow)
    return rows[0] if rows else None


async def list_shipments_of_orders(work: UnitOfWork, order_ids: Collection[int]) -> Sequence[FreightShipmentRow]:
    """Return the freight shipments of orders, newest first."""
    return await work.all(_of_orders, FreightShipmentRow, orders=sorted(order_ids)) if order_ids else []


async def list_shipment_rows(
    work: UnitOfWork, wanted: Mapping[str, Any], number: str | None, *, limit: int, offset: int
) -> tuple[Sequence[FreightShipmentRow], int]:
    """Return a page of matching shipments, newest first, and their count.

    Counting stops one above `MAX_COUNT`.
    """
    where: list[ColumnElement[bool]] = [_s[name] == value for name, value in wanted.items()]
    if number is not None:
        where.append(or_(_s.tracking_number == number.upper(), _s.pro_number == number))
    page = select(shipments).where(*where).order_by(_s.id.desc()).limit(limit).offset(offset)
    counted = select(_s.id).where(*where).limit(MAX_COUNT + 1).subquery()
    return await work.all(page, FreightShipmentRow), await work.value(select(func.count()).select_from(counted))
