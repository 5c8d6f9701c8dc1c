"""Writes of luggage bookings for other families: custody."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from msgspec import Struct

from haulier.contexts.lockers.devices.queries import DeviceCommandRow
from haulier.contexts.lockers.devices.rules import DoorPurpose
from haulier.contexts.lockers.events import LockerParcelChanged
from haulier.contexts.lockers.luggage import store
from haulier.contexts.lockers.luggage.actions.bookings import (
    ARRIVED,
    BOXES_JOB,
    DROP,
    DUE_JOB,
    EMAIL_JOB,
    OVERDUE,
    DueLuggage,
    LuggageEmail,
    cancel_luggage,
    free_box,
    publish_booking_changed,
    refund_booking,
)
from haulier.contexts.lockers.luggage.contract import HandOverLuggage
from haulier.contexts.lockers.luggage.queries import get_terms, is_driver, lock_luggage
from haulier.contexts.lockers.luggage.rules import (
    BAG_LIFE,
    BOX_LEAD,
    BOX_RETRY,
    ENDED,
    PIN_DIGITS,
    PIN_REST,
    WAITING,
    WRONG_PINS_MAX,
    BagStatus,
    BagStep,
    BookingStatus,
    LuggageEnd,
    digest_pin,
    refused,
    share_of_bags,
    status_of_bags,
)
from haulier.contexts.lockers.luggage.store import LuggageBagRow, LuggageHandoverRow, LuggageRow
from haulier.contexts.lockers.parcels.actions.codes import find_pending_door, open_for_parcel
from haulier.contexts.lockers.parcels.actions.steps import DOOR_STUCK, WantedBox, occupy_box
from haulier.contexts.lockers.parcels.queries import LockerParcelRow, get_parcel
from haulier.contexts.lockers.parcels.rules import IN_A_BOX, NO_FREE_BOX, LockerStatus, LockerStep, ParcelKind
from haulier.kernel.background.events import DomainEvent, before_commit
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError, record_not_found
from haulier.kernel.values.one_time_codes import make_one_time_code, read_one_time_code

DOOR, PIN, IDENTITY, SCAN = "door", "pin", "identity", "scan"
LOCKER, DESK, COURIER, TRAVELLER, NOBODY = "locker", "desk", "courier", "traveller", "nobody"
DAMAGE = "damage"
_HOLDERS = {
    BagStatus.EXPECTED: TRAVELLER,
    BagStatus.RECEIVED: COURIER,
    BagStatus.LOADED: COURIER,
    BagStatus.UNLOADED: DESK,
    BagStatus.COLLECTED: TRAVELLER,
    BagStatus.LOST: NOBODY,
    BagStatus.ABSENT: TRAVELLER,
}


class Handing(Struct, frozen=True, kw_only=True):
    """Proof and actor of a handover."""

    proof: str | None = None
    note: str | None = None
    user_id: int | None = None


async def move_bag(
    call: Call, row: LuggageRow, bag: LuggageBagRow, step: BagStep, handing: Handing | None = None
) -> None:
    """Take a step with a bag and record its new holder. Raises `LUGGAGE_STEP_REFUSED`."""
    handing = handing or Handing(user_id=call.actor)
    reached = BAG_LIFE.next_status_or_raise(step, BagStatus(bag.status))
    left = reached in (BagStatus.COLLECTED, BagStatus.ABSENT)
    await store.update_bag(
        call.work, bag.id, {"status": reached.value, "ended_at": call.now if left else None, "scanned_by": None}
    )
    await _write_link(call, row, bag, step.value, _holder(reached, handing), handing)


async def record_damage(call: Call, row: LuggageRow, bag: LuggageBagRow, note: str) -> None:
    """Record damage of a bag and its holder at the time."""
    await store.update_bag(call.work, bag.id, {"damaged": True})
    holder = _HOLDERS[BagStatus(bag.status)]
    await _write_link(call, row, bag, DAMAGE, holder, Handing(note=note, user_id=call.actor))


def _holder(reached: BagStatus, handing: Handing) -> str:
    in_a_box = handing.proof == DOOR and reached in (BagStatus.RECEIVED, BagStatus.UNLOADED)
    return LOCKER if in_a_box else _HOLDERS[reached]


async def _write_link(
    call: Call, row: LuggageRow, bag: LuggageBagRow, step: str, holder: str, handing: Handing
) -> None:
    await LuggageHandoverRow.insert(
        call.work,
        booking_id=row.id,
        tag=bag.tag,
        step=step,
        holder=holder,
        user_id=handing.user_id,
        proof=handing.proof,
        note=handing.note,
        at=call.now,
    )


async def apply_outcome(call: Call, booking_id: int) -> LuggageRow:
    """Update the status of a booking after its bags moved, with all consequences."""
    row = await LuggageRow.get(call.work, booking_id)
    assert row is not None
    bags = await store.list_bag_rows(call.work, row.id)
    over = row.pick_until is not None and row.pick_until <= call.now
    reached = status_of_bags([bag.status for bag in bags], overdue=over)
    if reached == row.status:
        return row
    values: dict[str, Any] = {"status": reached.value, "ended_at": call.now if reached in ENDED else None}
    if row.received_at is None:
        values["received_at"] = call.now
    if reached in WAITING and row.arrived_at is None:
        values |= await _arrived(call, row)
    if reached is BookingStatus.OVERDUE:
        await call.enqueue(EMAIL_JOB, LuggageEmail(row.id, OVERDUE))
    await store.update_booking(call.work, row.id, values)
    return await publish_booking_changed(call, row.id)


async def _arrived(call: Call, row: LuggageRow) -> dict[str, Any]:
    pick_until = call.now + timedelta(days=(await get_terms(call)).pick_days)
    await call.enqueue(DUE_JOB, DueLuggage(row.id), run_at=pick_until)
    if row.to_site_id is None:  # compartments notify the traveller themselves
        await call.enqueue(EMAIL_JOB, LuggageEmail(row.id, ARRIVED))
    late = row.late or call.now > row.pick_from
    return {"arrived_at": call.now, "pick_until": pick_until, "late": late}


async def issue_pin(call: Call, row: LuggageRow) -> str:
    """Give a booking a new PIN; the one before stops working.

    Stored are its digest and the nonce it is derived from.
    """
    pin, nonce = make_one_time_code(_about(call, row), PIN_DIGITS)
    digest = digest_pin(call.client_id, row.id, pin)
    made = {"pin_sha256": digest, "pin_nonce": nonce, "wrong_pins": 0, "pin_rests_until": None}
    await store.update_booking(call.work, row.id, made)
    return pin


async def find_or_issue_pin(call: Call, row: LuggageRow) -> str:
    """Return the current PIN of a booking, or create one."""

    def fits(pin: str) -> bool:
        return digest_pin(call.client_id, row.id, pin) == row.pin_sha256

    found = read_one_time_code(_about(call, row), row.pin_nonce, PIN_DIGITS, fits)
    return found or await issue_pin(call, row)


def _about(call: Call, row: LuggageRow) -> str:
    return f"luggage booking {call.client_id}:{row.id}"


async def try_pin(call: Call, row: LuggageRow, pin: str) -> tuple[bool, int]:
    """Return True for the right PIN, which works once, and the number of tries left."""
    if row.pin_rests_until is not None and row.pin_rests_until > call.now:
        return False, 0
    if row.pin_sha256 is not None and row.pin_sha256 == digest_pin(call.client_id, row.id, pin):
        await store.update_booking(call.work, row.id, {"wrong_pins": 0, "pin_rests_until": None})
        return True, WRONG_PINS_MAX
    wrong = row.wrong_pins + 1
    rests = wrong >= WRONG_PINS_MAX
    noted = {"wrong_pins": 0 if rests else wrong, "pin_rests_until": call.now + PIN_REST if rests else None}
    await store.update_booking(call.work, row.id, noted)
    return False, WRONG_PINS_MAX - wrong


def is_live(status: str) -> bool:
    """Return True if the bags of a booking can still move."""
    return BookingStatus(status) not in ENDED


MARK = "LUGGAGE-"
"""Prefix of references of luggage compartments, to skip other parcels."""
FETCH_DAYS = 14
"""Days that a bag may wait for its van in the compartment of the origin."""
PUT_IN_HOURS = 2
"""Hours that a compartment at the destination is reserved while the courier is there."""
HOUR = timedelta(hours=1)


async def reserve_boxes(call: Call, booking_id: int) -> None:
    """Reserve compartments at the origin and send codes, or a PIN for other places.

    If none is free, it is retried until the drop-off time ends. After a stuck door, the price is refunded immediately.
    """
    row, bags = await lock_luggage(call, booking_id)
    if not _is_time(call, row):
        return
    if row.from_site_id is None:
        if row.pin_sha256 is None:
            await call.enqueue(EMAIL_JOB, LuggageEmail(row.id, DROP))
        return
    waiting = [bag for bag in bags if bag.status == BagStatus.EXPECTED and bag.drop_parcel_id is None]
    left = [bag for bag in waiting if not await _reserve_box(call, row, bag)]
    if len(left) < len(waiting):
        await call.enqueue(EMAIL_JOB, LuggageEmail(row.id, DROP))
    if left and row.door_stuck:
        await drop_missing_bags(call, row.id, left, LuggageEnd.DOOR_STUCK)
    elif left:
        await call.enqueue(BOXES_JOB, DueLuggage(row.id), run_at=min(call.now + BOX_RETRY, row.drop_until))


def _is_time(call: Call, row: LuggageRow) -> bool:
    open_now = row.paid_at is not None and BookingStatus(row.status) not in ENDED
    return open_now and row.drop_from - BOX_LEAD <= call.now < row.drop_until


async def _reserve_box(call: Call, row: LuggageRow, bag: LuggageBagRow) -> bool:
    # One hour longer: the job that ends the drop-off time runs first and settles the bags.
    hold = _hours_until(call.now, row.drop_until) + 1
    wanted = _build_box_request(row.from_site_id or 0, bag, hold_hours=hold, keep_days=FETCH_DAYS)
    # No recipient: the compartment would send its own email, and travellers get one for all bags.
    parcel = await occupy_box(call, wanted, {"kind": ParcelKind.DROP_OFF.value})
    if parcel is not None:
        await store.update_bag(call.work, bag.id, {"drop_parcel_id": parcel.id})
    return parcel is not None


def _hours_until(now: datetime, moment: datetime) -> int:
    return max(-(-(moment - now) // HOUR), 1)


def _build_box_request(site_id: int, bag: LuggageBagRow, *, hold_hours: int, keep_days: int) -> WantedBox:
    reference = f"{MARK}{bag.tag}"
    return WantedBox(site_id=site_id, size=bag.size, hold_hours=hold_hours, keep_days=keep_days, reference=reference)


async def drop_missing_bags(call: Call, booking_id: int, left: Sequence[LuggageBagRow], reason: LuggageEnd) -> None:
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
        await move_bag(call, row, bag, BagStep.LEAVE_OUT)
    if ours:
        share = share_of_bags(row.price_minor, row.bag_count, len(left))
        await refund_booking(call, row, share, key=f"left_out:{left[0].number}")
    await apply_outcome(call, row.id)


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
        wanted = _build_box_request(row.to_site_id, bag, hold_hours=PUT_IN_HOURS, keep_days=keep_days)
        parcel = await occupy_box(call, wanted, _recipient(row))
    if parcel is None:
        raise NO_FREE_BOX(size=bag.size.upper())
    await store.update_bag(call.work, bag.id, {"pick_parcel_id": parcel.id, "scanned_by": call.actor})
    return await _open(call, parcel, LockerStep.DEPOSIT, DoorPurpose.DEPOSIT)


async def _open(call: Call, parcel: LockerParcelRow, step: LockerStep, purpose: DoorPurpose) -> DeviceCommandRow:
    """Open a door for the courier, unless it is already opening."""
    return await find_pending_door(call, parcel.id) or await open_for_parcel(call, parcel, step, purpose)


def _recipient(row: LuggageRow) -> dict[str, Any]:
    return {
        "customer_id": row.customer_id,
        "recipient_name": row.traveller_name,
        "recipient_email": row.traveller_email,
        "recipient_phone": row.traveller_phone,
        "language": row.language,
    }


FACE_TO_FACE = frozenset({BagStep.RECEIVE, BagStep.HAND_OUT})
"""Steps in the presence of the traveller, who must prove ownership."""


class HandingOutcome(Struct, frozen=True, kw_only=True):
    """Outcome of a handover."""

    accepted: bool = True
    tries_left: int = WRONG_PINS_MAX
    doors: Sequence[DeviceCommandRow] = ()


async def hand_over(
    call: Call, row: LuggageRow, bags: Sequence[LuggageBagRow], request: HandOverLuggage
) -> HandingOutcome:
    """Hand over bags, or open the doors for it. The rows must be locked.

    Raises `NOT_FOUND` for an unknown tag, `LUGGAGE_STEP_REFUSED`, `NO_FREE_BOX`, and the errors of opening doors.
    """
    step = BagStep(request.step)
    chosen = [_bag_with(bags, tag) for tag in dict.fromkeys(request.tags)]
    if row.paid_at is None or row.status == BookingStatus.CANCELLED:
        raise refused(step, BookingStatus(row.status))
    for bag in chosen:
        BAG_LIFE.next_status_or_raise(step, BagStatus(bag.status))
    if step not in FACE_TO_FACE:
        return await _by_scan(call, row, chosen, step, request.note)
    if step is BagStep.HAND_OUT:
        for bag in chosen:
            await _require_at_hand(call, bag)
    accepted, tries_left, proof = await _prove(call, row, request)
    if accepted:
        note = request.identity_checked or request.note
        for bag in chosen:
            if step is BagStep.RECEIVE:  # bags dropped off over a counter need no compartment
                await free_box(call, bag.drop_parcel_id)
            await move_bag(call, row, bag, step, Handing(proof=proof, note=note, user_id=call.actor))
        await apply_outcome(call, row.id)
        await _end_pin(call, row, step)
    return HandingOutcome(accepted=accepted, tries_left=tries_left)


def _bag_with(bags: Sequence[LuggageBagRow], tag: str) -> LuggageBagRow:
    for bag in bags:
        if bag.tag == tag:
            return bag
    raise record_not_found(tag=tag)


def find_bag(bags: Sequence[LuggageBagRow], tag: str) -> LuggageBagRow:
    """Return the bag with a tag. Raises `NOT_FOUND`."""
    return _bag_with(bags, tag)


async def _require_at_hand(call: Call, bag: LuggageBagRow) -> None:
    """Require a bag that is not in a compartment. Raises `LUGGAGE_STEP_REFUSED`."""
    parcel = await get_parcel(call, bag.pick_parcel_id) if bag.pick_parcel_id else None
    if parcel is not None and LockerStatus(parcel.status) in IN_A_BOX:
        raise refused(BagStep.HAND_OUT, LockerStatus(parcel.status))


async def _prove(call: Call, row: LuggageRow, request: HandOverLuggage) -> tuple[bool, int, str]:
    if request.pin is not None:
        return *await try_pin(call, row, request.pin.get_secret_value()), PIN
    if request.identity_checked is None or is_driver(call):
        raise INVALID_REQUEST.for_fields(FieldError("pin", "field.missing"))
    return True, WRONG_PINS_MAX, IDENTITY


async def _end_pin(call: Call, row: LuggageRow, step: BagStep) -> None:
    """Invalidate the PIN once all bags are dropped off or collected.

    The destination has another PIN.
    """
    before = BagStatus.EXPECTED if step is BagStep.RECEIVE else BagStatus.UNLOADED
    if not any(bag.status == before for bag in await store.list_bag_rows(call.work, row.id)):
        await store.update_booking(call.work, row.id, {"pin_sha256": None})


async def _by_scan(
    call: Call, row: LuggageRow, chosen: Sequence[LuggageBagRow], step: BagStep, note: str | None
) -> HandingOutcome:
    doors: list[DeviceCommandRow] = []
    for bag in chosen:
        door = await (open_to_load(call, bag) if step is BagStep.LOAD else open_to_unload(call, row, bag))
        if door is None:
            await move_bag(call, row, bag, step, Handing(proof=SCAN, note=note, user_id=call.actor))
        else:
            doors.append(door)
    await apply_outcome(call, row.id)
    return HandingOutcome(doors=doors)


AT_ORIGIN = {LockerStatus.DEPOSITED: BagStep.RECEIVE, LockerStatus.REMOVED: BagStep.LOAD}
AT_DESTINATION = {LockerStatus.DEPOSITED: BagStep.UNLOAD, LockerStatus.COLLECTED: BagStep.HAND_OUT}


@before_commit(LockerParcelChanged)
async def sync_bags_with_boxes(call: Call, events: Sequence[DomainEvent]) -> None:
    """Update bags from changes of their compartments, within the same transaction."""
    for event in events:
        if isinstance(event, LockerParcelChanged) and (event.reference or "").startswith(MARK):
            await _on_parcel_changed(call, event.parcel_id, LockerStatus(event.status))


async def _on_parcel_changed(call: Call, parcel_id: int, status: LockerStatus) -> None:
    found = await store.find_bag_of_parcel(call.work, parcel_id)
    row = await LuggageRow.lock(call.work, found.booking_id) if found else None
    # Read again: a parallel call may have changed the bag during the wait for its booking.
    bag = await store.find_bag_of_parcel(call.work, parcel_id) if row else None
    if row is None or bag is None:
        return
    at_origin = bag.drop_parcel_id == parcel_id
    if status is LockerStatus.CANCELLED:
        await _is_box_released(call, row, bag, parcel_id, at_origin=at_origin)
        return
    step = (AT_ORIGIN if at_origin else AT_DESTINATION).get(status)
    if step is not None and BAG_LIFE.next_status(step, BagStatus(bag.status)) is not None:
        by = bag.scanned_by if step in (BagStep.LOAD, BagStep.UNLOAD) else None
        await move_bag(call, row, bag, step, Handing(proof=DOOR, user_id=by))
        await apply_outcome(call, row.id)
    elif status is LockerStatus.EXPIRED and not at_origin:
        await apply_outcome(call, row.id)


async def _is_box_released(call: Call, row: LuggageRow, bag: LuggageBagRow, parcel_id: int, *, at_origin: bool) -> None:
    """Handle an empty compartment that was released.

    A job finds another one, or the price is refunded.
    """
    if not at_origin:
        await store.update_bag(call.work, bag.id, {"pick_parcel_id": None})
    elif bag.status == BagStatus.EXPECTED and is_live(row.status) and call.now < row.drop_until:
        await store.update_bag(call.work, bag.id, {"drop_parcel_id": None})
        if (await get_parcel(call, parcel_id)).end_reason == DOOR_STUCK:
            await store.update_booking(call.work, row.id, {"door_stuck": True})
        await call.enqueue(BOXES_JOB, DueLuggage(row.id))
