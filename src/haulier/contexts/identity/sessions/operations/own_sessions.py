"""Sign in, sign out, see who and where one is signed in."""

from typing import Any

from msgspec import Struct

from haulier.contexts.identity.accounts.actions import passwords, tokens
from haulier.contexts.identity.accounts.notifications.security_notices import CredentialChange, enqueue_security_notice
from haulier.contexts.identity.accounts.operations.client import to_client_facts
from haulier.contexts.identity.accounts.rules.passwords import require_strong_password
from haulier.contexts.identity.accounts.rules.tokens import token_state
from haulier.contexts.identity.accounts.rules.users import INVALID_CREDENTIALS, WRONG_PASSWORD
from haulier.contexts.identity.accounts.store import clients as client_store
from haulier.contexts.identity.accounts.store import members as member_store
from haulier.contexts.identity.accounts.store import tokens as token_store
from haulier.contexts.identity.accounts.store import users as user_store
from haulier.contexts.identity.accounts.store.token_search import TokenFilter, list_token_rows
from haulier.contexts.identity.sessions.actions import VerifiedPassword, record_sign_in, verify_password
from haulier.contexts.identity.sessions.contract import (
    ChangePassword,
    CurrentUser,
    ListSessions,
    Login,
    LoginSession,
    RevokedTokens,
    SessionClient,
    SessionList,
    SessionRecord,
    SessionRef,
    SessionUser,
)
from haulier.kernel.call import Call
from haulier.kernel.operations.answers import Done
from haulier.kernel.operations.declaration import EmptyRequest, GraphQL, RateLimit, Rest, reads, writes
from haulier.kernel.operations.enums import SIGNED_IN, Account, Scope
from haulier.kernel.operations.errors import NOT_FOUND, RATE_LIMITED
from haulier.kernel.request_context import RequestContext

EVERYONE_WITH_A_TOKEN = SIGNED_IN | {Account.PROVIDER}


async def check_login_password(context: RequestContext, request: Login) -> VerifiedPassword:
    """Check an e-mail address and password, outside the writer. Raises `INVALID_CREDENTIALS` or `RATE_LIMITED`."""
    return await verify_password(context, request.email, request.password.get_secret_value())


@writes(
    "login",
    replayable=False,
    audience={Account.PUBLIC},
    doors=(Rest("POST", "/v1/user/login"), GraphQL("login")),
    limits=(RateLimit(10, 60, ("address", "email")), RateLimit(60, 60, ("address",))),
    errors=(INVALID_CREDENTIALS, RATE_LIMITED),
    prepare=check_login_password,
)
async def login(call: Call, request: Login) -> LoginSession:
    """Sign in with e-mail address and password, and get a bearer token.

    The token works for REST, GraphQL and MCP for 14 days. After several failures in a row the address rests for a while.
    """
    proof: VerifiedPassword = call.prepared
    user = proof.user
    await record_sign_in(call, proof)
    issued = await tokens.issue_access_token(
        call.work, client_id=user.client_id, user_id=user.id, now=call.now, name=request.device
    )
    return LoginSession(
        access_token=issued.token,
        expires_at=issued.expires_at,
        user=_to_session_user(user),
        client=SessionClient(code=user.code, name=user.client_name),
    )


def _to_session_user(user: Any) -> SessionUser:
    return SessionUser(id=user.id, name=user.name, email=user.email, account=user.account)


@writes(
    "logout",
    audience=SIGNED_IN,
    scopes={Scope.ACCOUNT_WRITE},
    doors=(Rest("POST", "/v1/user/logout"), GraphQL("logout")),
)
async def logout(call: Call, request: EmptyRequest) -> Done:
    """Sign out: the token of this call stops working at once."""
    if call.principal.token_id is not None:
        await token_store.revoke_token(call.work, call.principal.token_id, call.now)
    return Done(message=call.translate("signed_out"))


@writes(
    "logout_everywhere",
    audience=SIGNED_IN,
    scopes={Scope.ACCOUNT_WRITE},
    doors=(Rest("POST", "/v1/user/logout-everywhere"), GraphQL("logoutEverywhere")),
)
async def logout_everywhere(call: Call, request: EmptyRequest) -> RevokedTokens:
    """Sign out on every device, this one too. API tokens go on working."""
    revoked = await token_store.revoke_user_sessions(call.work, call.actor or 0, call.now)
    return RevokedTokens(revoked=revoked, message=call.translate("signed_out_everywhere"))


@reads(
    "who_am_i",
    audience=EVERYONE_WITH_A_TOKEN,
    doors=(Rest("GET", "/v1/user/me"), GraphQL("whoAmI")),
)
async def who_am_i(call: Call, request: EmptyRequest) -> CurrentUser:
    """Who the caller is, for which business, and what the token may be used for."""
    user = await user_store.get_user_row(call.work, call.actor or 0)
    if user is None:
        raise NOT_FOUND()
    client = to_client_facts(await client_store.get_client_row(call.work, call.client_id))
    chosen = await member_store.get_member(call.work, user.id)
    return CurrentUser(
        user=_to_session_user(user),
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
    return await list_sessions_of_user(call, call.actor or 0, request)


async def list_sessions_of_user(call: Call, user_id: int, request: ListSessions) -> SessionList:
    """A page of the sessions of a user, newest first."""
    wanted = TokenFilter(kind=token_store.SESSION, owner=user_id, state=request.state, text=request.search)
    rows, total = await list_token_rows(call.work, wanted, call.now, limit=request.per_page, offset=request.offset)
    records = [
        SessionRecord(
            id=row.id,
            device=row.name,
            created_at=row.created_at,
            expires_at=row.expires_at,
            last_used_at=row.last_used_at,
            current=row.id == call.principal.token_id,
            state=token_state(row.revoked_at, row.expires_at, call.now),
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
async def revoke_session(call: Call, request: SessionRef) -> RevokedTokens:
    """Sign out on one device."""
    token = await token_store.get_token(call.work, request.session_id)
    if token is None or token.user_id != call.actor or token.kind != token_store.SESSION:
        raise NOT_FOUND()
    revoked = await token_store.revoke_token(call.work, token.id, call.now)
    return RevokedTokens(revoked=revoked, message=call.translate("session_revoked"))


class CheckedPasswordChange(Struct, frozen=True):
    """The old password was right: the hash it was checked against, and the hash of the new one."""

    old_hash: str
    new_hash: str


async def check_and_hash_passwords(context: RequestContext, request: ChangePassword) -> CheckedPasswordChange:
    """Check the old password and hash the new one, outside the writer. Raises `WRONG_PASSWORD` or `INVALID_REQUEST`."""
    principal, new = context.principal, request.new_password.get_secret_value()
    async with context.app.database.read(principal.client_id) as work:
        user = await user_store.get_user_row(work, principal.user_id or 0)
    require_strong_password(new, user.email, user.name, field="new_password")
    right, _ = await passwords.check_password_hash(request.current_password.get_secret_value(), user.password_hash)
    if not right:
        raise WRONG_PASSWORD()
    return CheckedPasswordChange(user.password_hash, await passwords.hash_password(new))


@writes(
    "change_password",
    audience=SIGNED_IN,
    scopes={Scope.ACCOUNT_WRITE},
    doors=(Rest("POST", "/v1/user/password"), GraphQL("changePassword")),
    limits=(RateLimit(5, 60, ("user",)),),
    errors=(WRONG_PASSWORD,),
    prepare=check_and_hash_passwords,
)
async def change_password(call: Call, request: ChangePassword) -> RevokedTokens:
    """Change one's password. Every other session is signed out, and a letter tells that it was changed."""
    change: CheckedPasswordChange = call.prepared
    user = await user_store.get_user_row(call.work, call.actor or 0, lock=True)
    if user.password_hash != change.old_hash:  # somebody changed it since it was checked
        raise WRONG_PASSWORD()
    await user_store.update_user_row(call.work, user.id, password_hash=change.new_hash)
    revoked = await token_store.revoke_user_sessions(call.work, user.id, call.now, keep=call.principal.token_id)
    await enqueue_security_notice(
        call, CredentialChange.PASSWORD, client_id=call.client_id, user_id=user.id, to=user.email
    )
    call.add_audit_subjects("user", user.id)
    return RevokedTokens(revoked=revoked, message=call.translate("password_changed"))
