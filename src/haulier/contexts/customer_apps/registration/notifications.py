"""Text messages of a registration, sent behind the doors."""

import secrets

from msgspec import Struct

from haulier.contexts.customer_apps.apps.rules.verification_codes import CODE_DIGITS, CODE_LIFETIME
from haulier.contexts.customer_apps.registration import store
from haulier.contexts.identity.accounts.actions import passwords
from haulier.contexts.messaging.ports import SmsRefused
from haulier.contexts.messaging.sms.actions import deliver_sms
from haulier.kernel.background import PermanentJobFailure
from haulier.kernel.background.jobs import job
from haulier.kernel.job_run import JobRun


class SendPhoneCode(Struct, frozen=True):
    """A challenge whose code is to be sent, in whose name, in which language."""

    challenge_id: int
    business: str
    language: str


class SendRegistrationApproved(Struct, frozen=True):
    """A registration that the business agreed to."""

    registration_id: int
    business: str


@job("registration.send_code", SendPhoneCode, max_attempts=4)
async def send_phone_code(run: JobRun, args: SendPhoneCode) -> None:
    """Make a code and send it. It exists nowhere but in this errand and on the phone: a repeat makes another one."""
    app, now = run.app, run.app.clock()
    async with app.database.read(run.client_id) as work:
        phone = await store.get_challenge_phone(work, args.challenge_id, now)
    if phone is None:
        return
    code = f"{secrets.randbelow(10**CODE_DIGITS):0{CODE_DIGITS}}"
    code_hash = await passwords.hash_password(code)
    async with app.database.write(run.client_id) as work:
        await store.set_challenge_code(work, args.challenge_id, code_hash, now)
    minutes = int(CODE_LIFETIME.total_seconds()) // 60
    params = {"code": code, "business": args.business, "minutes": minutes}
    await _send_sms(run, phone, app.catalogues.translate(args.language, "sms_code", **params))


@job("registration.tell_approved", SendRegistrationApproved, max_attempts=4)
async def send_registration_approved(run: JobRun, args: SendRegistrationApproved) -> None:
    """Tell somebody that their registration counts."""
    app = run.app
    async with app.database.read(run.client_id) as work:
        row = await store.get_app_registration(work, args.registration_id)
    params = {"app": row.app_name, "business": args.business}
    await _send_sms(run, row.phone, app.catalogues.translate(row.language, "sms_registration_approved", **params))


async def _send_sms(run: JobRun, phone: str, text: str) -> None:
    """Hand a message over; one that will never be taken is not tried again."""
    try:
        await deliver_sms(run.app, run.client_id or 0, phone, text)
    except SmsRefused as refused:
        raise PermanentJobFailure(str(refused)) from None
