"""What other contexts may use of lockers: which orders go into them, their boxes for drivers, and what is due of devices."""

from haulier.contexts.lockers.deliveries.actions.drivers import open_box_of_order
from haulier.contexts.lockers.deliveries.actions.plans import LockersOfStops
from haulier.contexts.lockers.deliveries.queries import LockerDeliveryRow, get_locker_deliveries, lies_in_locker
from haulier.contexts.lockers.deliveries.rules import IfFull, LockerDeliveryStatus
from haulier.contexts.lockers.deliveries.serializers import delivery_record
from haulier.contexts.lockers.device_orders.actions.orders import pay_device_order
from haulier.contexts.lockers.device_orders.contract.products import DEVICES
from haulier.contexts.lockers.device_orders.queries import get_visible_device_order
from haulier.contexts.lockers.device_orders.rules import DeviceOrderStep, device_order_can
from haulier.contexts.lockers.devices.serializers import command_record
from haulier.contexts.shipping.public import DueOrder
from haulier.kernel.call import Call
from haulier.kernel.values.money import Money

__all__ = [
    "IfFull",
    "LockerDeliveryRow",
    "LockerDeliveryStatus",
    "LockersOfStops",
    "command_record",
    "delivery_record",
    "get_due_of_device_order",
    "get_locker_deliveries",
    "lies_in_locker",
    "open_box_of_order",
    "pay_device_order_from_credit",
]


async def get_due_of_device_order(call: Call, device_order_id: int) -> DueOrder:
    """What is due of an order of devices that the caller may see. Raises `NOT_FOUND`."""
    row = await get_visible_device_order(call, device_order_id)
    due = row.price_minor if device_order_can(DeviceOrderStep.PAY, row.status) else 0
    return DueOrder(customer_id=row.customer_id, due=Money(due, row.currency), family=DEVICES)


async def pay_device_order_from_credit(call: Call, device_order_id: int) -> None:
    """Pay an order of devices. Raises `DEVICE_ORDER_STEP_REFUSED`, `CREDIT_INSUFFICIENT`."""
    await pay_device_order(call, await get_visible_device_order(call, device_order_id, lock=True))
