"""See and end the sessions of a user of the business."""

from haulier.contexts.identity.accounts.actions.tokens import sign_out_user
from haulier.contexts.identity.accounts.contract.users import UserRef
from haulier.contexts.identity.accounts.queries.users import require_user
from haulier.contexts.identity.sessions.contract import ListUserSessions, RevokedTokens, SessionList
from haulier.contexts.identity.sessions.operations.own_sessions import list_sessions_of_user
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import Account, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND


@reads(
    "list_user_sessions",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_READ},
    doors=(Rest("GET", "/v1/users/{user_id}/sessions"), GraphQL("userSessions")),
    errors=(NOT_FOUND,),
)
async def list_user_sessions(call: Call, request: ListUserSessions) -> SessionList:
    """Where a user of the business is signed in, newest first; or was, when asked for what expired or was revoked."""
    await require_user(call.work, request.user_id)
    return await list_sessions_of_user(call, request.user_id, request)


@writes(
    "end_user_sessions",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("DELETE", "/v1/users/{user_id}/sessions"), GraphQL("endUserSessions")),
    errors=(NOT_FOUND,),
)
async def end_user_sessions(call: Call, request: UserRef) -> RevokedTokens:
    """Sign a user of the business out on every device. They may sign in again; API tokens go on working."""
    await require_user(call.work, request.user_id)
    revoked = await sign_out_user(call.work, request.user_id, call.now)
    call.add_audit_subjects("user", request.user_id)
    return RevokedTokens(revoked=revoked, message=call.translate("user_signed_out_everywhere"))
