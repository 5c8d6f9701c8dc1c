"""A session of an app goes on with another token, or ends."""

from typing import Any

from haulier.contexts.access.accounts.store import tokens as token_store
from haulier.contexts.access.accounts.store import users as user_store
from haulier.contexts.access.app_sessions import store
from haulier.contexts.access.app_sessions.contract import AppSession, RefreshAppSession, SignOutOfApp
from haulier.contexts.access.app_sessions.opening import a_token, dressed
from haulier.contexts.access.app_sessions.reuse import end_if_reused
from haulier.contexts.access.app_sessions.rules import (
    NOT_THIS_APPS_SESSION,
    NOT_THIS_DEVICE,
    Bound,
    End,
    demand_device,
    demand_of_app,
)
from haulier.contexts.access.apps import store as app_store
from haulier.contexts.access.apps.contract.fields import PATH, TAG
from haulier.contexts.access.apps.entrance import enter_from_device
from haulier.contexts.access.apps.rules.access import (
    APP_ROLE_NOT_ALLOWED,
    APP_UNAVAILABLE,
    APP_UPDATE_REQUIRED,
    demand_belongs,
)
from haulier.kernel.answers import Done
from haulier.kernel.call import Call
from haulier.kernel.declarations import SIGNED_IN, Scope
from haulier.kernel.errors import INVALID_TOKEN, NOT_FOUND
from haulier.kernel.operation import GraphQL, Rest, writes


@writes(
    "refresh_app_session",
    keeps_answer=False,
    audience=SIGNED_IN,
    scopes={Scope.ACCOUNT_WRITE},
    doors=(Rest("POST", f"{PATH}/auth/refresh", tag=TAG), GraphQL("refreshAppSession")),
    errors=(
        NOT_FOUND,
        APP_UNAVAILABLE,
        APP_UPDATE_REQUIRED,
        APP_ROLE_NOT_ALLOWED,
        NOT_THIS_APPS_SESSION,
        NOT_THIS_DEVICE,
    ),
    stale=end_if_reused,
)
async def refresh_app_session(call: Call, request: RefreshAppSession) -> AppSession:
    """Get a new token for the same app, client, user and device. The one of this call stops working at once.

    A token that was replaced and is shown here again has two owners; the whole session then ends.
    """
    context = await enter_from_device(call.house, call.work, request)
    session = await _own_session(call, context.app_id, context.client_id)
    demand_device(_bound(session), request.device_id, request.device_platform)
    user = await user_store.one(call.work, session.user_id)
    account = call.principal.account.value
    demand_belongs(client_id=call.client_id, account=account, to=context.client_id, roles=context.roles)
    if not await token_store.revoke(call.work, _token(call), call.now):
        raise INVALID_TOKEN()
    issued = await a_token(call, context, user.id, request)
    await store.replace(call.work, session, _token(call), issued.id, at=call.now, version=request.app_version)
    call.concerns("app_session", session.id)
    return dressed(context, user, issued)


@writes(
    "sign_out_of_app",
    audience=SIGNED_IN,
    scopes={Scope.ACCOUNT_WRITE},
    doors=(Rest("POST", f"{PATH}/auth/logout", tag=TAG), GraphQL("signOutOfApp")),
    errors=(NOT_FOUND, NOT_THIS_APPS_SESSION),
)
async def sign_out_of_app(call: Call, request: SignOutOfApp) -> Done:
    """Sign out of an app on this device: the token of this call stops working at once.

    One may leave an app that the client does not offer any more.
    """
    there = await app_store.context(call.work, request.app_code, request.client_code)
    if there is None:
        raise NOT_FOUND()
    session = await _own_session(call, there.app_id, there.client_id)
    await store.end(call.work, session.id, at=call.now, why=End.SIGNED_OUT)
    call.concerns("app_session", session.id)
    return Done(message=call.say("signed_out"))


async def _own_session(call: Call, app_id: int, client_id: int) -> Any:
    session = await store.behind(call.work, _token(call))
    demand_of_app(_bound(session) if session else None, app_id, client_id=call.client_id, at=client_id)
    return session


def _bound(session: Any) -> Bound:
    return Bound(session.app_id, session.device_id, session.device_platform)


def _token(call: Call) -> int:
    return call.principal.token_id or 0
