"""Signing in to an app: with the identity provider, or with e-mail address and password."""

from urllib.parse import urlsplit

from msgspec import Struct

from haulier.contexts.customer_apps.app_sessions.actions.sessions import open_app_session
from haulier.contexts.customer_apps.app_sessions.contract import AppSession, SignInWithEmail, SignInWithIdp
from haulier.contexts.customer_apps.apps.contract.fields import PATH
from haulier.contexts.customer_apps.apps.queries import ClientApp, get_client_app_for_device
from haulier.contexts.customer_apps.apps.rules.access import APP_SIGN_IN_ERRORS, require_app_member
from haulier.contexts.customer_apps.apps.rules.capabilities import SignInMethod
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
from haulier.contexts.identity.accounts.rules.users import INVALID_CREDENTIALS
from haulier.contexts.identity.public import (
    CredentialChange,
    VerifiedPassword,
    enqueue_security_notice,
    record_sign_in,
    verify_password,
)
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UniqueConflict
from haulier.kernel.operations.declaration import GraphQL, RateLimit, Rest, writes
from haulier.kernel.operations.enums import Account
from haulier.kernel.operations.errors import NOT_FOUND, RATE_LIMITED
from haulier.kernel.request_context import RequestContext


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
    doors=(Rest("POST", f"{PATH}/auth/idp"), GraphQL("signInToAppWithIdp")),
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
    """Sign in to an app with an ID token of its identity provider.

    The identity is bound to one user for the whole platform, the web included. Who has none is bound at their first sign-in by
    the address that the provider verified, when their business entered it; everybody else registers first.
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
    doors=(Rest("POST", f"{PATH}/auth/email"), GraphQL("signInToAppWithEmail")),
    limits=(RateLimit(10, 60, ("address", "email")), RateLimit(60, 60, ("address",))),
    errors=(NOT_FOUND, *APP_SIGN_IN_ERRORS, INVALID_CREDENTIALS, RATE_LIMITED),
    prepare=check_app_password,
)
async def sign_in_to_app_with_email(call: Call, request: SignInWithEmail) -> AppSession:
    """Sign in to an app with e-mail address and password, the same as on the web.

    After several failures in a row the address rests for a while.
    """
    sign_in: PasswordSignIn = call.prepared
    context, user = sign_in.context, sign_in.proof.user
    require_app_member(client_id=user.client_id, account=user.account, to=context.client_id, roles=context.roles)
    await record_sign_in(call, sign_in.proof)
    return await open_app_session(call, context, user, request, SignInMethod.EMAIL)
