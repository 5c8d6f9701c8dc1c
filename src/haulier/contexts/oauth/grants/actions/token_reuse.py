"""A secret that works once and is used again: two parties have it, and which of them stole it cannot be known.

# Why: the grant ends in a transaction of its own, because the call that used the secret is refused and rolled back.
"""

import logging

from haulier.contexts.oauth.grants.actions.endings import end_grant
from haulier.contexts.oauth.grants.rules.grants import GrantEndReason
from haulier.contexts.oauth.grants.store.secrets import AgentGrantRow
from haulier.kernel.call import call_as_system
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.enums import Account
from haulier.kernel.pipeline.audit import record_audit_entry
from haulier.kernel.request_context import RequestContext

log = logging.getLogger("haulier.oauth")


class ReusedGrantSecret(Request):
    """The audit entry of a grant that ended because a secret of it was used again."""

    connection_id: int
    """The grant."""
    reason: str
    """Which secret it was."""


async def end_reused_grant(context: RequestContext, grant: AgentGrantRow, why: GrantEndReason, operation: str) -> None:
    """End a grant with all its tokens, and write an audit entry for its client, once."""
    app = context.app
    if grant.ended_at is not None:
        return
    async with app.database.write(grant.client_id) as work:
        now = app.clock()
        if not await end_grant(work, grant.id, at=now, why=why):
            return
        call = await call_as_system(app, grant.client_id, work, now=now)
        call.signed_in(grant.client_id, grant.user_id, Account(grant.account))
        call.add_audit_subjects("agent_connection", grant.id)
        entry = ReusedGrantSecret(connection_id=grant.id, reason=why.value)
        await record_audit_entry(call, operation, entry, "system")
    log.warning("a used secret was shown again; agent connection %d of client %d ended", grant.id, grant.client_id)
