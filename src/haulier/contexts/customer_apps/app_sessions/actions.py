"""Writes of app sessions for other families."""

import logging
from datetime import datetime
from typing import Protocol
from zoneinfo import ZoneInfo

from haulier.contexts.customer_apps.app_sessions import store
from haulier.contexts.customer_apps.app_sessions.contract import AppContext, AppSession, AppUser
from haulier.contexts.customer_apps.app_sessions.rules import SessionEndReason, is_session_token_reused
from haulier.contexts.customer_apps.app_sessions.store import ReusedSessionRow
from haulier.contexts.customer_apps.apps.contract import DeviceRequest
from haulier.contexts.customer_apps.apps.queries import ClientApp
from haulier.contexts.identity.public import IssuedAccessToken, issue_access_token
from haulier.kernel.call import Call, call_as_system
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.enums import Account
from haulier.kernel.operations.records import columns
from haulier.kernel.pipeline.audit import record_audit_entry
from haulier.kernel.request_context import RequestContext
from haulier.kernel.values.ids import hash_token


class SignedInUser(Protocol):
    """User of a session: a stored user, or a customer who has just registered."""

    @property
    def id(self) -> int: ...

    @property
    def name(self) -> str: ...

    @property
    def email(self) -> str: ...

    @property
    def account(self) -> str: ...


async def open_app_session(
    call: Call, context: ClientApp, user: SignedInUser, request: DeviceRequest, method: str
) -> AppSession:
    """Open a session for a user on a device.

    The user's earlier session in this app on the device ends.
    """
    for earlier in await store.list_open_sessions_on_device(
        call.work, context.client_id, user.id, context.app_id, request.device_id
    ):
        await store.end_app_session(call.work, earlier, at=call.now, why=SessionEndReason.SIGNED_IN_AGAIN)
    issued = await issue_session_token(call, context, user.id, request)
    owner = {"client_id": context.client_id, "user_id": user.id, "app_id": context.app_id}
    values = columns(store.sessions, request, **owner, method=method, created_at=call.now)
    session_id = await store.insert_app_session(call.work, issued.id, **values)
    call.set_signed_in(context.client_id, user.id, Account(user.account))
    call.add_audit_subjects("user", user.id)
    call.add_audit_subjects("app_session", session_id)
    return to_app_session(context, user, issued)


async def issue_session_token(
    call: Call, context: ClientApp, user_id: int, request: DeviceRequest
) -> IssuedAccessToken:
    """Issue a token for a session.

    Users see it in their list of sessions under the app's name.
    """
    name = f"{context.about.name} ({request.device_platform})"
    return await issue_access_token(call.work, client_id=context.client_id, user_id=user_id, now=call.now, name=name)


def to_app_session(context: ClientApp, user: SignedInUser, issued: IssuedAccessToken) -> AppSession:
    """The answer with a session and its token."""
    return AppSession(
        access_token=issued.token,
        expires_at=format_local_time(issued.expires_at, context.time_zone),
        expires_timestamp=int(issued.expires_at.timestamp()),
        user=AppUser(id=user.id, name=user.name, email=user.email),
        app_context=AppContext(
            app_code=context.about.code,
            client_code=context.about.client_code,
            client_name=context.about.client_name,
            configuration_version=context.about.version,
        ),
    )


def format_local_time(at: datetime, time_zone: str) -> str:
    """An instant in a time zone: `YYYY-MM-DD HH:MM:SS`."""
    return at.astimezone(ZoneInfo(time_zone)).strftime("%Y-%m-%d %H:%M:%S")


log = logging.getLogger("haulier.app_sessions")


class ReusedSessionToken(Request):
    """Audit entry of a session that ended because a replaced token was used again."""

    session_id: int
    """The session."""
    reason: str
    """Why it ended."""


async def end_session_on_token_reuse(context: RequestContext, token: str) -> None:
    """End the session and its token after reuse of a replaced token.

    Writes an audit entry.
    """
    app, now = context.app, context.app.clock()
    async with app.database.read(None) as work:
        session = await store.get_session_by_replaced_token(work, hash_token(token))
    if session is None or not is_session_token_reused(session.replaced_at, now):
        return
    async with app.database.write(session.client_id) as work:
        if not await store.end_app_session(work, session.id, at=now, why=SessionEndReason.REUSED):
            return
        call = await call_as_system(app, session.client_id, work, now=now, address=context.address, agent=context.agent)
        await _record_token_reuse(call, session)
    log.warning("a replaced token was shown again; app session %d of client %d ended", session.id, session.client_id)


async def _record_token_reuse(call: Call, session: ReusedSessionRow) -> None:
    call.set_signed_in(session.client_id, session.user_id, Account(session.account))
    call.add_audit_subjects("user", session.user_id)
    call.add_audit_subjects("app_session", session.id)
    entry = ReusedSessionToken(session_id=session.id, reason=SessionEndReason.REUSED.value)
    await record_audit_entry(call, "refresh_app_session", entry, "system")
