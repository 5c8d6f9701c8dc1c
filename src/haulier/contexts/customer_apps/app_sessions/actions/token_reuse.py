"""A token that was replaced and is shown again: two hold it, and nobody can tell which of them is the thief."""

import logging
from typing import Any

from haulier.contexts.customer_apps.app_sessions import store
from haulier.contexts.customer_apps.app_sessions.rules import SessionEndReason, is_session_token_reused
from haulier.kernel.call import Call, call_as_system
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.enums import Account
from haulier.kernel.pipeline.audit import record_audit_entry
from haulier.kernel.request_context import RequestContext
from haulier.kernel.values.ids import hash_token

log = logging.getLogger("haulier.app_sessions")


class ReusedSessionToken(Request):
    """What the audit trail says about a session that ended because a token of it was shown twice."""

    session_id: int
    """The session."""
    reason: str
    """Why it ended."""


async def end_session_on_token_reuse(context: RequestContext, token: str) -> None:
    """End the session whose replaced token is shown again, with the token it lives on, and say so in the audit trail."""
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


async def _record_token_reuse(call: Call, session: Any) -> None:
    call.signed_in(session.client_id, session.user_id, Account(session.account))
    call.add_audit_subjects("user", session.user_id)
    call.add_audit_subjects("app_session", session.id)
    operation = call.app.registry["refresh_app_session"]
    await record_audit_entry(
        call, operation, ReusedSessionToken(session_id=session.id, reason=SessionEndReason.REUSED.value), "system"
    )
