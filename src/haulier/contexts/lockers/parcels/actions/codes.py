"""Writes of parcels for other families: codes."""

from datetime import datetime
from typing import Any

from msgspec import Struct

from haulier.contexts.identity.public import MailAttachment, send_mail_to_address
from haulier.contexts.lockers.devices.actions.commands import Door, request_command
from haulier.contexts.lockers.devices.actions.credentials import record_codes
from haulier.contexts.lockers.devices.queries import (
    DeviceCommandRow,
    DeviceRow,
    find_command_of_frame,
    list_commands_of_parcels,
)
from haulier.contexts.lockers.devices.rules import WAITING, DeviceCommand, DoorPurpose
from haulier.contexts.lockers.parcels import store
from haulier.contexts.lockers.parcels.rules import (
    KEYPAD_REST,
    LOCKER_LIFE,
    LOCKER_WITHOUT_DEVICE,
    WRONG_CODES_MAX,
    LockerStatus,
    LockerStep,
    code_step,
    digest_code,
)
from haulier.contexts.lockers.parcels.store import LockerParcelRow
from haulier.contexts.lockers.sites.queries import find_cabinet_of_device, get_box, get_cabinet
from haulier.contexts.messaging.public import SmsRefused, send_sms
from haulier.kernel.call import Call
from haulier.kernel.job_run import JobRun
from haulier.rendering.qr_png import qr_png


async def open_for_parcel(
    call: Call, row: LockerParcelRow, step: LockerStep, purpose: DoorPurpose, *, frame_sequence: int | None = None
) -> DeviceCommandRow:
    """Open the door of a parcel and take the step once it opened.

    Raises `LOCKER_STEP_REFUSED`, `LOCKER_WITHOUT_DEVICE` and `DEVICE_NOT_USABLE`.
    """
    LOCKER_LIFE.next_status_or_raise(step, LockerStatus(row.status))
    if row.device_id is None:
        raise LOCKER_WITHOUT_DEVICE()
    door = Door(box_id=row.box_id, number=row.box, purpose=purpose, parcel_id=row.id)
    return await request_command(call, row.device_id, DeviceCommand.OPEN, door=door, frame_sequence=frame_sequence)


async def open_by_code(
    call: Call, row: LockerParcelRow, *, frame_sequence: int | None = None
) -> DeviceCommandRow | None:
    """Open the compartment of a parcel by its code, to deposit or collect.

    Returns None if the code opens nothing now. Raises `LOCKER_WITHOUT_DEVICE` and `DEVICE_NOT_USABLE`.
    """
    does = code_step(row.kind, row.status)
    return await open_for_parcel(call, row, *does, frame_sequence=frame_sequence) if does else None


async def find_pending_door(call: Call, parcel_id: int) -> DeviceCommandRow | None:
    """Return the command that is opening the door of a parcel, or None."""
    opened = (await list_commands_of_parcels(call, [parcel_id]))[parcel_id]
    under_way = (each for each in reversed(opened) if each.status in WAITING and each.expires_at > call.now)
    return next(under_way, None)


async def open_for_inspection(call: Call, box_id: int, reason: str) -> DeviceCommandRow:
    """Open a door for an inspection.

    Raises `NOT_FOUND`, `LOCKER_WITHOUT_DEVICE` and `DEVICE_NOT_USABLE`.
    """
    box = await get_box(call, box_id)
    cabinet = await get_cabinet(call, box.cabinet_id)
    if cabinet.device_id is None:
        raise LOCKER_WITHOUT_DEVICE()
    door = Door(box_id=box.id, number=box.number, purpose=DoorPurpose.INSPECT)
    call.add_audit_subjects("locker_site", box.site_id)
    return await request_command(call, cabinet.device_id, DeviceCommand.OPEN, door=door, reason=reason)


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
    await record_codes(call, device.id, {"wrong_codes": 0, "keypad_rests_until": None, "code_sequence": sequence})
    return CodeOutcome(command=command)


async def _count_wrong(call: Call, device: DeviceRow, sequence: int) -> CodeOutcome:
    wrong = device.wrong_codes + 1
    rests = wrong >= WRONG_CODES_MAX
    rests_until = call.now + KEYPAD_REST if rests else None
    noted: dict[str, Any] = {"wrong_codes": 0 if rests else wrong, "keypad_rests_until": rests_until}
    noted["code_sequence"] = sequence
    await record_codes(call, device.id, noted)
    return CodeOutcome(tries_left=WRONG_CODES_MAX - wrong, rests_until=rests_until)


def code_picture(call: Call, language: str, code: str) -> tuple[str, tuple[MailAttachment, ...]]:
    """Return the picture of a code with its caption, or nothing without a code."""
    if not code:
        return "", ()
    said = call.app.catalogues.translate(language, "locker_code_picture")
    return f"\n{said}\n", (MailAttachment(name="code.png", media_type="image/png", content=qr_png(code)),)


class EmailContent(Struct, frozen=True, kw_only=True):
    """A rendered message by email, SMS or both, depending on the known addresses."""

    email: str | None
    phone: str | None
    subject: str
    text: str
    picture_note: str
    """Sentence of the email about the attached picture."""
    attachments: tuple[MailAttachment, ...]


def compose_email(
    call: Call, language: str, words: tuple[str, str], said: dict[str, Any], *, email: str | None, phone: str | None
) -> EmailContent:
    """Render a message with its subject, text and picture of the `code`."""
    subject, text = (call.app.catalogues.translate(language, message, **said) for message in words)
    note, attachments = code_picture(call, language, said["code"])
    return EmailContent(
        email=email, phone=phone, subject=subject, text=text, picture_note=note, attachments=attachments
    )


async def enqueue_email(run: JobRun, letter: EmailContent) -> None:
    """Send a message. An SMS that its provider rejects is not retried."""
    if letter.email:
        text = letter.text + letter.picture_note
        await send_mail_to_address(
            run.app, run.client_id, to=letter.email, subject=letter.subject, text=text, attachments=letter.attachments
        )
    if letter.phone:
        try:
            await send_sms(run.app, run.client_id or 0, letter.phone, letter.text)
        except SmsRefused:
            return
