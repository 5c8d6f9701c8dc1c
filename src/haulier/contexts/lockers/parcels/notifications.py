"""Emails and SMS to recipients, with the code that every page shows."""

from zoneinfo import ZoneInfo

from babel.dates import format_datetime

from haulier.contexts.identity.public import get_client_language, require_client
from haulier.contexts.lockers.parcels import store
from haulier.contexts.lockers.parcels.actions.codes import EmailContent, compose_email, enqueue_email
from haulier.contexts.lockers.parcels.actions.steps import (
    LETTER_JOB,
    READY,
    REMINDER,
    LockerEmail,
    find_or_issue_code,
    track,
)
from haulier.contexts.lockers.parcels.rules import LockerStatus
from haulier.contexts.lockers.parcels.store import LockerParcelRow
from haulier.contexts.lockers.sites.queries import get_site
from haulier.contexts.messaging.public import can_send_sms
from haulier.kernel.background.jobs import job
from haulier.kernel.call import Call
from haulier.kernel.job_run import JobRun

CODE_SENT = "retrieval_code_sent"


@job(LETTER_JOB, LockerEmail, max_attempts=6)
async def send_locker_email(run: JobRun, args: LockerEmail) -> None:
    """Notify a recipient of a deposited parcel or its deadline.

    Repeats send the same code.
    """
    async with run.call() as call:
        letter = await _write(call, args)
    if letter is not None:
        await enqueue_email(run, letter)


async def _write(call: Call, args: LockerEmail) -> EmailContent | None:
    row = await store.get_parcel_row(call.work, args.parcel_id, lock=True)
    if row is None or row.status != LockerStatus.DEPOSITED:
        return None
    phone = row.recipient_phone if await can_send_sms(call.app, call.work) else None
    if not row.recipient_email and not phone:
        return None
    code = ""
    if args.occasion == READY:
        code = await find_or_issue_code(call, row)
        await track(call, row, CODE_SENT)
    if args.occasion == REMINDER:
        await store.update_parcel(call.work, row.id, {"reminded_at": call.now})
    return await _compose(call, row, args.occasion, code, phone)


async def _compose(call: Call, row: LockerParcelRow, occasion: str, code: str, phone: str | None) -> EmailContent:
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
    words = f"locker_{occasion}_subject", f"locker_{occasion}_text"
    return compose_email(call, language, words, said, email=row.recipient_email, phone=phone)
