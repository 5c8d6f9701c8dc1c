"""Proving a phone: ask for a code, and enter it."""

import hashlib
import secrets

from msgspec import Struct

from haulier.contexts.customer_apps.apps.contract.fields import PATH
from haulier.contexts.customer_apps.apps.queries import ClientApp, get_client_app, lock_client_app
from haulier.contexts.customer_apps.apps.rules.access import APP_UNAVAILABLE, SIGN_IN_METHOD_OFF
from haulier.contexts.customer_apps.apps.rules.capabilities import SignInMethod
from haulier.contexts.customer_apps.apps.rules.verification_codes import (
    CODE_ATTEMPTS_MAX,
    CODE_DIGITS,
    CODE_LIFETIME,
    RESEND_AFTER_S,
)
from haulier.contexts.customer_apps.registration import store
from haulier.contexts.customer_apps.registration.actions import act_for_client
from haulier.contexts.customer_apps.registration.contract import (
    PhoneChallenge,
    RequestPhoneCode,
    VerifiedPhone,
    VerifyPhone,
)
from haulier.contexts.customer_apps.registration.notifications import SendPhoneCode
from haulier.contexts.customer_apps.registration.rules.lifecycle import (
    CODE_EXPIRED,
    CODE_WRONG,
    TIME_TO_COMPLETE,
    AppRegistrationStep,
)
from haulier.contexts.customer_apps.registration.rules.phone_numbers import parse_phone
from haulier.contexts.customer_apps.registration.rules.rate_limits import (
    CODE_WINDOW,
    CodeRequest,
    seconds_until_next_code,
)
from haulier.contexts.customer_apps.registration.store import OpenChallengeRow
from haulier.contexts.identity.public import check_password_hash
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, RateLimit, Rest, writes
from haulier.kernel.operations.enums import Account
from haulier.kernel.operations.errors import NOT_FOUND, RATE_LIMITED, OperationError
from haulier.kernel.request_context import RequestContext
from haulier.kernel.values.ids import hash_token, make_opaque_token
from haulier.kernel.values.networks import CallerNetwork

CLOSED_APP_ERRORS = (NOT_FOUND, APP_UNAVAILABLE, SIGN_IN_METHOD_OFF)


@writes(
    "request_phone_code",
    replayable=False,
    audience={Account.PUBLIC},
    doors=(Rest("POST", f"{PATH}/registration/phone/request"), GraphQL("requestPhoneCode")),
    limits=(RateLimit(20, 60, ("address",)),),
    errors=(*CLOSED_APP_ERRORS, RATE_LIMITED),
)
async def request_phone_code(call: Call, request: RequestPhoneCode) -> PhoneChallenge:
    """Send a six-digit code to a phone, to register with it. It works for five minutes and replaces an earlier one.

    The answer does not tell whether anyone is registered with the phone. Codes are limited per phone, device and network.
    """
    context = await get_client_app(call.app, call.work, request, SignInMethod.REGISTRATION)
    phone = parse_phone(request.phone, context.about.default_phone_region)
    await _require_code_allowed(call, context, phone, request.device_id)
    handle = secrets.token_urlsafe(24)
    challenge_id = await store.insert_challenge(
        call.work,
        client_id=context.client_id,
        app_id=context.app_id,
        handle=handle,
        phone=phone,
        device_id=request.device_id,
        address_sha256=_network_digest(call.network),
        created_at=call.now,
        expires_at=call.now + CODE_LIFETIME,
    )
    client_call = await act_for_client(call, context.client_id)
    await client_call.enqueue(
        "registration.send_code", SendPhoneCode(challenge_id, context.about.client_name, call.language)
    )
    return PhoneChallenge(
        challenge_id=handle,
        expires_in=int(CODE_LIFETIME.total_seconds()),
        resend_after=RESEND_AFTER_S,
        code_length=CODE_DIGITS,
        message=call.translate("code_on_its_way"),
    )


async def _require_code_allowed(call: Call, context: ClientApp, phone: str, device: str | None) -> None:
    """Raises `RATE_LIMITED` beyond the limits of codes. Calls of one app at one client are counted one after the other."""
    await lock_client_app(call.work, context)
    await store.delete_old_challenges(call.work, before=call.now - 24 * CODE_WINDOW)
    address_digest = _network_digest(call.network)
    rows = await store.list_recent_challenges(
        call.work, since=call.now - CODE_WINDOW, phone=phone, device=device, address=address_digest
    )
    recent = [
        CodeRequest(
            at=row.created_at,
            same_phone=row.phone == phone,
            same_device=device is not None and row.device_id == device,
            same_address=address_digest is not None and bytes(row.address_sha256 or b"") == address_digest,
        )
        for row in rows
    ]
    if seconds := seconds_until_next_code(recent, call.now):
        raise rate_limited_error(seconds)


def rate_limited_error(seconds: int) -> OperationError:
    """`RATE_LIMITED`, with the seconds until the next try."""
    error = RATE_LIMITED(retry_after_s=seconds)
    error.headers = {"Retry-After": str(seconds)}
    return error


def _network_digest(network: CallerNetwork) -> bytes | None:
    return hashlib.sha256(network.encode()).digest() if network else None


class MatchedChallenge(Struct, frozen=True):
    """A challenge whose code was entered."""

    context: ClientApp
    challenge: OpenChallengeRow


async def check_phone_code(request_context: RequestContext, request: VerifyPhone) -> MatchedChallenge:
    """Count the guess for good, then compare, outside the writer. Raises `CODE_EXPIRED`, `CODE_WRONG` or `RATE_LIMITED`."""
    app, now = request_context.app, request_context.app.clock()
    async with app.database.read(None) as work:
        context = await get_client_app(app, work, request, SignInMethod.REGISTRATION)
    named = (request.challenge_id, context.client_id, context.app_id)
    async with app.database.write(None) as work:
        challenge = await store.get_open_challenge(work, *named, now)
        if challenge is None:
            raise CODE_EXPIRED()
        if challenge.attempts >= CODE_ATTEMPTS_MAX:
            raise rate_limited_error(RESEND_AFTER_S)
        await store.count_code_guess(work, challenge.id)
    matches, _ = await check_password_hash(request.code.get_secret_value(), challenge.code_hash)
    if not matches:
        raise CODE_WRONG()
    return MatchedChallenge(context, challenge)


@writes(
    "verify_phone",
    replayable=False,
    audience={Account.PUBLIC},
    doors=(Rest("POST", f"{PATH}/registration/phone/verify"), GraphQL("verifyPhone")),
    limits=(RateLimit(30, 60, ("address",)),),
    errors=(*CLOSED_APP_ERRORS, CODE_WRONG, CODE_EXPIRED, RATE_LIMITED),
    prepare=check_phone_code,
)
async def verify_phone(call: Call, request: VerifyPhone) -> VerifiedPhone:
    """Prove that one holds a phone, by the code that was sent. After five wrong codes another one is needed."""
    matched: MatchedChallenge = call.prepared
    context = matched.context
    if not await store.close_challenge(call.work, matched.challenge.id, call.now):
        raise CODE_EXPIRED()
    token = make_opaque_token("hlregistration")
    registration_id = await store.insert_app_registration(
        call.work,
        client_id=context.client_id,
        app_id=context.app_id,
        phone=matched.challenge.phone,
        token_sha256=hash_token(token),
        step=AppRegistrationStep.PROVED,
        language=call.language,
        created_at=call.now,
        expires_at=call.now + TIME_TO_COMPLETE,
    )
    await act_for_client(call, context.client_id)
    call.add_audit_subjects("app_registration", registration_id)
    return VerifiedPhone(
        registration_token=token,
        expires_in=int(TIME_TO_COMPLETE.total_seconds()),
        requires_approval=context.about.requires_approval,
    )
