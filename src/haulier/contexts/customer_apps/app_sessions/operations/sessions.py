"""Refresh a session of an app, and sign out of it."""

from haulier.contexts.customer_apps.app_sessions import store
from haulier.contexts.customer_apps.app_sessions.actions.sessions import issue_session_token, to_app_session
from haulier.contexts.customer_apps.app_sessions.actions.token_reuse import end_session_on_token_reuse
from haulier.contexts.customer_apps.app_sessions.contract import AppSession, RefreshAppSession, SignOutOfApp
from haulier.contexts.customer_apps.app_sessions.rules import (
    NOT_THIS_APPS_SESSION,
    NOT_THIS_DEVICE,
    SessionBinding,
    SessionEndReason,
    require_session_device,
    require_session_of_app,
)
from haulier.contexts.customer_apps.app_sessions.store import AppSessionRow
from haulier.contexts.customer_apps.apps.contract.fields import PATH
from haulier.contexts.customer_apps.apps.queries import find_client_app, get_client_app_for_device
from haulier.contexts.customer_apps.apps.rules.access import (
    APP_ROLE_NOT_ALLOWED,
    APP_UNAVAILABLE,
    APP_UPDATE_REQUIRED,
    require_app_member,
)
from haulier.contexts.identity.public import end_token, require_user
from haulier.kernel.call import Call
from haulier.kernel.operations.answers import Done
from haulier.kernel.operations.declaration import GraphQL, Rest, writes
from haulier.kernel.operations.enums import SIGNED_IN, Scope
from haulier.kernel.operations.errors import INVALID_TOKEN, NOT_FOUND


@writes(
    "refresh_app_session",
    replayable=False,
    audience=SIGNED_IN,
    scopes={Scope.ACCOUNT_WRITE},
    doors=(Rest("POST", f"{PATH}/auth/refresh"), GraphQL("refreshAppSession")),
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
    """Get a new token for the same app, client, user and device. The one of this call stops working at once.

    A replaced token that is used here again is known to two parties; the whole session then ends.
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
    doors=(Rest("POST", f"{PATH}/auth/logout"), GraphQL("signOutOfApp")),
    errors=(NOT_FOUND, NOT_THIS_APPS_SESSION),
)
async def sign_out_of_app(call: Call, request: SignOutOfApp) -> Done:
    """Sign out of an app on this device: the token of this call stops working at once.

    One may leave an app that the client does not offer any more.
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
