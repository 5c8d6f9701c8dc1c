"""Interface of lockers for other contexts."""

from haulier.contexts.billing.public import DueOrder, Payable, ProductClass, price_with_tax
from haulier.contexts.lockers.deliveries.actions import LockersOfStops, make_deposit_code, open_box_of_order
from haulier.contexts.lockers.deliveries.queries import (
    LockerDeliveryRow,
    LockersOfOrders,
    find_last_door,
    get_locker_deliveries,
    was_put_in_locker,
)
from haulier.contexts.lockers.deliveries.rules import IfFull, LockerDeliveryStatus
from haulier.contexts.lockers.deliveries.serializers import delivery_record
from haulier.contexts.lockers.device_api.actions import LockerDevices
from haulier.contexts.lockers.device_orders.actions import pay_device_order
from haulier.contexts.lockers.device_orders.contract import DEVICES
from haulier.contexts.lockers.device_orders.queries import get_visible_device_order
from haulier.contexts.lockers.device_orders.rules import DeviceOrderStep, device_order_can
from haulier.contexts.lockers.devices.queries import DeviceCommandRow
from haulier.contexts.lockers.devices.serializers import command_record
from haulier.contexts.lockers.luggage.actions.bookings import is_payable, pay_luggage
from haulier.contexts.lockers.luggage.contract import FAMILY as LUGGAGE_FAMILY
from haulier.contexts.lockers.luggage.queries import get_luggage, lock_luggage
from haulier.contexts.lockers.resale.actions import is_lease_payable, pay_lease
from haulier.contexts.lockers.resale.contract import LEASES
from haulier.contexts.lockers.resale.queries import get_visible_lease
from haulier.contexts.lockers.shop.actions import CARD, pay_purchase
from haulier.contexts.lockers.shop.contract import ShopLink
from haulier.contexts.lockers.shop.queries import get_purchase, open_link
from haulier.contexts.lockers.shop.rules import SHOP_LIFE, SHOP_LINK_INVALID, ShopStatus, ShopStep
from haulier.kernel.call import Call
from haulier.kernel.values.money import Money

__all__ = [
    "PAYABLES",
    "SHOP_LINK_INVALID",
    "DeviceCommandRow",
    "IfFull",
    "LockerDeliveryRow",
    "LockerDeliveryStatus",
    "LockerDevices",
    "LockersOfOrders",
    "LockersOfStops",
    "ShopLink",
    "command_record",
    "delivery_record",
    "find_last_door",
    "get_due_of_linked_purchase",
    "get_locker_deliveries",
    "make_deposit_code",
    "open_box_of_order",
    "was_put_in_locker",
]


async def get_due_of_device_order(call: Call, device_order_id: int) -> DueOrder:
    """Return the amount due of a visible device order. Raises `NOT_FOUND`."""
    row = await get_visible_device_order(call, device_order_id)
    due = row.price_minor if device_order_can(DeviceOrderStep.PAY, row.status) else 0
    taxed = await price_with_tax(call, row.customer_id, Money(due, row.currency), ProductClass.GOODS)
    return DueOrder(customer_id=row.customer_id, due=taxed, family=DEVICES)


async def pay_device_order_from_credit(call: Call, device_order_id: int) -> None:
    """Pay a device order. Raises `DEVICE_ORDER_STEP_REFUSED`, `CREDIT_INSUFFICIENT`."""
    await pay_device_order(call, await get_visible_device_order(call, device_order_id, lock=True))


async def get_due_of_luggage(call: Call, luggage_id: int) -> DueOrder:
    """Return the amount due of a visible luggage booking. Raises `NOT_FOUND`."""
    row = await get_luggage(call, luggage_id)
    due = row.price_minor if is_payable(call, row) else 0
    return DueOrder(customer_id=row.customer_id, due=Money(due, row.currency), family=LUGGAGE_FAMILY)


async def pay_luggage_from_credit(call: Call, luggage_id: int) -> None:
    """Pay a luggage booking. Raises `LUGGAGE_STEP_REFUSED`, `CREDIT_INSUFFICIENT`."""
    row, _ = await lock_luggage(call, luggage_id)
    await pay_luggage(call, row)


async def get_due_of_lease(call: Call, locker_lease_id: int) -> DueOrder:
    """Return the amount due of a visible rental; nothing after its reservation.

    Raises `NOT_FOUND`.
    """
    row = await get_visible_lease(call, locker_lease_id)
    due = row.price_minor if is_lease_payable(call, row) else 0
    taxed = await price_with_tax(call, row.customer_id, Money(due, row.currency), ProductClass.RENTAL)
    return DueOrder(customer_id=row.customer_id, due=taxed, family=LEASES)


async def pay_lease_from_credit(call: Call, locker_lease_id: int) -> None:
    """Pay a rental and start its term.

    Raises `LEASE_STEP_REFUSED`, `CREDIT_INSUFFICIENT`.
    """
    await pay_lease(call, await get_visible_lease(call, locker_lease_id, lock=True))


async def get_due_of_shop_purchase(call: Call, shop_purchase_id: int) -> DueOrder:
    """Return the amount due of a visible purchase; nothing once it has lapsed.

    Raises `NOT_FOUND`.
    """
    row = await get_purchase(call, shop_purchase_id)
    payable = SHOP_LIFE.next_status(ShopStep.PAY, ShopStatus(row.status)) and row.reserved_until > call.now
    return DueOrder(
        customer_id=row.customer_id, due=Money(row.shelf_price_minor if payable else 0, row.shelf_currency), family=None
    )


async def get_due_of_linked_purchase(call: Call, request: ShopLink) -> tuple[Call, int, DueOrder]:
    """Return the call for a link holder, with their purchase and its amount due.

    Raises `SHOP_LINK_INVALID`.
    """
    own, row = await open_link(call, request.link)
    return own, row.id, await get_due_of_shop_purchase(own, row.id)


async def pay_shop_purchase_by_card(call: Call, shop_purchase_id: int) -> None:
    """Pay a purchase from credit that a card payment has just added.

    Raises `SHOP_STEP_REFUSED`, `CREDIT_INSUFFICIENT`.
    """
    await pay_purchase(call, await get_purchase(call, shop_purchase_id, lock=True), CARD)


PAYABLES = {
    "device_order": Payable(get_due_of_device_order, pay_device_order_from_credit),
    "luggage": Payable(get_due_of_luggage, pay_luggage_from_credit),
    "locker_lease": Payable(get_due_of_lease, pay_lease_from_credit),
    "shop_purchase": Payable(get_due_of_shop_purchase, pay_shop_purchase_by_card),
}
"""Payable records, by the purpose of a payment."""
