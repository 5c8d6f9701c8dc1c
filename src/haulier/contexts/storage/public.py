"""Public interface of storage: amounts due and payments of its orders."""

from haulier.contexts.billing.public import DueOrder, Payable, ProductClass, price_with_tax
from haulier.contexts.storage.shipouts.actions import pay_shipout
from haulier.contexts.storage.shipouts.queries import get_visible_shipout
from haulier.contexts.storage.shipouts.rules import ShipoutStatus
from haulier.contexts.storage.storage_orders.actions import pay_balance
from haulier.contexts.storage.storage_orders.contract import STORAGE
from haulier.contexts.storage.storage_orders.queries import get_visible_order
from haulier.contexts.storage.storage_orders.rules import can_be_paid
from haulier.kernel.call import Call
from haulier.kernel.values.money import Money

__all__ = ["PAYABLES"]


async def get_due_of_storage_order(call: Call, storage_order_id: int) -> DueOrder:
    """Return the amount due of a visible storage order. Raises `NOT_FOUND`."""
    row = await get_visible_order(call, storage_order_id)
    owed = row.owed_minor - row.paid_minor
    price = Money(owed if can_be_paid(row.status, owed) else 0, row.currency)
    due = await price_with_tax(call, row.customer_id, price, ProductClass.STORAGE)
    return DueOrder(customer_id=row.customer_id, due=due, family=STORAGE)


async def pay_storage_order_from_credit(call: Call, storage_order_id: int) -> None:
    """Pay the amount due of a storage order.

    Raises `NOTHING_OWED`, `CREDIT_INSUFFICIENT`.
    """
    row = await get_visible_order(call, storage_order_id, lock=True)
    await pay_balance(call, row)
    call.add_audit_subjects("storage_order", row.id)


async def get_due_of_shipout(call: Call, shipout_id: int) -> DueOrder:
    """Return the amount due of a visible ship-out. Raises `NOT_FOUND`."""
    row = await get_visible_shipout(call, shipout_id)
    owed = 0 if row.status == ShipoutStatus.CANCELLED else row.price_minor - row.paid_minor
    return DueOrder(customer_id=row.customer_id, due=Money(max(owed, 0), row.currency), family=STORAGE)


async def pay_shipout_from_credit(call: Call, shipout_id: int) -> None:
    """Pay the amount due of a ship-out. Raises `NOTHING_OWED`, `CREDIT_INSUFFICIENT`."""
    await pay_shipout(call, await get_visible_shipout(call, shipout_id, lock=True))


PAYABLES = {
    "storage_order": Payable(get_due_of_storage_order, pay_storage_order_from_credit),
    "shipout": Payable(get_due_of_shipout, pay_shipout_from_credit),
}
"""Payable records, by the purpose of a payment."""
