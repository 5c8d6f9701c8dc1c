"""Operations on app sessions."""

from urllib.parse import urlsplit

from msgspec import Struct

from haulier.contexts.customer_apps.app_sessions import store
from haulier.contexts.customer_apps.app_sessions.actions import (
    end_session_on_token_reuse,
    issue_session_token,
    open_app_session,
    to_app_session,
)
from haulier.contexts.customer_apps.app_sessions.contract import (
    AppSession,
    RefreshAppSession,
    SignInWithEmail,
    SignInWithIdp,
    SignOutOfApp,
)
from haulier.contexts.customer_apps.app_sessions.rules import (
    NOT_THIS_APPS_SESSION,
    NOT_THIS_DEVICE,
    SessionBinding,
    SessionEndReason,
    require_session_device,
    require_session_of_app,
)
from haulier.contexts.customer_apps.app_sessions.store import AppSessionRow
from haulier.contexts.customer_apps.apps.contract import PATH
from haulier.contexts.customer_apps.apps.queries import ClientApp, find_client_app, get_client_app_for_device
from haulier.contexts.customer_apps.apps.rules import (
    APP_ROLE_NOT_ALLOWED,
    APP_SIGN_IN_ERRORS,
    APP_UNAVAILABLE,
    APP_UPDATE_REQUIRED,
    SignInMethod,
    require_app_member,
)
from haulier.contexts.customer_apps.identities.actions import bind_identity
from haulier.contexts.customer_apps.identities.queries import (
    IdentityUserRow,
    find_binding_candidate,
    find_identity_user,
    verify_identity,
)
from haulier.contexts.customer_apps.identities.rules import (
    IDENTITY_CONFLICT,
    IDENTITY_PROVIDER_UNAVAILABLE,
    IDENTITY_REFUSED,
    REGISTRATION_REQUIRED,
    BindingCandidate,
    require_bindable,
)
from haulier.contexts.customer_apps.ports import IdTokenClaims
from haulier.contexts.identity.accounts.rules import INVALID_CREDENTIALS
from haulier.contexts.identity.public import (
    SIGN_IN_LIMITS,
    CredentialChange,
    VerifiedPassword,
    end_token,
    enqueue_security_notice,
    record_sign_in,
    require_user,
    verify_password,
)
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UniqueConflict
from haulier.kernel.operations.answers import Done
from haulier.kernel.operations.declaration import GraphQL, RateLimit, Rest, writes
from haulier.kernel.operations.enums import SIGNED_IN, Account, Scope
from haulier.kernel.operations.errors import INVALID_TOKEN, NOT_FOUND, RATE_LIMITED
from haulier.kernel.request_context import RequestContext


@writes(
    "refresh_app_session",
    replayable=False,
    audience=SIGNED_IN,
    scopes={Scope.ACCOUNT_WRITE},
    interfaces=(Rest("POST", f"{PATH}/auth/refresh"), GraphQL("refreshAppSession")),
    errors=(
        NOT_FOUND,
        APP_UNAVAILABLE,
        APP_UPDATE_REQUIRED,
        APP_ROLE_NOT_ALLOWED,
        NOT_THIS_APPS_SESSION,
        NOT_THIS_DEVICE,
    ),
    on_invalid_token=end_session_on_token_reuse,
)
async def refresh_app_session(call: Call, request: RefreshAppSession) -> AppSession:
    """Refresh an app session with a new token.

    The new token is for the same app, client, user and device. The token of this call stops working at once. If a
    replaced token is used here again, the whole session ends, because two parties know it.
    """
    context = await get_client_app_for_device(call.app, call.work, request)
    session = await _own_session(call, context.app_id, context.client_id)
    require_session_device(_session_binding(session), request.device_id, request.device_platform)
    user = await require_user(call.work, session.user_id)
    account = call.principal.account.value
    require_app_member(client_id=call.client_id, account=account, to=context.client_id, roles=context.roles)
    if not await end_token(call.work, _token_id(call), call.now):
        raise INVALID_TOKEN()
    issued = await issue_session_token(call, context, user.id, request)
    await store.replace_session_token(
        call.work, session, _token_id(call), issued.id, at=call.now, version=request.app_version
    )
    call.add_audit_subjects("app_session", session.id)
    return to_app_session(context, user, issued)


@writes(
    "sign_out_of_app",
    audience=SIGNED_IN,
    scopes={Scope.ACCOUNT_WRITE},
    interfaces=(Rest("POST", f"{PATH}/auth/logout"), GraphQL("signOutOfApp")),
    errors=(NOT_FOUND, NOT_THIS_APPS_SESSION),
)
async def sign_out_of_app(call: Call, request: SignOutOfApp) -> Done:
    """Sign out of an app on this device: the token of this call stops working at once.

    Works for withdrawn apps too.
    """
    client_app = await find_client_app(call.work, request.app_code, request.client_code)
    if client_app is None:
        raise NOT_FOUND()
    session = await _own_session(call, client_app.app_id, client_app.client_id)
    await store.end_app_session(call.work, session.id, at=call.now, why=SessionEndReason.SIGNED_OUT)
    call.add_audit_subjects("app_session", session.id)
    return Done(message=call.translate("signed_out"))


async def _own_session(call: Call, app_id: int, client_id: int) -> AppSessionRow:
    session = await store.get_session_by_token(call.work, _token_id(call))
    if session is None:
        raise NOT_THIS_APPS_SESSION()
    require_session_of_app(_session_binding(session), app_id, client_id=call.client_id, at=client_id)
    return session


def _session_binding(session: AppSessionRow) -> SessionBinding:
    return SessionBinding(session.app_id, session.device_id, session.device_platform)


def _token_id(call: Call) -> int:
    return call.principal.token_id or 0


class IdpSignIn(Struct, frozen=True):
    """A sign-in to an app with an identity of its provider."""

    context: ClientApp
    person: IdTokenClaims


class PasswordSignIn(Struct, frozen=True):
    """A sign-in to an app with a password."""

    context: ClientApp
    proof: VerifiedPassword


async def check_identity(request_context: RequestContext, request: SignInWithIdp) -> IdpSignIn:
    """Verify the ID token, outside the writer."""
    app = request_context.app
    async with app.database.read(None) as work:
        context = await get_client_app_for_device(app, work, request, SignInMethod.IDP)
    return IdpSignIn(context, await verify_identity(app, context, request.id_token.get_secret_value(), request.nonce))


@writes(
    "sign_in_to_app_with_idp",
    replayable=False,
    audience={Account.PUBLIC},
    interfaces=(Rest("POST", f"{PATH}/auth/idp"), GraphQL("signInToAppWithIdp")),
    limits=(RateLimit(60, 60, ("address",)),),
    errors=(
        NOT_FOUND,
        *APP_SIGN_IN_ERRORS,
        IDENTITY_REFUSED,
        REGISTRATION_REQUIRED,
        IDENTITY_CONFLICT,
        IDENTITY_PROVIDER_UNAVAILABLE,
        RATE_LIMITED,
    ),
    prepare=check_identity,
)
async def sign_in_to_app_with_idp(call: Call, request: SignInWithIdp) -> AppSession:
    """Sign in with an identity provider.

    Requires an ID token of the app's provider. The identity is bound to one user for the whole platform, including the
    web. A user without an identity is bound at the first sign-in by the address that the provider verified, if their
    business entered it. Other users must register first.
    """
    sign_in: IdpSignIn = call.prepared
    context, person = sign_in.context, sign_in.person
    user = await find_identity_user(call.work, person.issuer, person.subject)
    if user is None:
        user = await _bind_first_sign_in(call, context, person)
    if not user.active:
        raise IDENTITY_REFUSED()
    require_app_member(client_id=user.client_id, account=user.account, to=context.client_id, roles=context.roles)
    return await open_app_session(call, context, user, request, SignInMethod.IDP)


async def _bind_first_sign_in(call: Call, context: ClientApp, person: IdTokenClaims) -> IdentityUserRow:
    """Bind the user with the address of an identity to it, and return them."""
    user = await find_binding_candidate(call.work, person.email, person.issuer) if person.email else None
    if user is None:
        raise REGISTRATION_REQUIRED()
    require_bindable(BindingCandidate(bool(user.bound), bool(user.self_registered)))
    if not user.active:
        raise IDENTITY_REFUSED()
    require_app_member(client_id=user.client_id, account=user.account, to=context.client_id, roles=context.roles)
    try:
        await bind_identity(call.work, issuer=person.issuer, subject=person.subject, user_id=user.id, at=call.now)
    except UniqueConflict:
        raise IDENTITY_CONFLICT() from None
    provider = urlsplit(person.issuer).hostname or person.issuer
    await enqueue_security_notice(
        call, CredentialChange.IDENTITY, client_id=user.client_id, user_id=user.id, to=user.email, detail=provider
    )
    return user


async def check_app_password(request_context: RequestContext, request: SignInWithEmail) -> PasswordSignIn:
    """Check the password, outside the writer, unless the app is not available."""
    app = request_context.app
    async with app.database.read(None) as work:
        context = await get_client_app_for_device(app, work, request, SignInMethod.EMAIL)
    return PasswordSignIn(
        context, await verify_password(request_context, request.email, request.password.get_secret_value())
    )


@writes(
    "sign_in_to_app_with_email",
    replayable=False,
    audience={Account.PUBLIC},
    interfaces=(Rest("POST", f"{PATH}/auth/email"), GraphQL("signInToAppWithEmail")),
    limits=SIGN_IN_LIMITS,
    errors=(NOT_FOUND, *APP_SIGN_IN_ERRORS, INVALID_CREDENTIALS, RATE_LIMITED),
    prepare=check_app_password,
)
async def sign_in_to_app_with_email(call: Call, request: SignInWithEmail) -> AppSession:
    """Sign in with email and password.

    The credentials are the same as on the web. After several failures in a row, the address is blocked for a while.
    """
    sign_in: PasswordSignIn = call.prepared
    context, user = sign_in.context, sign_in.proof.user
    require_app_member(client_id=user.client_id, account=user.account, to=context.client_id, roles=context.roles)
    await record_sign_in(call, sign_in.proof)
    return await open_app_session(call, context, user, request, SignInMethod.EMAIL)
