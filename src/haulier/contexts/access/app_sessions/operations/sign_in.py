"""Signing in to an app: with the identity provider, or with e-mail address and password."""

from typing import Any
from urllib.parse import urlsplit

from msgspec import Struct

from haulier.contexts.access.accounts.notices import Changed, tell
from haulier.contexts.access.accounts.rules.users import INVALID_CREDENTIALS
from haulier.contexts.access.accounts.sign_in import Proof, prove, welcome
from haulier.contexts.access.app_sessions.contract import AppSession, SignInWithEmail, SignInWithIdp
from haulier.contexts.access.app_sessions.opening import open_session
from haulier.contexts.access.apps.contract.fields import PATH, TAG
from haulier.contexts.access.apps.entrance import Context, enter_from_device
from haulier.contexts.access.apps.rules.access import WAYS_IN, demand_belongs
from haulier.contexts.access.apps.rules.menu import Method
from haulier.contexts.access.identities import store as identity_store
from haulier.contexts.access.identities.proof import prove_identity
from haulier.contexts.access.identities.rules import (
    IDENTITY_CONFLICT,
    IDENTITY_REFUSED,
    IDENTITY_UNKNOWN_NOW,
    REGISTRATION_REQUIRED,
    Candidate,
    demand_may_bind,
)
from haulier.contexts.access.ports import Person
from haulier.kernel.call import Call
from haulier.kernel.data.work import Conflict
from haulier.kernel.declarations import Account
from haulier.kernel.doorstep import Doorstep
from haulier.kernel.errors import NOT_FOUND, RATE_LIMITED
from haulier.kernel.operation import GraphQL, Limit, Rest, writes


class Known(Struct, frozen=True):
    """Somebody whom the app's identity provider knows, at the entrance of an app."""

    context: Context
    person: Person


class Owner(Struct, frozen=True):
    """Somebody who knows a password, at the entrance of an app."""

    context: Context
    proof: Proof


async def ask_provider(doorstep: Doorstep, request: SignInWithIdp) -> Known:
    """Verify the ID token, outside the writer."""
    house = doorstep.house
    async with house.database.read(None) as work:
        context = await enter_from_device(house, work, request, Method.IDP)
    return Known(context, await prove_identity(house, context, request.id_token.get_secret_value(), request.nonce))


@writes(
    "sign_in_to_app_with_idp",
    keeps_answer=False,
    audience={Account.PUBLIC},
    doors=(Rest("POST", f"{PATH}/auth/idp", tag=TAG), GraphQL("signInToAppWithIdp")),
    limits=(Limit(60, 60, ("address",)),),
    errors=(
        NOT_FOUND,
        *WAYS_IN,
        IDENTITY_REFUSED,
        REGISTRATION_REQUIRED,
        IDENTITY_CONFLICT,
        IDENTITY_UNKNOWN_NOW,
        RATE_LIMITED,
    ),
    prepare=ask_provider,
)
async def sign_in_to_app_with_idp(call: Call, request: SignInWithIdp) -> AppSession:
    """Sign in to an app with an ID token of its identity provider.

    The identity is bound to one user for the whole platform, the web included. Who has none is bound at their first sign-in by
    the address that the provider verified, when their business entered it; everybody else registers first.
    """
    known: Known = call.prepared
    context, person = known.context, known.person
    user = await identity_store.bound(call.work, person.issuer, person.subject)
    if user is None:
        user = await _first_time(call, context, person)
    if not user.active:
        raise IDENTITY_REFUSED()
    demand_belongs(client_id=user.client_id, account=user.account, to=context.client_id, roles=context.roles)
    return await open_session(call, context, user, request, Method.IDP)


async def _first_time(call: Call, context: Context, person: Person) -> Any:
    """The user whom an identity is about, bound to it from now on."""
    user = await identity_store.by_email(call.work, person.email, person.issuer) if person.email else None
    if user is None:
        raise REGISTRATION_REQUIRED()
    demand_may_bind(Candidate(bool(user.bound), bool(user.came_alone)))
    if not user.active:
        raise IDENTITY_REFUSED()
    demand_belongs(client_id=user.client_id, account=user.account, to=context.client_id, roles=context.roles)
    try:
        await identity_store.bind(call.work, issuer=person.issuer, subject=person.subject, user_id=user.id, at=call.now)
    except Conflict:
        raise IDENTITY_CONFLICT() from None
    provider = urlsplit(person.issuer).hostname or person.issuer
    await tell(call, Changed.IDENTITY, client_id=user.client_id, user_id=user.id, to=user.email, detail=provider)
    return user


async def check_password(doorstep: Doorstep, request: SignInWithEmail) -> Owner:
    """Check the password, outside the writer; not for an app that nobody could enter."""
    house = doorstep.house
    async with house.database.read(None) as work:
        context = await enter_from_device(house, work, request, Method.EMAIL)
    return Owner(context, await prove(doorstep, request.email, request.password.get_secret_value()))


@writes(
    "sign_in_to_app_with_email",
    keeps_answer=False,
    audience={Account.PUBLIC},
    doors=(Rest("POST", f"{PATH}/auth/email", tag=TAG), GraphQL("signInToAppWithEmail")),
    limits=(Limit(10, 60, ("address", "email")), Limit(60, 60, ("address",))),
    errors=(NOT_FOUND, *WAYS_IN, INVALID_CREDENTIALS, RATE_LIMITED),
    prepare=check_password,
)
async def sign_in_to_app_with_email(call: Call, request: SignInWithEmail) -> AppSession:
    """Sign in to an app with e-mail address and password, the same as on the web.

    After several failures in a row the address rests for a while.
    """
    owner: Owner = call.prepared
    context, user = owner.context, owner.proof.user
    demand_belongs(client_id=user.client_id, account=user.account, to=context.client_id, roles=context.roles)
    await welcome(call, owner.proof)
    return await open_session(call, context, user, request, Method.EMAIL)
