"""Codes that an offline locker verifies, and the openings that it reports later."""

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum

from msgspec import Struct

from haulier.contexts.lockers.devices.actions.commands import Door, note_opened_door, settle_command
from haulier.contexts.lockers.devices.actions.credentials import note_codes
from haulier.contexts.lockers.devices.queries import (
    DeviceCommandRow,
    DeviceRow,
    find_command_of_frame,
    get_credential_digest,
)
from haulier.contexts.lockers.devices.rules import CommandState, CommandStep, DoorPurpose
from haulier.contexts.lockers.parcels import store
from haulier.contexts.lockers.parcels.actions.outcomes import STEPS
from haulier.contexts.lockers.parcels.rules import (
    KEYPAD_REST,
    LOCKER_LIFE,
    OFFLINE_LIFE,
    OFFLINE_OFF,
    OFFLINE_SETTING,
    OPENED_OFFLINE,
    WRONG_CODES_MAX,
    LockerStatus,
    OfflineGrant,
    code_step,
    offline_key,
    offline_proof,
)
from haulier.contexts.lockers.sites.actions import set_box_state
from haulier.contexts.lockers.sites.queries import find_box_of_cabinet
from haulier.contexts.lockers.sites.rules import BoxState
from haulier.kernel.call import Call
from haulier.kernel.operations.client_keys import require_same_content

END_OF = {CommandStep.FINISH: CommandState.DONE, CommandStep.FAIL: CommandState.FAILED}
"""The state of a command after the outcome of a door that a cabinet opened by itself."""


class OpeningOutcome(StrEnum):
    """Outcome of an offline opening."""

    SETTLED = "settled"
    REPEATED = "repeated"
    CONTRADICTED = "contradicted"
    """The parcel was elsewhere or not to be deposited. The compartment is disabled until it is inspected."""
    UNKNOWN = "unknown"
    """The parcel does not belong to this locker."""


class OpenedDoor(Struct, frozen=True, kw_only=True):
    """A door opened offline, or a failed attempt. `at` is server time."""

    sequence: int
    place: int
    """Its index in the journal that was sent."""
    code_id: int
    box: int
    purpose: DoorPurpose
    outcome: CommandStep
    at: datetime
    fault: str | None


async def list_offline_codes(call: Call, device: DeviceRow) -> list[tuple[OfflineGrant, str]]:
    """List the codes of a device's locker with their proofs.

    Empty if turned off for the device.
    """
    digest = await get_credential_digest(call, device.id)
    if digest is None or (device.desired_settings or {}).get(OFFLINE_SETTING) == OFFLINE_OFF:
        return []
    key, begins, ends = offline_key(digest), int(call.now.timestamp()), call.now + OFFLINE_LIFE
    granted: list[tuple[OfflineGrant, str]] = []
    for row in await store.list_coded_parcels(call.work, device.id):
        if (does := code_step(row.kind, row.status)) and row.until > call.now:
            grant = OfflineGrant(
                code_id=row.id,
                box=row.box,
                purpose=does[1].value,
                not_before=begins,
                not_after=int(min(row.until, ends).timestamp()),
            )
            granted.append((grant, offline_proof(key, grant, row.code_sha256)))
    return granted


async def settle_opened_doors(call: Call, device: DeviceRow, opened: Sequence[OpenedDoor]) -> list[OpeningOutcome]:
    """Record the doors that a locker opened offline, each once, in order.

    The device's row must be locked. Raises `CLIENT_KEY_REUSED` for another door under a sequence number that was used.
    """
    return [await _settle(call, device, each) for each in opened]


async def note_wrong_codes(call: Call, device: DeviceRow, sequence: int, wrong: int) -> None:
    """Add the wrong codes counted offline. Older frames change nothing."""
    if sequence <= device.code_sequence:
        return
    rests = wrong >= WRONG_CODES_MAX
    rests_until = call.now + KEYPAD_REST if rests else device.keypad_rests_until
    noted = {"wrong_codes": 0 if rests else wrong, "keypad_rests_until": rests_until, "code_sequence": sequence}
    await note_codes(call, device.id, noted)


def _require_same_door(before: DeviceCommandRow, opened: OpenedDoor) -> None:
    """Raise `CLIENT_KEY_REUSED` if a used sequence number names another door.

    The time is not compared, because the device's clock may be corrected.
    """
    pairs = {"code_id": (opened.code_id, before.parcel_id)}
    # Only journal entries: for online codes, the server chose the compartment and the purpose.
    if before.expires_at == before.created_at:
        pairs |= {
            "box": (opened.box, before.box_number),
            "purpose": (opened.purpose, before.purpose),
            "outcome": (END_OF[opened.outcome], before.status),
            "fault": (opened.fault, before.fault),
        }
    at = f"openings.{opened.place}."
    sent, stored = ({at + name: pair[side] for name, pair in pairs.items()} for side in (0, 1))
    require_same_content(at + "sequence", str(opened.sequence), sent, stored)


async def _settle(call: Call, device: DeviceRow, opened: OpenedDoor) -> OpeningOutcome:
    if before := await find_command_of_frame(call, device.id, opened.sequence):
        _require_same_door(before, opened)
        # No second door: the code frame arrived, and only the response was lost.
        _, known = await settle_command(call, before.id, opened.outcome, device_id=device.id, fault=opened.fault)
        return OpeningOutcome.REPEATED if known else OpeningOutcome.SETTLED
    row = await store.get_parcel_row(call.work, opened.code_id, lock=True)
    here = row if row and row.device_id == device.id else None
    # Use the reported compartment: the parcel may have moved since the locker synced.
    box = await find_box_of_cabinet(call, here.cabinet_id, opened.box, lock=True) if here else None
    if here is None or box is None:
        return OpeningOutcome.UNKNOWN
    fits = here.box_id == box.id and LOCKER_LIFE.next_status(STEPS[opened.purpose], LockerStatus(here.status))
    contradicted = opened.outcome is CommandStep.FINISH and not fits
    door = Door(box_id=box.id, number=box.number, purpose=opened.purpose, parcel_id=here.id)
    await note_opened_door(
        call,
        device.id,
        door,
        frame_sequence=opened.sequence,
        outcome=opened.outcome,
        at=opened.at,
        fault=opened.fault,
    )
    if contradicted:
        await set_box_state(call, box, BoxState.FAULTY, OPENED_OFFLINE)
    return OpeningOutcome.CONTRADICTED if contradicted else OpeningOutcome.SETTLED
