"""Sign in, sign out, see who and where one is signed in."""

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
from haulier.contexts.access.accounts.notices import Changed, tell
from haulier.contexts.access.accounts.operations.client import client_facts
from haulier.contexts.access.accounts.rules.passwords import demand_strength
from haulier.contexts.access.accounts.rules.tokens import state_of
from haulier.contexts.access.accounts.rules.users import INVALID_CREDENTIALS, WRONG_PASSWORD
from haulier.contexts.access.accounts.sign_in import Proof, prove, welcome
from haulier.contexts.access.accounts.store import clients as client_store
from haulier.contexts.access.accounts.store import members as member_store
from haulier.contexts.access.accounts.store import tokens as token_store
from haulier.contexts.access.accounts.store import users as user_store
from haulier.contexts.access.accounts.store.token_lists import Wanted, page
from haulier.kernel.answers import Done
from haulier.kernel.call import Call
from haulier.kernel.declarations import SIGNED_IN, Account, Scope
from haulier.kernel.doorstep import Doorstep
from haulier.kernel.errors import NOT_FOUND, RATE_LIMITED
from haulier.kernel.operation import GraphQL, Limit, Nothing, Rest, reads, writes

EVERYONE_WITH_A_TOKEN = SIGNED_IN | {Account.PROVIDER}


async def check_password(doorstep: Doorstep, request: Login) -> Proof:
    """Check an e-mail address and password, outside the writer. Raises `INVALID_CREDENTIALS` or `RATE_LIMITED`."""
    return await prove(doorstep, request.email, request.password.get_secret_value())


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
    await welcome(call, proof)
    issued = await tokens.issue(call.work, client_id=user.client_id, user_id=user.id, now=call.now, name=request.device)
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
    audience=SIGNED_IN,
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
    audience=SIGNED_IN,
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
    client = client_facts(await client_store.one(call.work, call.client_id))
    chosen = await member_store.of(call.work, user.id)
    return Me(
        user=_session_user(user),
        client=client,
        language=(chosen and chosen.language) or client.language,
        time_zone=(chosen and chosen.time_zone) or client.time_zone,
        scopes=sorted(call.principal.scopes),
        hidden_prices=sorted(call.principal.hidden_prices),
    )


@reads(
    "list_sessions",
    audience=SIGNED_IN,
    scopes={Scope.ACCOUNT_READ},
    doors=(Rest("GET", "/v1/user/sessions"), GraphQL("sessions")),
)
async def list_sessions(call: Call, request: ListSessions) -> SessionList:
    """Where the caller is signed in, newest first; or was, when asked for sessions that expired or were revoked."""
    return await session_list(call, call.actor or 0, request)


async def session_list(call: Call, user_id: int, request: ListSessions) -> SessionList:
    """A page of the sessions of a user, newest first."""
    wanted = Wanted(kind=token_store.SESSION, owner=user_id, state=request.state, text=request.search)
    rows, total = await page(call.work, wanted, call.now, limit=request.per_page, offset=request.offset)
    records = [
        SessionRecord(
            id=row.id,
            device=row.name,
            created_at=row.created_at,
            expires_at=row.expires_at,
            last_used_at=row.last_used_at,
            current=row.id == call.principal.token_id,
            state=state_of(row.revoked_at, row.expires_at, call.now),
            revoked_at=row.revoked_at,
        )
        for row in rows
    ]
    return SessionList(total=total, page=request.page, per_page=request.per_page, sessions=records)


@writes(
    "revoke_session",
    audience=SIGNED_IN,
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


class Change(Struct, frozen=True):
    """The old password was right: the hash it was checked against, and the hash of the new one."""

    old_hash: str
    new_hash: str


async def check_and_hash(doorstep: Doorstep, request: ChangePassword) -> Change:
    """Check the old password and hash the new one, outside the writer. Raises `WRONG_PASSWORD` or `INVALID_REQUEST`."""
    principal, new = doorstep.principal, request.new_password.get_secret_value()
    async with doorstep.house.database.read(principal.client_id) as work:
        user = await user_store.one(work, principal.user_id or 0)
    demand_strength(new, user.email, user.name, field="new_password")
    right, _ = await passwords.matches(request.current_password.get_secret_value(), user.password_hash)
    if not right:
        raise WRONG_PASSWORD()
    return Change(user.password_hash, await passwords.hashed(new))


@writes(
    "change_password",
    audience=SIGNED_IN,
    scopes={Scope.ACCOUNT_WRITE},
    doors=(Rest("POST", "/v1/user/password"), GraphQL("changePassword")),
    limits=(Limit(5, 60, ("user",)),),
    errors=(WRONG_PASSWORD,),
    prepare=check_and_hash,
)
async def change_password(call: Call, request: ChangePassword) -> Revoked:
    """Change one's password. Every other session is signed out, and a letter tells that it was changed."""
    change: Change = call.prepared
    user = await user_store.one(call.work, call.actor or 0, lock=True)
    if user.password_hash != change.old_hash:  # somebody changed it since it was checked
        raise WRONG_PASSWORD()
    await user_store.change(call.work, user.id, password_hash=change.new_hash)
    revoked = await token_store.revoke_sessions(call.work, user.id, call.now, keep=call.principal.token_id)
    await tell(call, Changed.PASSWORD, client_id=call.client_id, user_id=user.id, to=user.email)
    call.concerns("user", user.id)
    return Revoked(revoked=revoked, message=call.say("password_changed"))
