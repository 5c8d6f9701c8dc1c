"""The table of delivery PINs, one for each order that asks for one."""

from collections.abc import Collection

from sqlalchemy import Column, Integer, String, UniqueConstraint, bindparam, delete, select, update

from haulier.contexts.orders.delivery_pins.rules import PIN_DIGITS
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.tables import VOLATILE, Id, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork

delivery_pins = tenant_table(
    "delivery_pin",
    Column("order_id", Id, nullable=False),
    Column("pin", String(PIN_DIGITS), nullable=False, info=VOLATILE),
    Column("wrong_tries", Integer, nullable=False),
    UniqueConstraint("client_id", "order_id"),
)
plain_columns(delivery_pins, "pin")


class DeliveryPinRow(Row):
    """The PIN of an order, and how often a wrong one was said."""

    order_id: int
    pin: str
    wrong_tries: int


_pin = select(delivery_pins).where(delivery_pins.c.order_id == bindparam("order"))
_pins_of_orders = select(delivery_pins).where(in_param(delivery_pins.c.order_id, "orders"))
_delete = delete(delivery_pins).where(delivery_pins.c.order_id == bindparam("order"))
_count_wrong = (
    update(delivery_pins)
    .where(delivery_pins.c.order_id == bindparam("order"))
    .values(wrong_tries=delivery_pins.c.wrong_tries + 1)
)
_renew = (
    update(delivery_pins)
    .where(delivery_pins.c.order_id == bindparam("order"))
    .values(pin=bindparam("new_pin"), wrong_tries=0)
)


async def get_delivery_pin(work: UnitOfWork, order_id: int) -> DeliveryPinRow | None:
    """The PIN of an order, or None for an order without one."""
    return await work.first(_pin, DeliveryPinRow, order=order_id)


async def list_orders_with_pin(work: UnitOfWork, order_ids: Collection[int]) -> set[int]:
    """Return the orders among these that have a PIN."""
    return {row.order_id for row in await work.all(_pins_of_orders, DeliveryPinRow, orders=sorted(order_ids))}


async def delete_delivery_pin(work: UnitOfWork, order_id: int) -> None:
    """Delete the PIN of an order."""
    await work.run(_delete, order=order_id)


async def insert_delivery_pins(work: UnitOfWork, pins: dict[int, str]) -> None:
    """Write the PINs of new orders."""
    rows = [{"order_id": order_id, "pin": pin, "wrong_tries": 0} for order_id, pin in pins.items()]
    await work.insert_many(delivery_pins, rows)


async def count_wrong_pin(work: UnitOfWork, order_id: int) -> None:
    """Count a wrong PIN."""
    await work.run(_count_wrong, order=order_id)


async def update_delivery_pin(work: UnitOfWork, order_id: int, pin: str) -> int:
    """Write a new PIN and reset the count of wrong ones.

    Returns 0 for an order without a PIN.
    """
    return await work.run(_renew, order=order_id, new_pin=pin)
