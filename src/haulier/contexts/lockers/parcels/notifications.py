"""Letters and texts to whoever takes a parcel out. The code is made when its letter is written, and kept as a digest only."""

from zoneinfo import ZoneInfo

from babel.dates import format_datetime
from msgspec import Struct

from haulier.contexts.identity.public import (
    MailAttachment,
    get_client_language,
    require_client,
    send_mail_to_address,
)
from haulier.contexts.lockers.parcels import store
from haulier.contexts.lockers.parcels.actions.pictures import code_picture
from haulier.contexts.lockers.parcels.actions.steps import LETTER_JOB, READY, REMINDER, LockerLetter, give_code, track
from haulier.contexts.lockers.parcels.rules import LockerStatus
from haulier.contexts.lockers.parcels.store import LockerParcelRow
from haulier.contexts.lockers.sites.queries import get_site
from haulier.contexts.messaging.public import SmsRefused, can_send_sms, send_sms
from haulier.kernel.background.jobs import job
from haulier.kernel.call import Call
from haulier.kernel.job_run import JobRun

CODE_SENT = "retrieval_code_sent"


class WrittenLetter(Struct, frozen=True, kw_only=True):
    """A letter that is ready to go: by e-mail, as a text, or both, wherever an address is known."""

    email: str | None
    phone: str | None
    subject: str
    text: str
    picture_note: str
    """What the e-mail says beside, of the picture that it holds."""
    attachments: tuple[MailAttachment, ...]


@job(LETTER_JOB, LockerLetter, max_attempts=6)
async def send_locker_letter(run: JobRun, args: LockerLetter) -> None:
    """Tell a recipient that their parcel is in its box, or that its time is almost over. A repeat sends another code."""
    async with run.call() as call:
        letter = await _write(call, args)
    if letter is None:
        return
    if letter.email:
        text = letter.text + letter.picture_note
        await send_mail_to_address(
            run.app, to=letter.email, subject=letter.subject, text=text, attachments=letter.attachments
        )
    if letter.phone:
        try:
            await send_sms(run.app, run.client_id or 0, letter.phone, letter.text)
        except SmsRefused:
            return


async def _write(call: Call, args: LockerLetter) -> WrittenLetter | None:
    row = await store.get_parcel_row(call.work, args.parcel_id, lock=True)
    if row is None or row.status != LockerStatus.DEPOSITED:
        return None
    phone = row.recipient_phone if await can_send_sms(call.app, call.work) else None
    if not row.recipient_email and not phone:
        return None
    code = ""
    if args.occasion == READY:
        code = await give_code(call, row)
        await track(call, row, CODE_SENT)
    if args.occasion == REMINDER:
        await store.update_parcel(call.work, row.id, {"reminded_at": call.now})
    return await _compose(call, row, args.occasion, code, phone)


async def _compose(call: Call, row: LockerParcelRow, occasion: str, code: str, phone: str | None) -> WrittenLetter:
    client, site = await require_client(call.work, call.client_id), await get_site(call, row.site_id)
    language = row.language or get_client_language(client)
    until = format_datetime(row.until, "long", tzinfo=ZoneInfo(client.time_zone), locale=language.replace("-", "_"))
    said = {
        "client": client.name,
        "site": site.name,
        "address": site.address,
        "cabinet": row.cabinet,
        "box": row.box,
        "code": code,
        "until": until,
    }
    translate = call.app.catalogues.translate
    note, attachments = code_picture(call, language, code)
    return WrittenLetter(
        email=row.recipient_email,
        phone=phone,
        subject=translate(language, f"locker_{occasion}_subject", **said),
        text=translate(language, f"locker_{occasion}_text", **said),
        picture_note=note,
        attachments=attachments,
    )
