"""Compartments for bags at the origin and the destination."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from haulier.contexts.lockers.devices.queries import DeviceCommandRow
from haulier.contexts.lockers.devices.rules import DoorPurpose
from haulier.contexts.lockers.luggage.actions.bookings import cancel_luggage, free_box, give_back
from haulier.contexts.lockers.luggage.actions.custody import pass_on, settle
from haulier.contexts.lockers.luggage.actions.work import BOXES_JOB, DROP, LETTER_JOB, DueLuggage, LuggageLetter
from haulier.contexts.lockers.luggage.queries import get_terms, lock_luggage
from haulier.contexts.lockers.luggage.rules import (
    BOX_LEAD,
    BOX_RETRY,
    ENDED,
    BagStatus,
    BagStep,
    BookingStatus,
    LuggageEnd,
    share_of_bags,
)
from haulier.contexts.lockers.luggage.store import bookings as store
from haulier.contexts.lockers.luggage.store.tables import LuggageBagRow, LuggageRow
from haulier.contexts.lockers.parcels.actions.doors import find_door_under_way, open_for_parcel
from haulier.contexts.lockers.parcels.actions.reservations import WantedBox, take_box
from haulier.contexts.lockers.parcels.queries import LockerParcelRow, get_parcel
from haulier.contexts.lockers.parcels.rules import NO_FREE_BOX, LockerStatus, LockerStep, ParcelKind
from haulier.kernel.call import Call

MARK = "LUGGAGE-"
"""Prefix of references of luggage compartments, to skip other parcels."""
FETCH_DAYS = 14
"""Days that a bag may wait for its van in the compartment of the origin."""
PUT_IN_HOURS = 2
"""Hours that a compartment at the destination is reserved while the courier is there."""
HOUR = timedelta(hours=1)


async def keep_boxes(call: Call, booking_id: int) -> None:
    """Reserve compartments at the origin and send codes, or a PIN for other places.

    If none is free, it is retried until the drop-off time ends. After a stuck door, the price is refunded immediately.
    """
    row, bags = await lock_luggage(call, booking_id)
    if not _is_time(call, row):
        return
    if row.from_site_id is None:
        if row.pin_sha256 is None:
            await call.enqueue(LETTER_JOB, LuggageLetter(row.id, DROP))
        return
    waiting = [bag for bag in bags if bag.status == BagStatus.EXPECTED and bag.drop_parcel_id is None]
    left = [bag for bag in waiting if not await _keep_box(call, row, bag)]
    if len(left) < len(waiting):
        await call.enqueue(LETTER_JOB, LuggageLetter(row.id, DROP))
    if left and row.door_stuck:
        await leave_out(call, row.id, left, LuggageEnd.DOOR_STUCK)
    elif left:
        await call.enqueue(BOXES_JOB, DueLuggage(row.id), run_at=min(call.now + BOX_RETRY, row.drop_until))


def _is_time(call: Call, row: LuggageRow) -> bool:
    open_now = row.paid_at is not None and BookingStatus(row.status) not in ENDED
    return open_now and row.drop_from - BOX_LEAD <= call.now < row.drop_until


async def _keep_box(call: Call, row: LuggageRow, bag: LuggageBagRow) -> bool:
    # One hour longer: the job that ends the drop-off time runs first and settles the bags.
    hold = _hours_until(call.now, row.drop_until) + 1
    wanted = _wanted(row.from_site_id or 0, bag, hold_hours=hold, keep_days=FETCH_DAYS)
    # No recipient: the compartment would send its own email, and travellers get one for all bags.
    parcel = await take_box(call, wanted, {"kind": ParcelKind.DROP_OFF.value})
    if parcel is not None:
        await store.update_bag(call.work, bag.id, {"drop_parcel_id": parcel.id})
    return parcel is not None


def _hours_until(now: datetime, moment: datetime) -> int:
    return max(-(-(moment - now) // HOUR), 1)


def _wanted(site_id: int, bag: LuggageBagRow, *, hold_hours: int, keep_days: int) -> WantedBox:
    reference = f"{MARK}{bag.tag}"
    return WantedBox(site_id=site_id, size=bag.size, hold_hours=hold_hours, keep_days=keep_days, reference=reference)


async def leave_out(call: Call, booking_id: int, left: Sequence[LuggageBagRow], reason: LuggageEnd) -> None:
    """Continue without bags that were not dropped off.

    Their share is refunded unless the traveller is responsible.
    """
    row, bags = await lock_luggage(call, booking_id)
    ours = reason is not LuggageEnd.NOT_BROUGHT
    begun = any(bag.status not in (BagStatus.EXPECTED, BagStatus.ABSENT) for bag in bags)
    if not begun and len(left) == sum(bag.status == BagStatus.EXPECTED for bag in bags):
        await cancel_luggage(call, row, bags, reason, give_back_minor=row.price_minor if ours else 0)
        return
    for bag in left:
        await free_box(call, bag.drop_parcel_id)
        await pass_on(call, row, bag, BagStep.LEAVE_OUT)
    if ours:
        share = share_of_bags(row.price_minor, row.bag_count, len(left))
        await give_back(call, row, share, key=f"left_out:{left[0].number}")
    await settle(call, row.id)


async def open_to_load(call: Call, bag: LuggageBagRow) -> DeviceCommandRow | None:
    """Open the compartment of a dropped-off bag, or return None without one.

    Raises the errors of opening doors.
    """
    parcel = await get_parcel(call, bag.drop_parcel_id) if bag.drop_parcel_id else None
    if parcel is None or parcel.status not in (LockerStatus.DEPOSITED, LockerStatus.EXPIRED):
        return None
    await store.update_bag(call.work, bag.id, {"scanned_by": call.actor})
    return await _open(call, parcel, LockerStep.REMOVE, DoorPurpose.RETRIEVE)


async def open_to_unload(call: Call, row: LuggageRow, bag: LuggageBagRow) -> DeviceCommandRow | None:
    """Open a compartment at the destination of a bag, or return None.

    The traveller's code opens it from then on. Raises `NO_FREE_BOX` and the errors of opening doors. Repeated calls
    open the same compartment.
    """
    if row.to_site_id is None:
        return None
    parcel = await get_parcel(call, bag.pick_parcel_id) if bag.pick_parcel_id else None
    if parcel is None or parcel.status != LockerStatus.RESERVED:
        keep_days = (await get_terms(call)).pick_days
        wanted = _wanted(row.to_site_id, bag, hold_hours=PUT_IN_HOURS, keep_days=keep_days)
        parcel = await take_box(call, wanted, _recipient(row))
    if parcel is None:
        raise NO_FREE_BOX(size=bag.size.upper())
    await store.update_bag(call.work, bag.id, {"pick_parcel_id": parcel.id, "scanned_by": call.actor})
    return await _open(call, parcel, LockerStep.DEPOSIT, DoorPurpose.DEPOSIT)


async def _open(call: Call, parcel: LockerParcelRow, step: LockerStep, purpose: DoorPurpose) -> DeviceCommandRow:
    """Open a door for the courier, unless it is already opening."""
    return await find_door_under_way(call, parcel.id) or await open_for_parcel(call, parcel, step, purpose)


def _recipient(row: LuggageRow) -> dict[str, Any]:
    return {
        "customer_id": row.customer_id,
        "recipient_name": row.traveller_name,
        "recipient_email": row.traveller_email,
        "recipient_phone": row.traveller_phone,
        "language": row.language,
    }
