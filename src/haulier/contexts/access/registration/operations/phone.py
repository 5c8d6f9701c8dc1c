"""Proving a phone: ask for a code, and say it."""

import hashlib
import secrets
from typing import Any

from msgspec import Struct

from haulier.contexts.access.accounts import passwords
from haulier.contexts.access.apps import store as app_store
from haulier.contexts.access.apps.contract.fields import PATH, TAG
from haulier.contexts.access.apps.entrance import Context, enter
from haulier.contexts.access.apps.rules.access import APP_UNAVAILABLE, SIGN_IN_METHOD_OFF
from haulier.contexts.access.apps.rules.codes import ATTEMPTS, DIGITS, LIFETIME, RESEND_AFTER_S
from haulier.contexts.access.apps.rules.menu import Method
from haulier.contexts.access.registration import store
from haulier.contexts.access.registration.admission import at_client
from haulier.contexts.access.registration.contract import PhoneChallenge, RequestPhoneCode, VerifiedPhone, VerifyPhone
from haulier.contexts.access.registration.errands import SendCode
from haulier.contexts.access.registration.rules.pace import WINDOW, Asked, wait_s
from haulier.contexts.access.registration.rules.phones import in_e164
from haulier.contexts.access.registration.rules.steps import CODE_EXPIRED, CODE_WRONG, TIME_TO_COMPLETE, Step
from haulier.kernel.call import Call
from haulier.kernel.declarations import Account
from haulier.kernel.doorstep import Doorstep
from haulier.kernel.errors import NOT_FOUND, RATE_LIMITED, Refusal
from haulier.kernel.ids import opaque_token, token_digest
from haulier.kernel.operation import GraphQL, Limit, Rest, writes

CLOSED = (NOT_FOUND, APP_UNAVAILABLE, SIGN_IN_METHOD_OFF)


@writes(
    "request_phone_code",
    keeps_answer=False,
    audience={Account.PUBLIC},
    doors=(Rest("POST", f"{PATH}/registration/phone/request", tag=TAG), GraphQL("requestPhoneCode")),
    limits=(Limit(20, 60, ("address",)),),
    errors=(*CLOSED, RATE_LIMITED),
)
async def request_phone_code(call: Call, request: RequestPhoneCode) -> PhoneChallenge:
    """Send a six-digit code to a phone, to register with it. It works for five minutes and replaces an earlier one.

    The answer does not tell whether anyone is registered with the phone. Codes are limited per phone, device and address.
    """
    context = await enter(call.house, call.work, request, Method.REGISTRATION)
    phone = in_e164(request.phone, context.about.default_phone_region)
    await _demand_patience(call, context, phone, request.device_id)
    handle = secrets.token_urlsafe(24)
    challenge_id = await store.challenge(
        call.work,
        client_id=context.client_id,
        app_id=context.app_id,
        handle=handle,
        phone=phone,
        device_id=request.device_id,
        address_sha256=_place(call.address),
        created_at=call.now,
        expires_at=call.now + LIFETIME,
    )
    here = await at_client(call, context.client_id)
    await here.post("registration.send_code", SendCode(challenge_id, context.about.client_name, call.language))
    return PhoneChallenge(
        challenge_id=handle,
        expires_in=int(LIFETIME.total_seconds()),
        resend_after=RESEND_AFTER_S,
        code_length=DIGITS,
        message=call.say("code_on_its_way"),
    )


async def _demand_patience(call: Call, context: Context, phone: str, device: str | None) -> None:
    """Count what was asked for, one call of an app at a time, so that two at once are not both the last."""
    await app_store.lock(call.work, context.assignment_id)
    await store.forget(call.work, before=call.now - 24 * WINDOW)
    place = _place(call.address)
    rows = await store.asked(call.work, since=call.now - WINDOW, phone=phone, device=device, address=place)
    asked = [
        Asked(
            at=row.created_at,
            same_phone=row.phone == phone,
            same_device=device is not None and row.device_id == device,
            same_address=place is not None and bytes(row.address_sha256 or b"") == place,
        )
        for row in rows
    ]
    if seconds := wait_s(asked, call.now):
        raise in_a_while(seconds)


def in_a_while(seconds: int) -> Refusal:
    """`RATE_LIMITED`, with when to come again."""
    refusal = RATE_LIMITED(retry_after_s=seconds)
    refusal.headers = {"Retry-After": str(seconds)}
    return refusal


def _place(address: str | None) -> bytes | None:
    return hashlib.sha256(address.encode()).digest() if address else None


class Met(Struct, frozen=True):
    """A challenge whose code was said."""

    context: Context
    challenge: Any


async def check_code(doorstep: Doorstep, request: VerifyPhone) -> Met:
    """Count the guess for good, then compare, outside the writer. Raises `CODE_EXPIRED`, `CODE_WRONG` or `RATE_LIMITED`."""
    house, now = doorstep.house, doorstep.house.clock()
    async with house.database.read(None) as work:
        context = await enter(house, work, request, Method.REGISTRATION)
    named = (request.challenge_id, context.client_id, context.app_id)
    async with house.database.write(None) as work:
        challenge = await store.open_challenge(work, *named, now)
        if challenge is None:
            raise CODE_EXPIRED()
        if challenge.attempts >= ATTEMPTS:
            raise in_a_while(RESEND_AFTER_S)
        await store.count_guess(work, challenge.id)
    right, _ = await passwords.matches(request.code.get_secret_value(), challenge.code_hash)
    if not right:
        raise CODE_WRONG()
    return Met(context, challenge)


@writes(
    "verify_phone",
    keeps_answer=False,
    audience={Account.PUBLIC},
    doors=(Rest("POST", f"{PATH}/registration/phone/verify", tag=TAG), GraphQL("verifyPhone")),
    limits=(Limit(30, 60, ("address",)),),
    errors=(*CLOSED, CODE_WRONG, CODE_EXPIRED, RATE_LIMITED),
    prepare=check_code,
)
async def verify_phone(call: Call, request: VerifyPhone) -> VerifiedPhone:
    """Prove that one holds a phone, by the code that came. Five guesses; then another code is needed."""
    met: Met = call.prepared
    context = met.context
    if not await store.close(call.work, met.challenge.id, call.now):
        raise CODE_EXPIRED()
    token = opaque_token("hlregistration")
    registration_id = await store.begin(
        call.work,
        client_id=context.client_id,
        app_id=context.app_id,
        phone=met.challenge.phone,
        token_sha256=token_digest(token),
        step=Step.PROVED,
        language=call.language,
        created_at=call.now,
        expires_at=call.now + TIME_TO_COMPLETE,
    )
    await at_client(call, context.client_id)
    call.concerns("app_registration", registration_id)
    return VerifiedPhone(
        registration_token=token,
        expires_in=int(TIME_TO_COMPLETE.total_seconds()),
        requires_approval=context.about.requires_approval,
    )
