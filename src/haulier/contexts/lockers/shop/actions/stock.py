"""Writes of restocking, and of items taken off or put on sale."""

from datetime import date, timedelta
from typing import Any

from haulier.contexts.lockers.devices.queries import DeviceCommandRow
from haulier.contexts.lockers.devices.rules import DoorPurpose
from haulier.contexts.lockers.parcels.actions.doors import open_for_parcel
from haulier.contexts.lockers.parcels.actions.reservations import WantedBox, take_box
from haulier.contexts.lockers.parcels.queries import get_parcel
from haulier.contexts.lockers.parcels.rules import NO_FREE_BOX, LockerStatus, LockerStep
from haulier.contexts.lockers.shop.queries import get_item, get_product, get_task
from haulier.contexts.lockers.shop.rules import (
    FILL_HOURS,
    KEEP_DAYS,
    RESTOCK_TASK_CLOSED,
    SHOP_ITEM_IN_USE,
    ItemStatus,
    RestockStatus,
)
from haulier.contexts.lockers.shop.store import items as store
from haulier.contexts.lockers.sites.queries import get_box
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError

MARK = "SHOP-"
"""Prefix of references of shop compartments, to skip other parcels."""
NOBODY: dict[str, Any] = dict.fromkeys(
    ("order_id", "customer_id", "recipient_name", "recipient_email", "recipient_phone", "language"), None
)


async def fill_box(call: Call, task_id: int, expires_on: date | None) -> tuple[int, DeviceCommandRow]:
    """Open a free compartment for the next item of a task.

    The item is put on sale once the locker reports that the door opened. Raises `NOT_FOUND`, `RESTOCK_TASK_CLOSED`,
    `NO_FREE_BOX`, `LOCKER_WITHOUT_DEVICE` and `DEVICE_NOT_USABLE`.
    """
    task = await get_task(call, task_id, lock=True)
    under_way = await store.count_filling(call.work, task.id)
    if task.status != RestockStatus.OPEN or task.filled + under_way >= task.quantity:
        raise RESTOCK_TASK_CLOSED(filled=task.filled + under_way, quantity=task.quantity)
    product = await get_product(call, task.product_id)
    until = expires_on or (call.today + timedelta(days=product.shelf_days) if product.shelf_days else None)
    if until and until < call.today:
        raise INVALID_REQUEST.for_fields(FieldError("expires_on", "field.until_over"))
    wanted = WantedBox(
        site_id=task.site_id,
        size=product.size,
        hold_hours=FILL_HOURS,
        keep_days=(until - call.today).days + 1 if until else KEEP_DAYS,
        reference=f"{MARK}{product.code}",
    )
    parcel = await take_box(call, wanted, NOBODY)
    if parcel is None:
        raise NO_FREE_BOX(size=product.size.upper())
    item_id = await store.insert_item(
        call.work,
        {
            "product_id": product.id,
            "site_id": task.site_id,
            "parcel_id": parcel.id,
            "task_id": task.id,
            "status": ItemStatus.FILLING.value,
            "expires_on": until,
            "created_at": call.now,
        },
    )
    call.add_audit_subjects("shop_item", item_id)
    return item_id, await open_for_parcel(call, parcel, LockerStep.DEPOSIT, DoorPurpose.DEPOSIT)


async def take_out(call: Call, item_id: int) -> DeviceCommandRow:
    """Open the compartment of an item to remove it, and take it off sale.

    Raises `NOT_FOUND`, `SHOP_ITEM_IN_USE`, `LOCKER_WITHOUT_DEVICE` and `DEVICE_NOT_USABLE`.
    """
    item = await get_item(call, item_id, lock=True)
    if item.status not in (ItemStatus.AVAILABLE, ItemStatus.BLOCKED):
        raise SHOP_ITEM_IN_USE(status=item.status)
    parcel = await get_parcel(call, item.parcel_id)
    command = await open_for_parcel(call, parcel, LockerStep.REMOVE, DoorPurpose.RETRIEVE)
    await store.update_item(call.work, item.id, {"status": ItemStatus.BLOCKED.value})
    call.add_audit_subjects("shop_item", item.id)
    return command


async def put_on_sale(call: Call, item_id: int) -> None:
    """Put an inspected item back on sale.

    Raises `NOT_FOUND`, or `SHOP_ITEM_IN_USE` without a working compartment.
    """
    item = await get_item(call, item_id, lock=True)
    parcel = await get_parcel(call, item.parcel_id)
    box = await get_box(call, parcel.box_id)
    if item.status != ItemStatus.BLOCKED or parcel.status != LockerStatus.DEPOSITED or not box.usable:
        raise SHOP_ITEM_IN_USE(status=item.status if box.usable else box.state)
    await store.update_item(call.work, item.id, {"status": ItemStatus.AVAILABLE.value})
    call.add_audit_subjects("shop_item", item.id)
