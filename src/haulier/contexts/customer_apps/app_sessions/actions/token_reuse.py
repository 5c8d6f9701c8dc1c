"""A replaced token that is used again: two parties have it, and which of them stole it cannot be known."""

import logging

from haulier.contexts.customer_apps.app_sessions import store
from haulier.contexts.customer_apps.app_sessions.rules import SessionEndReason, is_session_token_reused
from haulier.contexts.customer_apps.app_sessions.store import ReusedSessionRow
from haulier.kernel.call import Call, call_as_system
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.enums import Account
from haulier.kernel.pipeline.audit import record_audit_entry
from haulier.kernel.request_context import RequestContext
from haulier.kernel.values.ids import hash_token

log = logging.getLogger("haulier.app_sessions")


class ReusedSessionToken(Request):
    """The audit entry of a session that ended because a replaced token of it was used again."""

    session_id: int
    """The session."""
    reason: str
    """Why it ended."""


async def end_session_on_token_reuse(context: RequestContext, token: str) -> None:
    """End the session whose replaced token is used again, with its token, and write an audit entry."""
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
    call.signed_in(session.client_id, session.user_id, Account(session.account))
    call.add_audit_subjects("user", session.user_id)
    call.add_audit_subjects("app_session", session.id)
    entry = ReusedSessionToken(session_id=session.id, reason=SessionEndReason.REUSED.value)
    await record_audit_entry(call, "refresh_app_session", entry, "system")
