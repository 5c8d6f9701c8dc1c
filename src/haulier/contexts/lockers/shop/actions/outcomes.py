"""Outcomes of doors and compartments for shop items and their buyers."""

from collections.abc import Sequence

from haulier.contexts.lockers.devices.rules import CommandState, DoorPurpose
from haulier.contexts.lockers.events import DeviceCommandEnded, LockerBoxChanged, LockerParcelChanged
from haulier.contexts.lockers.parcels.rules import LockerStatus
from haulier.contexts.lockers.shop.actions.purchases import (
    SILENCE_JOB,
    DuePurchase,
    collect_purchase,
    expire_purchase,
    give_back,
    sold_item,
)
from haulier.contexts.lockers.shop.actions.stock import MARK
from haulier.contexts.lockers.shop.queries import get_purchase, get_task
from haulier.contexts.lockers.shop.rules import (
    PAID_FOR,
    SILENCE_GRACE,
    EndReason,
    ItemStatus,
    RestockStatus,
    ShopStatus,
)
from haulier.contexts.lockers.shop.store import items as item_store
from haulier.contexts.lockers.shop.store import purchases as store
from haulier.contexts.lockers.shop.store.tables import ShopItemRow, ShopPurchaseRow
from haulier.contexts.lockers.sites.rules import BoxState
from haulier.kernel.background.events import DomainEvent, before_commit
from haulier.kernel.call import Call


@before_commit(LockerParcelChanged, DeviceCommandEnded, LockerBoxChanged)
async def follow_boxes(call: Call, events: Sequence[DomainEvent]) -> None:
    """Update shop items from changes of their compartments in one transaction."""
    for event in events:
        if isinstance(event, LockerParcelChanged) and (event.reference or "").startswith(MARK):
            await _follow_parcel(call, event)
        elif isinstance(event, DeviceCommandEnded) and event.parcel_id and event.purpose == DoorPurpose.COLLECT:
            await _follow_door(call, event)
        elif isinstance(event, LockerBoxChanged) and event.state != BoxState.READY:
            await item_store.block_item_of_box(call.work, event.box_id)


async def _follow_door(call: Call, event: DeviceCommandEnded) -> None:
    if event.status == CommandState.DONE:  # handled by the event of the collected parcel
        return
    row = await _purchase_of(call, event.parcel_id or 0)
    if row is None or row.status != ShopStatus.READY:
        return
    if event.status == CommandState.FAILED:
        await give_back(call, row, EndReason.DOOR_STUCK)
    else:
        await call.enqueue(SILENCE_JOB, DuePurchase(row.id), run_at=call.now + SILENCE_GRACE)


async def _follow_parcel(call: Call, event: LockerParcelChanged) -> None:
    item = await item_store.find_item_of_parcel(call.work, event.parcel_id)
    if item is None:
        return
    match LockerStatus(event.status):
        case LockerStatus.DEPOSITED if item.status == ItemStatus.FILLING:
            await _filled(call, item)
        case LockerStatus.COLLECTED:
            await _collected(call, item)
        case LockerStatus.EXPIRED:
            await _end_purchase(call, item)
            await item_store.update_item(call.work, item.id, {"status": ItemStatus.BLOCKED.value})
        case LockerStatus.REMOVED | LockerStatus.CANCELLED:
            await _end_purchase(call, item)
            removed = {"status": ItemStatus.REMOVED.value, "ended_at": call.now}
            await item_store.update_item(call.work, item.id, removed)
        case _:
            return


async def _filled(call: Call, item: ShopItemRow) -> None:
    for_sale = {"status": ItemStatus.AVAILABLE.value, "available_at": call.now}
    await item_store.update_item(call.work, item.id, for_sale)
    task = await get_task(call, item.task_id, lock=True)
    filled = task.filled + 1
    done = filled >= task.quantity and task.status == RestockStatus.OPEN
    closed = {"status": RestockStatus.DONE.value, "closed_at": call.now} if done else {}
    await item_store.update_task(call.work, task.id, {"filled": filled, **closed})


async def _collected(call: Call, item: ShopItemRow) -> None:
    """Mark an item as collected.

    After an earlier refund, staff see the mark `taken_after_refund`.
    """
    row = await _purchase_of(call, item.parcel_id)
    if row is not None and row.status == ShopStatus.READY:
        await collect_purchase(call, row)
    elif row is not None and row.status == ShopStatus.REFUNDED:
        await store.update_purchase(call.work, row.id, {"taken_after_refund": True})
    else:
        await _end_purchase(call, item)
    await item_store.update_item(call.work, item.id, sold_item(call))


async def _end_purchase(call: Call, item: ShopItemRow) -> None:
    row = await _purchase_of(call, item.parcel_id)
    if row is None:
        return
    if row.status == ShopStatus.RESERVED:
        await expire_purchase(call, row, EndReason.BOX_EMPTY)
    elif ShopStatus(row.status) in PAID_FOR:
        await give_back(call, row, EndReason.BOX_EMPTY)


async def _purchase_of(call: Call, parcel_id: int) -> ShopPurchaseRow | None:
    purchase_id = await store.find_purchase_of_parcel(call.work, parcel_id)
    return await get_purchase(call, purchase_id, lock=True) if purchase_id else None
