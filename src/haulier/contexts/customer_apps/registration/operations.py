"""Operations on registration."""

import hashlib
import secrets
from typing import Any

from msgspec import Struct

from haulier.contexts.customer_apps.app_sessions.actions import open_app_session
from haulier.contexts.customer_apps.apps.contract import PATH
from haulier.contexts.customer_apps.apps.queries import (
    ClientApp,
    get_client_app,
    get_client_app_for_device,
    lock_client_app,
)
from haulier.contexts.customer_apps.apps.rules import (
    APP_UNAVAILABLE,
    APP_UPDATE_REQUIRED,
    CODE_ATTEMPTS_MAX,
    CODE_DIGITS,
    CODE_LIFETIME,
    RESEND_AFTER_S,
    SIGN_IN_METHOD_OFF,
    SignInMethod,
    require_method_enabled,
)
from haulier.contexts.customer_apps.identities.queries import verify_identity
from haulier.contexts.customer_apps.identities.rules import (
    IDENTITY_CONFLICT,
    IDENTITY_PROVIDER_UNAVAILABLE,
    IDENTITY_REFUSED,
)
from haulier.contexts.customer_apps.ports import IdTokenClaims
from haulier.contexts.customer_apps.registration import store
from haulier.contexts.customer_apps.registration.actions import (
    Applicant,
    act_for_client,
    create_registered_customer,
    require_not_registered,
)
from haulier.contexts.customer_apps.registration.contract import (
    AppRegistrationDetail,
    AppRegistrationList,
    AppRegistrationRecord,
    AppRegistrationRef,
    CompleteRegistration,
    ListAppRegistrations,
    PhoneChallenge,
    RegistrationResult,
    RejectAppRegistration,
    RequestPhoneCode,
    VerifiedPhone,
    VerifyPhone,
)
from haulier.contexts.customer_apps.registration.notifications import SendPhoneCode, SendRegistrationApproved
from haulier.contexts.customer_apps.registration.rules import (
    CODE_EXPIRED,
    CODE_WINDOW,
    CODE_WRONG,
    PHONE_TAKEN,
    REGISTRATION_DECIDED,
    REGISTRATION_EXPIRED,
    TIME_TO_COMPLETE,
    AppRegistrationStep,
    CodeRequest,
    email_attempts_key,
    parse_phone,
    require_completable,
    require_decidable,
    seconds_until_next_code,
)
from haulier.contexts.customer_apps.registration.store import OpenChallengeRow, RegistrationRow
from haulier.contexts.identity.accounts import rules
from haulier.contexts.identity.accounts.rules import EMAIL_TAKEN, BackoffPolicy, require_strong_password
from haulier.contexts.identity.public import (
    check_password_hash,
    count_failure,
    find_failed_sign_ins,
    find_user_by_email,
    hash_password,
    require_account_grantable,
    require_client,
)
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, RateLimit, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Account, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND, RATE_LIMITED, SCOPES_EXCEEDED, OperationError
from haulier.kernel.operations.records import record
from haulier.kernel.request_context import RequestContext
from haulier.kernel.values.ids import hash_token, make_opaque_token
from haulier.kernel.values.networks import CallerNetwork

DECISIONS_PATH = "/v1/app-registrations"


@reads(
    "list_app_registrations",
    audience=OFFICE,
    scopes={Scope.ACCOUNT_READ},
    interfaces=(Rest("GET", DECISIONS_PATH), GraphQL("appRegistrations")),
)
async def list_app_registrations(call: Call, request: ListAppRegistrations) -> AppRegistrationList:
    """List self-registered customers, newest first.

    Returns those awaiting approval by default.
    """
    rows, total = await store.list_app_registration_rows(
        call.work, request.status, limit=request.per_page, offset=request.offset
    )
    records = [_registration_record(row) for row in rows]
    return AppRegistrationList(total=total, page=request.page, per_page=request.per_page, registrations=records)


@writes(
    "approve_app_registration",
    available_when={"status": AppRegistrationStep.WAITING.value},
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", f"{DECISIONS_PATH}/{{registration_id}}/approve"), GraphQL("approveAppRegistration")),
    errors=(NOT_FOUND, REGISTRATION_DECIDED, EMAIL_TAKEN, PHONE_TAKEN, IDENTITY_CONFLICT, SCOPES_EXCEEDED),
)
async def approve_app_registration(call: Call, request: AppRegistrationRef) -> AppRegistrationDetail:
    """Approve a registration.

    The applicant becomes a customer, receives an SMS, and can sign in. The customer's rights must be within the scopes
    of the caller's token.
    """
    row = await _lock_waiting_registration(call, request.registration_id)
    require_account_grantable(call, Account.CUSTOMER)
    user = await create_registered_customer(call, _applicant_of_registration(row))
    await _decide_registration(call, row.id, AppRegistrationStep.DONE, user_id=user.id)
    business = (await require_client(call.work, call.client_id)).name
    await call.enqueue("registration.tell_approved", SendRegistrationApproved(row.id, business))
    return await _registration_detail(call, row.id)


@writes(
    "reject_app_registration",
    available_when={"status": AppRegistrationStep.WAITING.value},
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", f"{DECISIONS_PATH}/{{registration_id}}/reject"), GraphQL("rejectAppRegistration")),
    errors=(NOT_FOUND, REGISTRATION_DECIDED),
)
async def reject_app_registration(call: Call, request: RejectAppRegistration) -> AppRegistrationDetail:
    """Reject a registration: no user is created, and the phone may register again."""
    row = await _lock_waiting_registration(call, request.registration_id)
    await _decide_registration(call, row.id, AppRegistrationStep.REJECTED, reason=request.reason)
    return await _registration_detail(call, row.id)


async def _lock_waiting_registration(call: Call, registration_id: int) -> RegistrationRow:
    row = await store.get_app_registration(call.work, registration_id, lock=True)
    if row is None:
        raise NOT_FOUND()
    require_decidable(row.step)
    call.add_audit_subjects("app_registration", row.id)
    return row


async def _decide_registration(call: Call, registration_id: int, step: AppRegistrationStep, **values: Any) -> None:
    decided = {"decided_at": call.now, "decided_by": call.actor}
    await store.update_app_registration(
        call.work, registration_id, step=step.value, password_hash=None, **decided, **values
    )


def _applicant_of_registration(row: RegistrationRow) -> Applicant:
    return Applicant(
        client_id=row.client_id,
        phone=row.phone,
        name=row.name or "",
        email=row.email or "",
        password_hash=row.password_hash,
        issuer=row.issuer,
        subject=row.subject,
    )


async def _registration_detail(call: Call, registration_id: int) -> AppRegistrationDetail:
    row = await store.get_app_registration(call.work, registration_id)
    if row is None:
        raise NOT_FOUND()
    return AppRegistrationDetail(registration=_registration_record(row))


def _registration_record(row: RegistrationRow) -> AppRegistrationRecord:
    return record(AppRegistrationRecord, row, status=row.step)


CLOSED_APP_ERRORS = (NOT_FOUND, APP_UNAVAILABLE, SIGN_IN_METHOD_OFF)


@writes(
    "request_phone_code",
    replayable=False,
    audience={Account.PUBLIC},
    interfaces=(Rest("POST", f"{PATH}/registration/phone/request"), GraphQL("requestPhoneCode")),
    limits=(RateLimit(20, 60, ("address",)),),
    errors=(*CLOSED_APP_ERRORS, RATE_LIMITED),
)
async def request_phone_code(call: Call, request: RequestPhoneCode) -> PhoneChallenge:
    """Send a registration code to a phone.

    The six-digit code is valid for five minutes and replaces an earlier one. The answer does not reveal whether the
    phone is registered. Codes are limited per phone, device and network.
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
    """Raise `RATE_LIMITED` beyond the limits of codes.

    Calls of one app at one client are counted one after the other.
    """
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
    """Count the attempt permanently, then compare the code, outside the writer.

    Raises `CODE_EXPIRED`, `CODE_WRONG` or `RATE_LIMITED`.
    """
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
    interfaces=(Rest("POST", f"{PATH}/registration/phone/verify"), GraphQL("verifyPhone")),
    limits=(RateLimit(30, 60, ("address",)),),
    errors=(*CLOSED_APP_ERRORS, CODE_WRONG, CODE_EXPIRED, RATE_LIMITED),
    prepare=check_phone_code,
)
async def verify_phone(call: Call, request: VerifyPhone) -> VerifiedPhone:
    """Verify a phone with its code.

    After five wrong codes, a new code is required.
    """
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


class PreparedCredentials(Struct, frozen=True):
    """Sign-in method of an applicant: a password hash, or a provider identity."""

    context: ClientApp
    password_hash: str | None = None
    person: IdTokenClaims | None = None


async def prepare_credentials(request_context: RequestContext, request: CompleteRegistration) -> PreparedCredentials:
    """Hash the password or verify the ID token, outside the writer.

    Only for applicants with a verified phone.
    """
    app = request_context.app
    digest = hash_token(request.registration_token.get_secret_value())
    async with app.database.read(None) as work:
        context = await get_client_app_for_device(app, work, request, SignInMethod.REGISTRATION)
        started = await store.get_app_registration_by_token(work, digest, context.client_id, context.app_id)
    if started is None:
        raise REGISTRATION_EXPIRED()
    require_completable(started.step, started.expires_at, app.clock())
    require_method_enabled(SignInMethod.EMAIL if request.password else SignInMethod.IDP, context.methods)
    if request.password:
        password = request.password.get_secret_value()
        business = (context.about.client_name, context.about.client_code)
        require_strong_password(password, request.email, request.name, field="password", business=business)
        await _require_email_free(request_context, started.id, request.email)
        return PreparedCredentials(context, password_hash=await hash_password(password))
    id_token = request.id_token.get_secret_value() if request.id_token else ""
    person = await verify_identity(app, context, id_token, request.nonce)
    await _require_email_free(request_context, started.id, request.email)
    return PreparedCredentials(context, person=person)


async def _require_email_free(request_context: RequestContext, registration_id: int, email: str) -> None:
    """Raise `EMAIL_TAKEN` for an address of a user, and `RATE_LIMITED` after several.

    Attempts are counted permanently.
    """
    app, now, key = request_context.app, request_context.app.clock(), email_attempts_key(registration_id)
    async with app.database.read(None) as work:
        failures = await find_failed_sign_ins(work, [key])
        user = await find_user_by_email(work, email)
    if failures and (seconds := rules.seconds_until_retry(*failures[key], now, TAKEN_EMAIL_BACKOFF)):
        raise rate_limited_error(seconds)
    if user:
        async with app.database.write(None) as work:
            await count_failure(work, [key], now)
        raise EMAIL_TAKEN(email=email)


@writes(
    "complete_registration",
    replayable=False,
    audience={Account.PUBLIC},
    interfaces=(Rest("POST", f"{PATH}/registration/complete"), GraphQL("completeRegistration")),
    limits=(RateLimit(20, 60, ("address",)),),
    errors=(
        NOT_FOUND,
        APP_UNAVAILABLE,
        SIGN_IN_METHOD_OFF,
        APP_UPDATE_REQUIRED,
        REGISTRATION_EXPIRED,
        PHONE_TAKEN,
        EMAIL_TAKEN,
        IDENTITY_CONFLICT,
        IDENTITY_REFUSED,
        IDENTITY_PROVIDER_UNAVAILABLE,
        RATE_LIMITED,
    ),
    prepare=prepare_credentials,
)
async def complete_registration(call: Call, request: CompleteRegistration) -> RegistrationResult:
    """Complete a registration and sign in.

    If the business approves registrations, the applicant waits for approval instead. With one verified phone, only a
    few addresses of existing users can be tried.
    """
    credentials: PreparedCredentials = call.prepared
    context = credentials.context
    digest = hash_token(request.registration_token.get_secret_value())
    started = await store.get_app_registration_by_token(call.work, digest, context.client_id, context.app_id, lock=True)
    if started is None:
        raise REGISTRATION_EXPIRED()
    require_completable(started.step, started.expires_at, call.now)
    applicant = _applicant(started.phone, credentials, request)
    client_call = await act_for_client(call, context.client_id)
    call.add_audit_subjects("app_registration", started.id)
    if context.about.requires_approval:
        await require_not_registered(call, applicant)
        await _save_registration(call, started.id, applicant, step=AppRegistrationStep.WAITING)
        return RegistrationResult(
            status=AppRegistrationStep.WAITING.value, message=call.translate("registration_waits")
        )
    user = await create_registered_customer(client_call, applicant)
    await _save_registration(call, started.id, applicant, step=AppRegistrationStep.DONE, user_id=user.id)
    session = await open_app_session(call, context, user, request, SignInMethod.REGISTRATION)
    return RegistrationResult(
        status=AppRegistrationStep.DONE.value, session=session, message=call.translate("registration_completed")
    )


def _applicant(phone: str, credentials: PreparedCredentials, request: CompleteRegistration) -> Applicant:
    return Applicant(
        client_id=credentials.context.client_id,
        phone=phone,
        name=request.name,
        email=request.email,
        password_hash=credentials.password_hash,
        issuer=credentials.person.issuer if credentials.person else None,
        subject=credentials.person.subject if credentials.person else None,
    )


async def _save_registration(
    call: Call, registration_id: int, applicant: Applicant, *, step: AppRegistrationStep, user_id: int | None = None
) -> None:
    """Store the entered data.

    The hash of a password is only stored while the registration waits.
    """
    await store.update_app_registration(
        call.work,
        registration_id,
        step=step.value,
        name=applicant.name,
        email=applicant.email,
        password_hash=applicant.password_hash if step is AppRegistrationStep.WAITING else None,
        issuer=applicant.issuer,
        subject=applicant.subject,
        user_id=user_id,
        completed_at=call.now,
    )


TAKEN_EMAIL_BACKOFF = BackoffPolicy(6, TIME_TO_COMPLETE, TIME_TO_COMPLETE)
"""Maximum number of taken email addresses tried with one verified phone. Users mistype or forget their address, but the
limit prevents finding out who is a user."""
