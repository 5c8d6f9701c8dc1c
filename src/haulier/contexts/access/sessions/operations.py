"""See and end the sessions of a user of the business."""

from haulier.contexts.access.accounts.contract.sessions import ListSessions, Revoked, SessionList
from haulier.contexts.access.accounts.contract.users import ThisUser, UserId
from haulier.contexts.access.accounts.operations.sessions import session_list
from haulier.contexts.access.accounts.store import tokens as store
from haulier.contexts.access.accounts.store import users as user_store
from haulier.kernel.call import Call
from haulier.kernel.declarations import Account, Risk, Scope
from haulier.kernel.errors import NOT_FOUND
from haulier.kernel.operation import GraphQL, Rest, reads, writes


class ListUserSessions(ListSessions):
    """Whose sessions."""

    user_id: UserId
    """The user's id."""


@reads(
    "list_user_sessions",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_READ},
    doors=(Rest("GET", "/v1/users/{user_id}/sessions"), GraphQL("userSessions")),
    errors=(NOT_FOUND,),
)
async def list_user_sessions(call: Call, request: ListUserSessions) -> SessionList:
    """Where a user of the business is signed in, newest first; or was, when asked for what expired or was revoked."""
    await _demand_user(call, request.user_id)
    return await session_list(call, request.user_id, request)


@writes(
    "end_user_sessions",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("DELETE", "/v1/users/{user_id}/sessions"), GraphQL("endUserSessions")),
    errors=(NOT_FOUND,),
)
async def end_user_sessions(call: Call, request: ThisUser) -> Revoked:
    """Sign a user of the business out on every device. They may sign in again; API tokens go on working."""
    await _demand_user(call, request.user_id)
    revoked = await store.revoke_sessions(call.work, request.user_id, call.now)
    call.concerns("user", request.user_id)
    return Revoked(revoked=revoked, message=call.say("user_signed_out_everywhere"))


async def _demand_user(call: Call, user_id: int) -> None:
    if await user_store.one(call.work, user_id) is None:
        raise NOT_FOUND()
