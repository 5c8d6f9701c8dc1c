"""Interface of device orders for other contexts."""

from haulier.contexts.billing.public import DueOrder, Payable, ProductClass, price_with_tax
from haulier.contexts.lockers.device_orders.actions import pay_device_order
from haulier.contexts.lockers.device_orders.contract import DEVICES
from haulier.contexts.lockers.device_orders.queries import get_visible_device_order
from haulier.contexts.lockers.device_orders.rules import DeviceOrderStep, device_order_can
from haulier.kernel.call import Call
from haulier.kernel.values.money import Money

__all__ = ["PAYABLES"]


async def get_due_of_device_order(call: Call, device_order_id: int) -> DueOrder:
    """Return the amount due of a visible device order. Raises `NOT_FOUND`."""
    row = await get_visible_device_order(call, device_order_id)
    due = row.price_minor if device_order_can(DeviceOrderStep.PAY, row.status) else 0
    taxed = await price_with_tax(call, row.customer_id, Money(due, row.currency), ProductClass.GOODS)
    return DueOrder(customer_id=row.customer_id, due=taxed, family=DEVICES)


async def pay_device_order_from_credit(call: Call, device_order_id: int) -> None:
    """Pay a device order. Raises `DEVICE_ORDER_STEP_REFUSED`, `CREDIT_INSUFFICIENT`."""
    await pay_device_order(call, await get_visible_device_order(call, device_order_id, lock=True))


PAYABLES = {"device_order": Payable(get_due_of_device_order, pay_device_order_from_credit)}
"""Payable records, by the purpose of a payment."""
