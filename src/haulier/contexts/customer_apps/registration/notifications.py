"""Text messages of a registration."""

from msgspec import Struct

from haulier.contexts.customer_apps.apps.rules import CODE_DIGITS, CODE_LIFETIME
from haulier.contexts.customer_apps.registration import store
from haulier.contexts.identity.public import hash_password
from haulier.contexts.messaging.public import SmsRefused, send_sms
from haulier.kernel.background import PermanentJobFailure
from haulier.kernel.background.jobs import job
from haulier.kernel.job_run import JobRun
from haulier.kernel.values.one_time_codes import derive_one_time_code


class SendPhoneCode(Struct, frozen=True):
    """The challenge whose code to send, the name of the business, and the language."""

    challenge_id: int
    business: str
    language: str


class SendRegistrationApproved(Struct, frozen=True):
    """A registration that the business approved."""

    registration_id: int
    business: str


@job("registration.send_code", SendPhoneCode, max_attempts=4)
async def send_phone_code(run: JobRun, args: SendPhoneCode) -> None:
    """Send the code of a challenge.

    It is derived from the challenge's handle, so every attempt sends the same code.
    """
    app, now = run.app, run.app.clock()
    async with app.database.read(run.client_id) as work:
        challenge = await store.find_challenge_to_send(work, args.challenge_id, now)
    if challenge is None:
        return
    code = derive_one_time_code(f"phone challenge {args.challenge_id}", challenge.handle.encode(), CODE_DIGITS)
    code_hash = await hash_password(code)
    async with app.database.write(run.client_id) as work:
        await store.set_challenge_code(work, args.challenge_id, code_hash, now)
    minutes = int(CODE_LIFETIME.total_seconds()) // 60
    params = {"code": code, "business": args.business, "minutes": minutes}
    await _send_sms(run, challenge.phone, app.catalogues.translate(args.language, "sms_code", **params))


@job("registration.tell_approved", SendRegistrationApproved, max_attempts=4)
async def send_registration_approved(run: JobRun, args: SendRegistrationApproved) -> None:
    """Notify an applicant of the approval."""
    app = run.app
    async with app.database.read(run.client_id) as work:
        row = await store.get_app_registration(work, args.registration_id)
    if row is None:
        return
    params = {"app": row.app_name, "business": args.business}
    await _send_sms(run, row.phone, app.catalogues.translate(row.language, "sms_registration_approved", **params))


async def _send_sms(run: JobRun, phone: str, text: str) -> None:
    """Send a message; one that will never be accepted is not tried again."""
    try:
        await send_sms(run.app, run.client_id or 0, phone, text)
    except SmsRefused as error:
        raise PermanentJobFailure(str(error)) from None
