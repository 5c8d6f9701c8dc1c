"""Text messages of a registration, sent behind the doors."""

import secrets

from msgspec import Struct

from haulier.contexts.access.accounts import passwords
from haulier.contexts.access.apps.rules.codes import DIGITS, LIFETIME
from haulier.contexts.access.ports import SmsRefused
from haulier.contexts.access.registration import store
from haulier.contexts.access.texting.sending import send
from haulier.kernel.errands import errand
from haulier.kernel.jobs import GiveUp
from haulier.kernel.run import Run


class SendCode(Struct, frozen=True):
    """A challenge whose code is to be sent, in whose name, in which language."""

    challenge_id: int
    business: str
    language: str


class TellApproved(Struct, frozen=True):
    """A registration that the business agreed to."""

    registration_id: int
    business: str


@errand("registration.send_code", SendCode, max_attempts=4)
async def send_code(run: Run, args: SendCode) -> None:
    """Make a code and send it. It exists nowhere but in this errand and on the phone: a repeat makes another one."""
    house, now = run.house, run.house.clock()
    async with house.database.read(run.client_id) as work:
        phone = await store.to_send(work, args.challenge_id, now)
    if phone is None:
        return
    code = f"{secrets.randbelow(10**DIGITS):0{DIGITS}}"
    code_hash = await passwords.hashed(code)
    async with house.database.write(run.client_id) as work:
        await store.keep_code(work, args.challenge_id, code_hash, now)
    minutes = int(LIFETIME.total_seconds()) // 60
    words = {"code": code, "business": args.business, "minutes": minutes}
    await _send(run, phone, house.catalogues.say(args.language, "sms_code", **words))


@errand("registration.tell_approved", TellApproved, max_attempts=4)
async def tell_approved(run: Run, args: TellApproved) -> None:
    """Tell somebody that their registration counts."""
    house = run.house
    async with house.database.read(run.client_id) as work:
        row = await store.one(work, args.registration_id)
    words = {"app": row.app_name, "business": args.business}
    await _send(run, row.phone, house.catalogues.say(row.language, "sms_registration_approved", **words))


async def _send(run: Run, phone: str, text: str) -> None:
    """Hand a message over; one that will never be taken is not tried again."""
    try:
        await send(run.house, run.client_id or 0, phone, text)
    except SmsRefused as refused:
        raise GiveUp(str(refused)) from None
