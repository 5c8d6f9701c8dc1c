"""Sign in, sign out, see who and where one is signed in."""

import hashlib
from datetime import datetime
from typing import Any

from msgspec import Struct

from haulier.contexts.access.accounts import passwords, tokens
from haulier.contexts.access.accounts.contract.sessions import (
    ChangePassword,
    ListSessions,
    Login,
    Me,
    Revoked,
    Session,
    SessionClient,
    SessionList,
    SessionRecord,
    SessionUser,
    ThisSession,
)
from haulier.contexts.access.accounts.operations.client import client_facts
from haulier.contexts.access.accounts.rules.lockout import wait_s
from haulier.contexts.access.accounts.rules.passwords import demand_strength
from haulier.contexts.access.accounts.rules.users import INVALID_CREDENTIALS, WRONG_PASSWORD
from haulier.contexts.access.accounts.store import clients as client_store
from haulier.contexts.access.accounts.store import failures as failure_store
from haulier.contexts.access.accounts.store import tokens as token_store
from haulier.contexts.access.accounts.store import users as user_store
from haulier.kernel.answers import Done
from haulier.kernel.call import Call
from haulier.kernel.declarations import SIGNED_IN, Account, Scope
from haulier.kernel.errors import NOT_FOUND, RATE_LIMITED
from haulier.kernel.house import House
from haulier.kernel.operation import GraphQL, Limit, Nothing, Rest, reads, writes

EVERYONE_WITH_A_TOKEN = SIGNED_IN | {Account.PROVIDER}


class Proof(Struct, frozen=True):
    """A password was right: whose it is, and a fresh hash when the kept one is of older parameters."""

    user: Any
    fresh_hash: str | None
    failed_before: bool


async def check_password(house: House, request: Login) -> Proof:
    """Check an e-mail address and password, outside the writer. Raises `INVALID_CREDENTIALS` or `RATE_LIMITED`.

    An unknown address, a wrong password, a user without one and a disabled user cannot be told apart, by time neither.
    """
    now, address = house.clock(), hashlib.sha256(request.email.encode()).digest()
    async with house.database.read(None) as work:
        failed = await failure_store.of(work, address)
        user = await user_store.by_email(work, request.email)
    if failed:
        _demand_rest(failed.times, failed.last_at, now)
    kept = user.password_hash if user and user.active else None
    right, fresh = await passwords.matches(request.password.get_secret_value(), kept)
    if not right:
        async with house.database.write(None) as work:
            await failure_store.count(work, address, now)
        raise INVALID_CREDENTIALS()
    return Proof(user, fresh, failed is not None)


def _demand_rest(times: int, last_at: datetime, now: datetime) -> None:
    if seconds := wait_s(times, last_at, now):
        refusal = RATE_LIMITED(retry_after_s=seconds)
        refusal.headers = {"Retry-After": str(seconds)}
        raise refusal


@writes(
    "login",
    keeps_answer=False,
    audience={Account.PUBLIC},
    doors=(Rest("POST", "/v1/user/login"), GraphQL("login")),
    limits=(Limit(10, 60, ("address", "email")), Limit(60, 60, ("address",))),
    errors=(INVALID_CREDENTIALS, RATE_LIMITED),
    prepare=check_password,
)
async def login(call: Call, request: Login) -> Session:
    """Sign in with e-mail address and password, and get a bearer token.

    The token works for REST, GraphQL and MCP for 14 days. After several failures in a row the address rests for a while.
    """
    proof: Proof = call.prepared
    user = proof.user
    if proof.fresh_hash:
        await user_store.keep_hash(call.work, user.id, proof.fresh_hash)
    if proof.failed_before:
        await failure_store.forget(call.work, hashlib.sha256(request.email.encode()).digest())
    issued = await tokens.issue(call.work, client_id=user.client_id, user_id=user.id, now=call.now, name=request.device)
    call.concerns("user", user.id)
    return Session(
        access_token=issued.token,
        expires_at=issued.expires_at,
        user=_session_user(user),
        client=SessionClient(code=user.code, name=user.client_name),
    )


def _session_user(user: Any) -> SessionUser:
    return SessionUser(id=user.id, name=user.name, email=user.email, account=user.account)


@writes(
    "logout",
    audience=EVERYONE_WITH_A_TOKEN,
    scopes={Scope.ACCOUNT_WRITE},
    doors=(Rest("POST", "/v1/user/logout"), GraphQL("logout")),
)
async def logout(call: Call, request: Nothing) -> Done:
    """Sign out: the token of this call stops working at once."""
    if call.principal.token_id is not None:
        await token_store.revoke(call.work, call.principal.token_id, call.now)
    return Done(message=call.say("signed_out"))


@writes(
    "logout_everywhere",
    audience=EVERYONE_WITH_A_TOKEN,
    scopes={Scope.ACCOUNT_WRITE},
    doors=(Rest("POST", "/v1/user/logout-everywhere"), GraphQL("logoutEverywhere")),
)
async def logout_everywhere(call: Call, request: Nothing) -> Revoked:
    """Sign out on every device, this one too. API tokens go on working."""
    revoked = await token_store.revoke_sessions(call.work, call.actor or 0, call.now)
    return Revoked(revoked=revoked, message=call.say("signed_out_everywhere"))


@reads(
    "who_am_i",
    audience=EVERYONE_WITH_A_TOKEN,
    doors=(Rest("GET", "/v1/user/me"), GraphQL("whoAmI")),
)
async def who_am_i(call: Call, request: Nothing) -> Me:
    """Who the caller is, for which business, and what the token may be used for."""
    user = await user_store.one(call.work, call.actor or 0)
    if user is None:
        raise NOT_FOUND()
    return Me(
        user=_session_user(user),
        client=client_facts(await client_store.one(call.work, call.client_id)),
        scopes=sorted(call.principal.scopes),
        hidden_prices=sorted(call.principal.hidden_prices),
    )


@reads(
    "list_sessions",
    audience=EVERYONE_WITH_A_TOKEN,
    scopes={Scope.ACCOUNT_READ},
    doors=(Rest("GET", "/v1/user/sessions"), GraphQL("sessions")),
)
async def list_sessions(call: Call, request: ListSessions) -> SessionList:
    """Where the caller is signed in, newest first."""
    rows, total = await token_store.live(
        call.work, call.actor or 0, token_store.SESSION, call.now, limit=request.per_page, offset=request.offset
    )
    records = [
        SessionRecord(
            id=row.id,
            device=row.name,
            created_at=row.created_at,
            expires_at=row.expires_at,
            last_used_at=row.last_used_at,
            current=row.id == call.principal.token_id,
        )
        for row in rows
    ]
    return SessionList(total=total, page=request.page, per_page=request.per_page, sessions=records)


@writes(
    "revoke_session",
    audience=EVERYONE_WITH_A_TOKEN,
    scopes={Scope.ACCOUNT_WRITE},
    doors=(Rest("DELETE", "/v1/user/sessions/{session_id}"), GraphQL("revokeSession")),
    errors=(NOT_FOUND,),
)
async def revoke_session(call: Call, request: ThisSession) -> Revoked:
    """Sign out on one device."""
    token = await token_store.one(call.work, request.session_id)
    if token is None or token.user_id != call.actor or token.kind != token_store.SESSION:
        raise NOT_FOUND()
    revoked = await token_store.revoke(call.work, token.id, call.now)
    return Revoked(revoked=revoked, message=call.say("session_revoked"))


async def hash_new_password(house: House, request: ChangePassword) -> str:
    """Hash the new password, outside the writer."""
    return await passwords.hashed(request.new_password.get_secret_value())


@writes(
    "change_password",
    audience=EVERYONE_WITH_A_TOKEN,
    scopes={Scope.ACCOUNT_WRITE},
    doors=(Rest("POST", "/v1/user/password"), GraphQL("changePassword")),
    limits=(Limit(5, 60, ("user",)),),
    errors=(WRONG_PASSWORD,),
    prepare=hash_new_password,
)
async def change_password(call: Call, request: ChangePassword) -> Revoked:
    """Change one's password. Every other session is signed out."""
    user = await user_store.one(call.work, call.actor or 0)
    demand_strength(request.new_password.get_secret_value(), user.email, user.name, field="new_password")
    right, _ = await passwords.matches(request.current_password.get_secret_value(), user.password_hash)
    if not right:
        raise WRONG_PASSWORD()
    await user_store.change(call.work, user.id, password_hash=call.prepared)
    revoked = await token_store.revoke_sessions(call.work, user.id, call.now, keep=call.principal.token_id)
    call.concerns("user", user.id)
    return Revoked(revoked=revoked, message=call.say("password_changed"))
