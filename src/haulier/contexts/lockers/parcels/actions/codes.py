"""Codes entered at a locker. Wrong codes are counted and lock the keypad."""

from datetime import datetime
from typing import Any

from msgspec import Struct

from haulier.contexts.lockers.devices.actions.credentials import note_codes
from haulier.contexts.lockers.devices.queries import DeviceCommandRow, DeviceRow, find_command_of_frame
from haulier.contexts.lockers.parcels import store
from haulier.contexts.lockers.parcels.actions.doors import open_by_code
from haulier.contexts.lockers.parcels.rules import (
    KEYPAD_REST,
    WRONG_CODES_MAX,
    digest_code,
)
from haulier.contexts.lockers.sites.queries import find_cabinet_of_device
from haulier.kernel.call import Call


class CodeOutcome(Struct, frozen=True, kw_only=True):
    """Outcome of a code, with the command of a door that it opens."""

    command: DeviceCommandRow | None = None
    tries_left: int = WRONG_CODES_MAX
    rests_until: datetime | None = None


async def try_code(call: Call, device: DeviceRow, code: str, sequence: int) -> CodeOutcome:
    """Return the outcome of a code at a locker. A repeated frame opens nothing twice.

    The device's row must be locked.
    """
    if before := await find_command_of_frame(call, device.id, sequence):
        return CodeOutcome(command=before)
    if device.keypad_rests_until and device.keypad_rests_until > call.now:
        return CodeOutcome(tries_left=0, rests_until=device.keypad_rests_until)
    if sequence <= device.code_sequence:  # a repeated wrong code counts once
        return CodeOutcome(tries_left=WRONG_CODES_MAX - device.wrong_codes)
    cabinet = await find_cabinet_of_device(call, device.id)
    digest = digest_code(call.client_id, cabinet.site_id, code) if cabinet else b""
    found = await store.find_parcel_by_code(call.work, cabinet.site_id, digest) if cabinet else None
    row = await store.get_parcel_row(call.work, found.id, lock=True) if found else None
    # The device matters at sites with several lockers: a code works at the locker of its compartment.
    here = row if row and row.device_id == device.id else None
    command = await open_by_code(call, here, frame_sequence=sequence) if here else None
    if command is None:
        return await _count_wrong(call, device, sequence)
    await note_codes(call, device.id, {"wrong_codes": 0, "keypad_rests_until": None, "code_sequence": sequence})
    return CodeOutcome(command=command)


async def _count_wrong(call: Call, device: DeviceRow, sequence: int) -> CodeOutcome:
    wrong = device.wrong_codes + 1
    rests = wrong >= WRONG_CODES_MAX
    rests_until = call.now + KEYPAD_REST if rests else None
    noted: dict[str, Any] = {"wrong_codes": 0 if rests else wrong, "keypad_rests_until": rests_until}
    noted["code_sequence"] = sequence
    await note_codes(call, device.id, noted)
    return CodeOutcome(tries_left=WRONG_CODES_MAX - wrong, rests_until=rests_until)
