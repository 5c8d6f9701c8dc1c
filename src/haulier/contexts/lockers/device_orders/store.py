"""Tables and statements of device orders."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any

from sqlalchemy import (
    BigInteger,
    Column,
    ColumnElement,
    Index,
    String,
    UniqueConstraint,
    bindparam,
    case,
    cast,
    delete,
    distinct,
    func,
    select,
    update,
)

from haulier.contexts.lockers.device_orders.contract import DEVICE_ORDER_REF_MAX, PRODUCT_CODE_MAX, TRACKING_MAX
from haulier.contexts.lockers.device_orders.rules import DeviceOrderStatus
from haulier.contexts.lockers.devices.contract import SERIAL_MAX
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
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.tables import VOLATILE, UTCDateTime, partial_unique_index
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.fields import NAME_MAX, NOTE_MAX
from haulier.kernel.values.pagination import MAX_COUNT


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


_by_delivery = select(device_orders).where(device_orders.c.order_id == bindparam("delivery")).with_for_update()
_deliveries = select(device_orders.c.order_id).where(in_param(device_orders.c.order_id, "deliveries"))
_lines = select(lines).where(lines.c.device_order_id == bindparam("device_order")).order_by(lines.c.product_code)
_no_lines = delete(lines).where(lines.c.device_order_id == bindparam("device_order"))


async def update_device_order(work: UnitOfWork, device_order_id: int, values: Mapping[str, Any]) -> None:
    """Update columns of an order."""
    changed = update(device_orders).where(device_orders.c.id == bindparam("device_order")).values(**values)
    await work.run(changed, device_order=device_order_id)


async def write_lines(work: UnitOfWork, device_order_id: int, rows: Sequence[Mapping[str, Any]]) -> None:
    """Replace the lines of an order."""
    await work.run(_no_lines, device_order=device_order_id)
    await work.insert_many(lines, [{**row, "device_order_id": device_order_id} for row in rows])


async def lock_order_of_delivery(work: UnitOfWork, order_id: int) -> DeviceOrderRow | None:
    """Lock and return the order of a local delivery, or None."""
    return await work.first(_by_delivery, DeviceOrderRow, delivery=order_id)


async def list_deliveries_of_devices(work: UnitOfWork, order_ids: Collection[int]) -> list[int]:
    """Return the local deliveries that belong to device orders."""
    return [row.order_id for row in await work.all(_deliveries, deliveries=sorted(order_ids))]


async def list_line_rows(work: UnitOfWork, device_order_id: int) -> Sequence[DeviceLineRow]:
    """List the lines of an order by product code."""
    return await work.all(_lines, DeviceLineRow, device_order=device_order_id)


async def list_device_order_rows(
    work: UnitOfWork, wanted: Mapping[str, Any], *, limit: int, offset: int
) -> tuple[Sequence[DeviceOrderRow], int]:
    """List a page of matching orders, newest first, with their count.

    Counting stops one above `MAX_COUNT`.
    """
    conditions: list[ColumnElement[bool]] = [device_orders.c[name] == value for name, value in wanted.items()]
    page = select(device_orders).where(*conditions).order_by(device_orders.c.id.desc())
    rows = await work.all(page.limit(limit).offset(offset), DeviceOrderRow)
    counted = select(device_orders.c.id).where(*conditions).limit(MAX_COUNT + 1).subquery()
    return rows, await work.value(select(func.count()).select_from(counted))


_by_code = select(products).where(products.c.product_code == bindparam("code"))
_by_code_locked = _by_code.with_for_update()
_by_codes = select(products).where(in_param(products.c.product_code, "codes"))
_by_ids_locked = select(products).where(in_param(products.c.id, "ids")).order_by(products.c.id).with_for_update()
_move_stock = (
    update(products).where(products.c.id == bindparam("product")).values(stock=products.c.stock + bindparam("change"))
)


async def insert_product(work: UnitOfWork, values: Mapping[str, Any]) -> bool:
    """Insert a product without stock.

    Returns False, and changes nothing, if the code exists.
    """
    return bool(await work.insert_new(products, [{**values, "stock": 0}], returning=("id",)))


async def update_product(work: UnitOfWork, code: str, values: Mapping[str, Any]) -> None:
    """Update columns of a product."""
    await work.run(update(products).where(products.c.product_code == bindparam("code")).values(**values), code=code)


async def get_product_row(work: UnitOfWork, code: str, *, lock: bool = False) -> DeviceProductRow | None:
    """Return a product by its code, or None."""
    return await work.first(_by_code_locked if lock else _by_code, DeviceProductRow, code=code)


async def list_products_by_code(work: UnitOfWork, codes: Collection[str]) -> Sequence[DeviceProductRow]:
    """Return the existing products among the given codes."""
    return await work.all(_by_codes, DeviceProductRow, codes=sorted(codes))


async def lock_products(work: UnitOfWork, ids: Collection[int]) -> Sequence[DeviceProductRow]:
    """Lock products in ascending id order to avoid deadlocks."""
    return await work.all(_by_ids_locked, DeviceProductRow, ids=sorted(ids))


async def move_stock(work: UnitOfWork, changes: Mapping[int, int]) -> None:
    """Adjust the stock of locked products in one statement."""
    await work.run_many(_move_stock, [{"product": id, "change": changes[id]} for id in sorted(changes)])


async def list_product_rows(
    work: UnitOfWork, wanted: Mapping[str, Any], *, in_stock: bool | None, limit: int, offset: int
) -> tuple[Sequence[DeviceProductRow], int]:
    """List a page of matching products by code, with their count.

    Counting stops one above `MAX_COUNT`.
    """
    conditions: list[ColumnElement[bool]] = [products.c[name] == value for name, value in wanted.items()]
    if in_stock is not None:
        conditions.append(products.c.stock > 0 if in_stock else products.c.stock == 0)
    page = select(products).where(*conditions).order_by(products.c.product_code)
    rows = await work.all(page.limit(limit).offset(offset), DeviceProductRow)
    counted = select(products.c.id).where(*conditions).limit(MAX_COUNT + 1).subquery()
    return rows, await work.value(select(func.count()).select_from(counted))


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


_of_order = select(units).where(units.c.device_order_id == bindparam("device_order")).order_by(units.c.id)
_of_return = select(units).where(units.c.device_return_id == bindparam("device_return")).order_by(units.c.id)
_live = (
    select(func.count())
    .select_from(units)
    .where(units.c.device_order_id == bindparam("device_order"), units.c.returned_at.is_(None))
)
_activate = (
    update(units)
    .where(units.c.id == bindparam("unit"), units.c.activated_at.is_(None))
    .values(activated_at=bindparam("at", type_=UTCDateTime))
)
_promise = update(units).where(in_param(units.c.id, "ids")).values(device_return_id=bindparam("going"))
_release = update(units).where(units.c.device_return_id == bindparam("going")).values(device_return_id=None)
_take_back = (
    update(units)
    .where(units.c.device_return_id == bindparam("going"))
    .values(returned_at=bindparam("at", type_=UTCDateTime))
)


async def insert_units(work: UnitOfWork, rows: Sequence[Mapping[str, Any]]) -> set[str]:
    """Insert shipped devices. Returns the serial numbers that were not already in use."""
    return {row.serial for row in await work.insert_new(units, rows, returning=("serial",))}


async def list_units(work: UnitOfWork, device_order_id: int) -> Sequence[OrderedUnitRow]:
    """List the devices shipped for an order, including replacements."""
    return await work.all(_of_order, OrderedUnitRow, device_order=device_order_id)


async def list_units_of_return(work: UnitOfWork, device_return_id: int) -> Sequence[OrderedUnitRow]:
    """List the devices of a return."""
    return await work.all(_of_return, OrderedUnitRow, device_return=device_return_id)


async def count_units_out(work: UnitOfWork, device_order_id: int) -> int:
    """Count the shipped devices of an order that were not returned."""
    return await work.value(_live, device_order=device_order_id)


async def set_activated(work: UnitOfWork, unit_id: int, at: datetime) -> None:
    """Record the first activation of a device."""
    await work.run(_activate, unit=unit_id, at=at)


async def promise_units(work: UnitOfWork, ids: Sequence[int], device_return_id: int) -> None:
    """Assign devices to a return."""
    await work.run(_promise, ids=list(ids), going=device_return_id)


async def release_units(work: UnitOfWork, device_return_id: int) -> None:
    """Remove devices from a return."""
    await work.run(_release, going=device_return_id)


async def return_units(work: UnitOfWork, device_return_id: int, at: datetime) -> None:
    """Mark the devices of a return as received and free their serial numbers."""
    await work.run(_take_back, going=device_return_id, at=at)


async def update_return(work: UnitOfWork, device_return_id: int, values: Mapping[str, Any]) -> None:
    """Update columns of a return."""
    changed = update(returns).where(returns.c.id == bindparam("device_return")).values(**values)
    await work.run(changed, device_return=device_return_id)


async def list_return_rows(
    work: UnitOfWork, wanted: Mapping[str, Any], *, limit: int, offset: int
) -> tuple[Sequence[DeviceReturnRow], int]:
    """List a page of matching returns, newest first, with their count.

    Counting stops one above `MAX_COUNT`.
    """
    conditions: list[ColumnElement[bool]] = [returns.c[name] == value for name, value in wanted.items()]
    page = select(returns).where(*conditions).order_by(returns.c.id.desc())
    rows = await work.all(page.limit(limit).offset(offset), DeviceReturnRow)
    counted = select(returns.c.id).where(*conditions).limit(MAX_COUNT + 1).subquery()
    return rows, await work.value(select(func.count()).select_from(counted))
