"""Handovers of scanned bags: doors open and custody changes."""

from collections.abc import Sequence

from msgspec import Struct

from haulier.contexts.lockers.devices.queries import DeviceCommandRow
from haulier.contexts.lockers.luggage.actions.bookings import free_box
from haulier.contexts.lockers.luggage.actions.boxes import open_to_load, open_to_unload
from haulier.contexts.lockers.luggage.actions.custody import (
    IDENTITY,
    PIN,
    SCAN,
    Handing,
    pass_on,
    settle,
    try_pin,
)
from haulier.contexts.lockers.luggage.contract.custody import HandOverLuggage
from haulier.contexts.lockers.luggage.queries import is_driver
from haulier.contexts.lockers.luggage.rules import (
    BAG_LIFE,
    WRONG_PINS_MAX,
    BagStatus,
    BagStep,
    BookingStatus,
    refused,
)
from haulier.contexts.lockers.luggage.store import bookings as store
from haulier.contexts.lockers.luggage.store.tables import LuggageBagRow, LuggageRow
from haulier.contexts.lockers.parcels.queries import get_parcel
from haulier.contexts.lockers.parcels.rules import IN_A_BOX, LockerStatus
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError, record_not_found

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
            await pass_on(call, row, bag, step, Handing(proof=proof, note=note, user_id=call.actor))
        await settle(call, row.id)
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
            await pass_on(call, row, bag, step, Handing(proof=SCAN, note=note, user_id=call.actor))
        else:
            doors.append(door)
    await settle(call, row.id)
    return HandingOutcome(doors=doors)
