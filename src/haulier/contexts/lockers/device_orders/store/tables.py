"""Tables of device orders: catalogue, orders, lines, shipped devices and returns."""

from sqlalchemy import BigInteger, Boolean, Column, Index, Integer, String, UniqueConstraint

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
from haulier.kernel.data.tables import VOLATILE, Id, Json, UTCDateTime, partial_unique_index, tenant_table
from haulier.kernel.operations.fields import NAME_MAX, NOTE_MAX

products = tenant_table(
    "device_product",
    Column("product_code", String(PRODUCT_CODE_MAX), nullable=False),
    Column("name", String(NAME_MAX), nullable=False),
    Column("kind", String(20), nullable=False),
    Column("description", String(NOTE_MAX), nullable=False),
    Column("price_minor", BigInteger, nullable=False),
    Column("currency", String(3), nullable=False),
    Column("stock", Integer, nullable=False),
    Column("lead_days", Integer, nullable=False),
    Column("active", Boolean, nullable=False),
    Column("updated_at", UTCDateTime, nullable=False),
    UniqueConstraint("client_id", "product_code"),
)
plain_columns(products, "product_code", "name", "kind", "description", "currency")

device_orders = tenant_table(
    "device_order",
    Column("customer_id", Id, nullable=False),
    Column("status", String(20), nullable=False),
    Column("order_ref", String(DEVICE_ORDER_REF_MAX)),
    Column("note", String(NOTE_MAX), nullable=False),
    Column("consignee", Json, nullable=False),
    Column("consignee_name", String(200), nullable=False),
    Column("consignee_email", String(254)),
    Column("consignee_phone", String(50)),
    Column("pieces", Integer, nullable=False),
    Column("price_minor", BigInteger, nullable=False),
    Column("paid_minor", BigInteger, nullable=False),
    Column("refunded_minor", BigInteger, nullable=False),
    Column("currency", String(3), nullable=False),
    Column("transfer_id", Id),
    Column("order_id", Id),
    Column("carrier", String(NAME_MAX)),
    Column("tracking_number", String(TRACKING_MAX), info=VOLATILE),
    Column("prices_until", UTCDateTime, nullable=False),
    Column("created_at", UTCDateTime, nullable=False),
    Column("confirmed_at", UTCDateTime),
    Column("paid_at", UTCDateTime),
    Column("shipped_at", UTCDateTime),
    Column("delivered_at", UTCDateTime),
    Column("ended_at", UTCDateTime),
    Index("ix_device_order_customer", "client_id", "customer_id"),
    Index("ix_device_order_status", "client_id", "status"),
    Index("ix_device_order_tracking_number", "client_id", "tracking_number"),
    Index("ix_device_order_delivery", "client_id", "order_id"),
    Index("ix_device_order_paid_at", "client_id", "paid_at"),
)
plain_columns(device_orders, "status", "currency", "carrier", "tracking_number")

lines = tenant_table(
    "device_order_line",
    Column("device_order_id", Id, nullable=False),
    Column("product_id", Id, nullable=False),
    Column("product_code", String(PRODUCT_CODE_MAX), nullable=False),
    Column("name", String(NAME_MAX), nullable=False),
    Column("kind", String(20), nullable=False),
    Column("quantity", Integer, nullable=False),
    Column("unit_price_minor", BigInteger, nullable=False),
    UniqueConstraint("client_id", "device_order_id", "product_id"),
)
plain_columns(lines, "product_code", "name", "kind")

units = tenant_table(
    "device_order_unit",
    Column("device_order_id", Id, nullable=False),
    Column("product_id", Id, nullable=False),
    Column("product_code", String(PRODUCT_CODE_MAX), nullable=False),
    Column("unit_price_minor", BigInteger, nullable=False),
    Column("serial", String(SERIAL_MAX), nullable=False),
    Column("device_id", Id, nullable=False),
    Column("device_return_id", Id),
    Column("activated_at", UTCDateTime),
    Column("returned_at", UTCDateTime),
    Index("ix_device_order_unit_order", "client_id", "device_order_id"),
    Index("ix_device_order_unit_return", "client_id", "device_return_id"),
)
"""`device_return_id` is the latest return of the device."""
partial_unique_index("uq_device_order_unit_serial", "returned_at IS NULL", units.c.serial)
plain_columns(units, "product_code", "serial")

returns = tenant_table(
    "device_return",
    Column("device_order_id", Id, nullable=False),
    Column("customer_id", Id, nullable=False),
    Column("status", String(20), nullable=False),
    Column("reason", String(20), nullable=False),
    Column("wish", String(20), nullable=False),
    Column("note", String(NOTE_MAX), nullable=False),
    Column("serials", Json, nullable=False),
    Column("restocked", Boolean),
    Column("worth_minor", BigInteger, nullable=False),
    Column("refund_minor", BigInteger),
    Column("currency", String(3), nullable=False),
    Column("tracking_number", String(TRACKING_MAX)),
    Column("created_at", UTCDateTime, nullable=False),
    Column("received_at", UTCDateTime),
    Column("ended_at", UTCDateTime),
    Index("ix_device_return_order", "client_id", "device_order_id"),
    Index("ix_device_return_customer", "client_id", "customer_id"),
    Index("ix_device_return_status", "client_id", "status"),
)
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
