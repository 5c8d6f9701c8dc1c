"""Custody of bags: each handover is a link, and sets the status of the booking."""

from datetime import timedelta
from typing import Any

from msgspec import Struct

from haulier.contexts.lockers.luggage.actions.bookings import announce
from haulier.contexts.lockers.luggage.actions.work import (
    ARRIVED,
    DUE_JOB,
    LETTER_JOB,
    OVERDUE,
    DueLuggage,
    LuggageLetter,
)
from haulier.contexts.lockers.luggage.queries import get_terms
from haulier.contexts.lockers.luggage.rules import (
    BAG_LIFE,
    ENDED,
    PIN_DIGITS,
    PIN_REST,
    WAITING,
    WRONG_PINS_MAX,
    BagStatus,
    BagStep,
    BookingStatus,
    digest_pin,
    status_of_bags,
)
from haulier.contexts.lockers.luggage.store import bookings as store
from haulier.contexts.lockers.luggage.store.tables import LuggageBagRow, LuggageHandoverRow, LuggageRow
from haulier.kernel.call import Call
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


async def pass_on(
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


async def note_damage(call: Call, row: LuggageRow, bag: LuggageBagRow, note: str) -> None:
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


async def settle(call: Call, booking_id: int) -> LuggageRow:
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
        await call.enqueue(LETTER_JOB, LuggageLetter(row.id, OVERDUE))
    await store.update_booking(call.work, row.id, values)
    return await announce(call, row.id)


async def _arrived(call: Call, row: LuggageRow) -> dict[str, Any]:
    pick_until = call.now + timedelta(days=(await get_terms(call)).pick_days)
    await call.enqueue(DUE_JOB, DueLuggage(row.id), run_at=pick_until)
    if row.to_site_id is None:  # compartments notify the traveller themselves
        await call.enqueue(LETTER_JOB, LuggageLetter(row.id, ARRIVED))
    late = row.late or call.now > row.pick_from
    return {"arrived_at": call.now, "pick_until": pick_until, "late": late}


async def give_pin(call: Call, row: LuggageRow) -> str:
    """Give a booking a new PIN; the one before stops working.

    Stored are its digest and the nonce it is derived from.
    """
    pin, nonce = make_one_time_code(_about(call, row), PIN_DIGITS)
    digest = digest_pin(call.client_id, row.id, pin)
    made = {"pin_sha256": digest, "pin_nonce": nonce, "wrong_pins": 0, "pin_rests_until": None}
    await store.update_booking(call.work, row.id, made)
    return pin


async def find_or_give_pin(call: Call, row: LuggageRow) -> str:
    """Return the current PIN of a booking, or create one."""

    def fits(pin: str) -> bool:
        return digest_pin(call.client_id, row.id, pin) == row.pin_sha256

    found = read_one_time_code(_about(call, row), row.pin_nonce, PIN_DIGITS, fits)
    return found or await give_pin(call, row)


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
