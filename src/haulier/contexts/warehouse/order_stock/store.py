"""Tables of the stock of orders and their statements."""

from collections.abc import Collection
from datetime import datetime
from typing import Annotated

from sqlalchemy import BigInteger, String, UniqueConstraint, bindparam, cast, func, select

from haulier.contexts.warehouse.order_stock.contract import ReserveWhen
from haulier.contexts.warehouse.stock.contract import MovementKind
from haulier.contexts.warehouse.stock.store.tables import levels, movements, reservations
from haulier.contexts.warehouse.warehouses.contract import REFERENCE_MAX
from haulier.contexts.warehouse.warehouses.store import locations
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.records import Record, Reference
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.tables import notify_writes
from haulier.kernel.data.unit_of_work import UnitOfWork


class OrderStockPolicyRow(Record, table="order_stock_policy", items=[UniqueConstraint("client_id")]):
    """When a business reserves stock for orders."""

    reserve: Annotated[ReserveWhen, String(12)]
    updated_at: datetime


policies = OrderStockPolicyRow.table
plain_columns(policies, "reserve")
POLICIES_CHANNEL = "order_stock_policies"
"""The channel of notices that a client's policy changed."""
notify_writes(policies, POLICIES_CHANNEL)


class OrderStockRow(Record, table="order_stock", items=[UniqueConstraint("client_id", "order_id")]):
    """An order that stock was reserved for. `reference` is that of its reservations."""

    order_id: Reference
    reference: Annotated[str, String(REFERENCE_MAX)]
    updated_at: datetime


order_stock = OrderStockRow.table
plain_columns(order_stock, "reference")


class ReservedUnitsRow(Row):
    """Units that are reserved for an order."""

    warehouse_id: int
    product_id: int
    units: int


class ShippedUnitsRow(Row):
    """Units that left for an order."""

    product_id: int
    units: int


_policy = select(policies)
_of_orders = select(order_stock).where(in_param(order_stock.c.order_id, "orders")).order_by(order_stock.c.id)
_of_reference = reservations.c.reference == bindparam("reference")
_reserved = (
    select(
        reservations.c.warehouse_id,
        levels.c.product_id,
        cast(func.sum(reservations.c.quantity), BigInteger).label("units"),
    )
    .select_from(
        reservations.join(
            levels, (levels.c.client_id == reservations.c.client_id) & (levels.c.id == reservations.c.level_id)
        )
    )
    .where(_of_reference)
    .group_by(reservations.c.warehouse_id, levels.c.product_id)
    .order_by(reservations.c.warehouse_id, levels.c.product_id)
)
_shipped = (
    select(movements.c.product_id, cast(func.sum(movements.c.quantity), BigInteger).label("units"))
    .where(movements.c.reference == bindparam("reference"), movements.c.kind == MovementKind.SHIP.value)
    .group_by(movements.c.product_id)
)
_PICKED = (MovementKind.PICK.value, MovementKind.PACK.value, MovementKind.SHIP.value)
_picked = (
    select(movements.c.id)
    .where(movements.c.reference == bindparam("reference"), movements.c.kind.in_(_PICKED))
    .limit(1)
)


class OrderShelfRow(Row):
    """A location of the stock reserved for an order."""

    order_id: int
    warehouse_id: int
    walk_order: int
    code: str


_shelves = (
    select(order_stock.c.order_id, locations.c.warehouse_id, locations.c.walk_order, locations.c.code)
    .select_from(
        order_stock.join(
            reservations,
            (reservations.c.client_id == order_stock.c.client_id)
            & (reservations.c.reference == order_stock.c.reference),
        )
        .join(levels, (levels.c.client_id == reservations.c.client_id) & (levels.c.id == reservations.c.level_id))
        .join(locations, (locations.c.client_id == levels.c.client_id) & (locations.c.id == levels.c.location_id))
    )
    .where(in_param(order_stock.c.order_id, "orders"))
    .distinct()
)


async def list_shelf_rows(work: UnitOfWork, order_ids: Collection[int]) -> list[OrderShelfRow]:
    """Return the locations of the stock reserved for orders, in no order."""
    return await work.all(_shelves, OrderShelfRow, orders=sorted(order_ids)) if order_ids else []


async def get_policy(work: UnitOfWork) -> OrderStockPolicyRow | None:
    """Return the policy of the business, or None if it set none."""
    return await work.first(_policy, OrderStockPolicyRow)


async def set_policy(work: UnitOfWork, reserve: ReserveWhen, now: datetime) -> None:
    """Set the policy of the business."""
    await work.upsert(policies, (), reserve=reserve, updated_at=now)


async def list_order_stock_rows(work: UnitOfWork, order_ids: Collection[int]) -> list[OrderStockRow]:
    """Return the orders that stock was reserved for, among some."""
    return await work.all(_of_orders, OrderStockRow, orders=sorted(order_ids)) if order_ids else []


async def record_order_stock(work: UnitOfWork, order_id: int, reference: str, now: datetime) -> None:
    """Record that stock was reserved for an order."""
    await work.upsert(order_stock, ("order_id",), order_id=order_id, reference=reference, updated_at=now)


async def sum_reserved(work: UnitOfWork, reference: str) -> list[ReservedUnitsRow]:
    """Return the reserved units of a reference by warehouse and product."""
    return await work.all(_reserved, ReservedUnitsRow, reference=reference)


async def sum_shipped(work: UnitOfWork, reference: str) -> dict[int, int]:
    """Return the shipped units of a reference by product."""
    return {row.product_id: row.units for row in await work.all(_shipped, ShippedUnitsRow, reference=reference)}


async def is_picked(work: UnitOfWork, reference: str) -> bool:
    """Return True if stock was picked, packed or shipped for a reference."""
    return await work.first(_picked, reference=reference) is not None
