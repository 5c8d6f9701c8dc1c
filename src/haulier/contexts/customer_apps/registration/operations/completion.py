"""The last step of a registration: name, address, and how the person will sign in."""

from msgspec import Struct

from haulier.contexts.customer_apps.app_sessions.actions.sessions import open_app_session
from haulier.contexts.customer_apps.apps.contract.fields import PATH
from haulier.contexts.customer_apps.apps.queries import ClientApp, get_client_app_for_device
from haulier.contexts.customer_apps.apps.rules.access import (
    APP_UNAVAILABLE,
    APP_UPDATE_REQUIRED,
    SIGN_IN_METHOD_OFF,
    require_method_enabled,
)
from haulier.contexts.customer_apps.apps.rules.capabilities import SignInMethod
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
from haulier.contexts.customer_apps.registration.contract import CompleteRegistration, RegistrationResult
from haulier.contexts.customer_apps.registration.operations.phone import rate_limited_error
from haulier.contexts.customer_apps.registration.rules.lifecycle import (
    PHONE_TAKEN,
    REGISTRATION_EXPIRED,
    TIME_TO_COMPLETE,
    AppRegistrationStep,
    require_completable,
)
from haulier.contexts.customer_apps.registration.rules.rate_limits import email_attempts_key
from haulier.contexts.identity.accounts.rules import login_lockout
from haulier.contexts.identity.accounts.rules.login_lockout import BackoffPolicy
from haulier.contexts.identity.accounts.rules.passwords import require_strong_password
from haulier.contexts.identity.accounts.rules.users import EMAIL_TAKEN
from haulier.contexts.identity.public import count_failure, find_failed_sign_ins, find_user_by_email, hash_password
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, RateLimit, Rest, writes
from haulier.kernel.operations.enums import Account
from haulier.kernel.operations.errors import NOT_FOUND, RATE_LIMITED
from haulier.kernel.request_context import RequestContext
from haulier.kernel.values.ids import hash_token


class PreparedCredentials(Struct, frozen=True):
    """How an applicant will sign in: with a password, kept as its hash, or with an identity of the provider."""

    context: ClientApp
    password_hash: str | None = None
    person: IdTokenClaims | None = None


async def prepare_credentials(request_context: RequestContext, request: CompleteRegistration) -> PreparedCredentials:
    """Hash the password or verify the ID token, outside the writer; only for somebody who proved a phone."""
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
    """Raises `EMAIL_TAKEN` for an address of a user, which is counted for good, and `RATE_LIMITED` after several of these."""
    app, now, key = request_context.app, request_context.app.clock(), email_attempts_key(registration_id)
    async with app.database.read(None) as work:
        failures = await find_failed_sign_ins(work, [key])
        user = await find_user_by_email(work, email)
    if failures and (seconds := login_lockout.seconds_until_retry(*failures[key], now, TAKEN_EMAIL_BACKOFF)):
        raise rate_limited_error(seconds)
    if user:
        async with app.database.write(None) as work:
            await count_failure(work, [key], now)
        raise EMAIL_TAKEN(email=email)


@writes(
    "complete_registration",
    replayable=False,
    audience={Account.PUBLIC},
    doors=(Rest("POST", f"{PATH}/registration/complete"), GraphQL("completeRegistration")),
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
    """Become a customer and be signed in at once, or wait where the business approves registrations first.

    With one proven phone only a few addresses may be tried that users have already.
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
    """Store what was entered. The hash of a password is kept here only while the registration waits."""
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
"""How many taken e-mail addresses may be tried with one proven phone.

# Why: people mistype, or forget which address they registered, but nobody shall find out in this way who is a user.
"""
