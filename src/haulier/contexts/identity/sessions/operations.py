"""Operations on sessions."""

from haulier.contexts.identity.accounts import actions
from haulier.contexts.identity.accounts.actions import sign_out_user
from haulier.contexts.identity.accounts.contract import UserRef
from haulier.contexts.identity.accounts.queries import (
    UserFactsRow,
    find_member,
    find_token,
    find_tokens,
    require_client,
    require_user,
)
from haulier.contexts.identity.accounts.rules import (
    INVALID_CREDENTIALS,
    SESSION_REQUIRED,
    TokenFilter,
    TokenKind,
    token_state,
)
from haulier.contexts.identity.accounts.serializers import to_client_facts
from haulier.contexts.identity.ports import DriverRecords
from haulier.contexts.identity.sessions.actions import (
    SIGN_IN_LIMITS,
    VerifiedPassword,
    record_sign_in,
    verify_password,
)
from haulier.contexts.identity.sessions.contract import (
    CurrentUser,
    ListSessions,
    ListUserSessions,
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
from haulier.kernel.operations.declaration import EmptyRequest, GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, SIGNED_IN, Account, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND, RATE_LIMITED, declare_error
from haulier.kernel.operations.records import record
from haulier.kernel.request_context import RequestContext

ALREADY_IN_TEST_MODE = declare_error("already_in_test_mode", 409)
KEY_OF_NOBODY = declare_error("key_of_nobody", 403)
EVERYONE_WITH_A_TOKEN = SIGNED_IN | {Account.PROVIDER}


async def check_login_password(context: RequestContext, request: Login) -> VerifiedPassword:
    """Verify an email address and password, outside the writer.

    Raises `INVALID_CREDENTIALS` or `RATE_LIMITED`.
    """
    return await verify_password(context, request.email, request.password.get_secret_value())


@writes(
    "login",
    replayable=False,
    audience={Account.PUBLIC},
    interfaces=(Rest("POST", "/v1/user/login"), GraphQL("login")),
    limits=SIGN_IN_LIMITS,
    errors=(INVALID_CREDENTIALS, RATE_LIMITED),
    prepare=check_login_password,
)
async def login(call: Call, request: Login) -> LoginSession:
    """Sign in with email and password.

    Returns a bearer token. The token works in all interfaces for 14 days. After several failures in a row, sign-in
    for the address is paused.
    """
    proof: VerifiedPassword = call.prepared
    user = proof.user
    await record_sign_in(call, proof)
    issued = await actions.issue_access_token(
        call.work, client_id=user.client_id, user_id=user.id, now=call.now, name=request.device
    )
    return LoginSession(
        access_token=issued.token,
        expires_at=issued.expires_at,
        user=_to_session_user(user),
        client=SessionClient(code=user.code, name=user.client_name),
    )


def _to_session_user(user: UserFactsRow) -> SessionUser:
    return record(SessionUser, user)


@writes(
    "open_test_session",
    replayable=False,
    audience=OFFICE,
    scopes={Scope.ACCOUNT_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", "/v1/test/session", status=201), GraphQL("openTestSession")),
    errors=(SESSION_REQUIRED, ALREADY_IN_TEST_MODE),
)
async def open_test_session(call: Call, request: EmptyRequest) -> LoginSession:
    """Sign in to your test business.

    Creates the test business on first use. The session ends with the one that opened it. Needs a signed-in user, not an
    API token.
    """
    if call.business.test:
        raise ALREADY_IN_TEST_MODE()
    await actions.require_session(call.work, call.principal.token_id, call.now)
    live = await find_token(call.work, call.principal.token_id or 0)
    in_test = await actions.ensure_test_user(call, call.actor or 0)
    test_call = actions.make_test_call(call, in_test.business)
    user = await require_user(test_call.work, in_test.user_id)
    client = await require_client(call.work, in_test.business.id)
    issued = await actions.issue_access_token(
        call.work, client_id=client.id, user_id=user.id, now=call.now, name=live and live.name, parent=live
    )
    call.add_audit_subjects("user", call.actor or 0)
    return LoginSession(
        access_token=issued.token,
        expires_at=issued.expires_at,
        user=_to_session_user(user),
        client=SessionClient(code=client.code, name=client.name),
    )


@writes(
    "logout",
    audience=SIGNED_IN,
    scopes={Scope.ACCOUNT_WRITE},
    interfaces=(Rest("POST", "/v1/user/logout"), GraphQL("logout")),
)
async def logout(call: Call, request: EmptyRequest) -> Done:
    """Sign out.

    The token of this call stops working at once.
    """
    if call.principal.token_id is not None:
        await actions.end_token(call.work, call.principal.token_id, call.now)
    return Done(message=call.translate("signed_out"))


@writes(
    "logout_everywhere",
    audience=SIGNED_IN,
    scopes={Scope.ACCOUNT_WRITE},
    interfaces=(Rest("POST", "/v1/user/logout-everywhere"), GraphQL("logoutEverywhere")),
)
async def logout_everywhere(call: Call, request: EmptyRequest) -> RevokedTokens:
    """Sign out on every device.

    Includes this one. API tokens keep working.
    """
    revoked = await actions.sign_out_user(call.work, call.actor or 0, call.now)
    return RevokedTokens(revoked=revoked, message=call.translate("signed_out_everywhere"))


@reads(
    "who_am_i",
    audience=EVERYONE_WITH_A_TOKEN,
    interfaces=(Rest("GET", "/v1/user/me"), GraphQL("whoAmI")),
    errors=(KEY_OF_NOBODY,),
)
async def who_am_i(call: Call, request: EmptyRequest) -> CurrentUser:
    """Get the caller of this token.

    Returns the user, the business and the scopes of the token.
    """
    if call.actor is None:
        raise KEY_OF_NOBODY()
    user = await require_user(call.work, call.actor)
    client = to_client_facts(await require_client(call.work, call.client_id))
    chosen = await find_member(call.work, user.id)
    return CurrentUser(
        user=_to_session_user(user),
        driver_id=await call.adapter(DriverRecords).get_driver_id(call, user.id),
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
    interfaces=(Rest("GET", "/v1/user/sessions"), GraphQL("sessions")),
)
async def list_sessions(call: Call, request: ListSessions) -> SessionList:
    """List your sessions, newest first.

    Expired and revoked sessions are listed on request.
    """
    return await list_sessions_of_user(call, call.actor or 0, request)


async def list_sessions_of_user(call: Call, user_id: int, request: ListSessions) -> SessionList:
    """Return a page of the sessions of a user, newest first."""
    token_filter = TokenFilter(kind=TokenKind.SESSION, owner=user_id, state=request.state, text=request.search)
    rows, total = await find_tokens(call.work, token_filter, call.now, limit=request.per_page, offset=request.offset)
    records = [
        record(
            SessionRecord,
            row,
            device=row.name,
            current=row.id == call.principal.token_id,
            state=token_state(row.revoked_at, row.expires_at, call.now),
        )
        for row in rows
    ]
    return SessionList(total=total, page=request.page, per_page=request.per_page, sessions=records)


@writes(
    "revoke_session",
    audience=SIGNED_IN,
    scopes={Scope.ACCOUNT_WRITE},
    interfaces=(Rest("DELETE", "/v1/user/sessions/{session_id}"), GraphQL("revokeSession")),
    errors=(NOT_FOUND,),
)
async def revoke_session(call: Call, request: SessionRef) -> RevokedTokens:
    """Sign out on one device."""
    token = await find_token(call.work, request.session_id)
    if token is None or token.user_id != call.actor or token.kind != TokenKind.SESSION:
        raise NOT_FOUND()
    revoked = await actions.end_token(call.work, token.id, call.now)
    return RevokedTokens(revoked=revoked, message=call.translate("session_revoked"))


@reads(
    "list_user_sessions",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_READ},
    interfaces=(Rest("GET", "/v1/users/{user_id}/sessions"), GraphQL("userSessions")),
    errors=(NOT_FOUND,),
)
async def list_user_sessions(call: Call, request: ListUserSessions) -> SessionList:
    """List the sessions of a user, newest first.

    Expired and revoked sessions are listed on request.
    """
    await require_user(call.work, request.user_id)
    return await list_sessions_of_user(call, request.user_id, request)


@writes(
    "end_user_sessions",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("DELETE", "/v1/users/{user_id}/sessions"), GraphQL("endUserSessions")),
    errors=(NOT_FOUND,),
)
async def end_user_sessions(call: Call, request: UserRef) -> RevokedTokens:
    """Sign a user out on every device.

    They can sign in again. API tokens keep working.
    """
    await require_user(call.work, request.user_id)
    revoked = await sign_out_user(call.work, request.user_id, call.now)
    call.add_audit_subjects("user", request.user_id)
    return RevokedTokens(revoked=revoked, message=call.translate("user_signed_out_everywhere"))
