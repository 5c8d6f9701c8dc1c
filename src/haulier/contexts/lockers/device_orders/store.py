"""Tables of device orders: catalogue, orders, lines, shipped devices and returns."""

from datetime import datetime
from typing import Annotated, Any

from sqlalchemy import Column, Index, String, UniqueConstraint

from haulier.contexts.lockers.device_orders.contract.orders import DEVICE_ORDER_REF_MAX, TRACKING_MAX
from haulier.contexts.lockers.device_orders.contract.products import PRODUCT_CODE_MAX
from haulier.contexts.lockers.devices.contract.devices import SERIAL_MAX
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
from haulier.kernel.data.tables import VOLATILE, partial_unique_index
from haulier.kernel.operations.fields import NAME_MAX, NOTE_MAX


class DeviceProductRow(Record, table="device_product", items=[UniqueConstraint("client_id", "product_code")]):
    """A product."""

    product_code: Annotated[str, String(PRODUCT_CODE_MAX)]
    name: Annotated[str, String(NAME_MAX)]
    kind: Annotated[str, String(20)]
    description: Annotated[str, String(NOTE_MAX)]
    price_minor: BigInt
    currency: Annotated[str, String(3)]
    stock: int
    lead_days: int
    active: bool
    updated_at: datetime


products = DeviceProductRow.table
plain_columns(products, "product_code", "name", "kind", "description", "currency")


class DeviceOrderRow(
    Record,
    table="device_order",
    items=[
        Index("ix_device_order_customer", "client_id", "customer_id"),
        Index("ix_device_order_status", "client_id", "status"),
        Index("ix_device_order_tracking_number", "client_id", "tracking_number"),
        Index("ix_device_order_delivery", "client_id", "order_id"),
        Index("ix_device_order_paid_at", "client_id", "paid_at"),
    ],
):
    """An order."""

    customer_id: Reference
    status: Annotated[str, String(20)]
    order_ref: Annotated[str, String(DEVICE_ORDER_REF_MAX)] | None
    note: Annotated[str, String(NOTE_MAX)]
    consignee: dict[str, Any]
    consignee_name: Annotated[str, String(200)]
    consignee_email: Annotated[str, String(254)] | None
    consignee_phone: Annotated[str, String(50)] | None
    pieces: int
    price_minor: BigInt
    paid_minor: BigInt
    refunded_minor: BigInt
    currency: Annotated[str, String(3)]
    transfer_id: Reference | None
    order_id: Reference | None
    carrier: Annotated[str, String(NAME_MAX)] | None
    tracking_number: Annotated[str | None, Column("tracking_number", String(TRACKING_MAX), info=VOLATILE)]
    prices_until: datetime
    created_at: datetime
    confirmed_at: datetime | None
    paid_at: datetime | None
    shipped_at: datetime | None
    delivered_at: datetime | None
    ended_at: datetime | None


device_orders = DeviceOrderRow.table
plain_columns(device_orders, "status", "currency", "carrier", "tracking_number")


class DeviceLineRow(
    Record, table="device_order_line", items=[UniqueConstraint("client_id", "device_order_id", "product_id")]
):
    """A line of an order."""

    device_order_id: Reference
    product_id: Reference
    product_code: Annotated[str, String(PRODUCT_CODE_MAX)]
    name: Annotated[str, String(NAME_MAX)]
    kind: Annotated[str, String(20)]
    quantity: int
    unit_price_minor: BigInt


lines = DeviceLineRow.table
plain_columns(lines, "product_code", "name", "kind")


class OrderedUnitRow(
    Record,
    table="device_order_unit",
    items=[
        Index("ix_device_order_unit_order", "client_id", "device_order_id"),
        Index("ix_device_order_unit_return", "client_id", "device_return_id"),
    ],
):
    """A shipped device.

    `device_return_id` is the latest return of the device.
    """

    device_order_id: Reference
    product_id: Reference
    product_code: Annotated[str, String(PRODUCT_CODE_MAX)]
    unit_price_minor: BigInt
    serial: Annotated[str, String(SERIAL_MAX)]
    device_id: Reference
    device_return_id: Reference | None
    activated_at: datetime | None
    returned_at: datetime | None


units = OrderedUnitRow.table
partial_unique_index("uq_device_order_unit_serial", "returned_at IS NULL", units.c.serial)
plain_columns(units, "product_code", "serial")


class DeviceReturnRow(
    Record,
    table="device_return",
    items=[
        Index("ix_device_return_order", "client_id", "device_order_id"),
        Index("ix_device_return_customer", "client_id", "customer_id"),
        Index("ix_device_return_status", "client_id", "status"),
    ],
):
    """A device return."""

    device_order_id: Reference
    customer_id: Reference
    status: Annotated[str, String(20)]
    reason: Annotated[str, String(20)]
    wish: Annotated[str, String(20)]
    note: Annotated[str, String(NOTE_MAX)]
    serials: list[str]
    restocked: bool | None
    worth_minor: BigInt
    refund_minor: BigInt | None
    currency: Annotated[str, String(3)]
    tracking_number: Annotated[str, String(TRACKING_MAX)] | None
    created_at: datetime
    received_at: datetime | None
    ended_at: datetime | None


returns = DeviceReturnRow.table
plain_columns(returns, "status", "reason", "wish", "serials", "currency", "tracking_number")

personal_data(
    device_orders,
    RecordKind.DEVICE_ORDERS,
    by={
        "customer_id": PersonKey.USER,
        "consignee_name": PersonKey.NAME,
        "consignee_email": PersonKey.EMAIL,
        "consignee_phone": PersonKey.PHONE,
    },
    erased={
        "order_ref": None,
        "note": ERASED,
        "consignee": lambda row, keys: redacted(row.consignee),
        "consignee_name": ERASED,
        "consignee_email": None,
        "consignee_phone": None,
    },
    in_use=device_orders.c.ended_at.is_(None) & device_orders.c.delivered_at.is_(None),
)
personal_data(
    returns,
    RecordKind.DEVICE_ORDERS,
    by={"customer_id": PersonKey.USER},
    erased={"note": ERASED},
    in_use=returns.c.ended_at.is_(None),
)
retained(
    RecordKind.DEVICE_ORDERS,
    device_orders.c.ended_at,
    default_days=1095,
    minimum_days=30,
    children=(lines.c.device_order_id, units.c.device_order_id, returns.c.device_order_id),
)
