"""A secret that works once and is shown twice: two hold it, and nobody can tell which of them is the thief.

The grant ends in a transaction of its own, before the call that is then refused: its refusal shall not undo that.
"""

import logging
from typing import Any

from haulier.contexts.oauth.grants.rules.grants import GrantEndReason
from haulier.contexts.oauth.grants.store import grants as grant_store
from haulier.kernel.call import call_as_system
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.enums import Account
from haulier.kernel.pipeline.audit import record_audit_entry
from haulier.kernel.request_context import RequestContext

log = logging.getLogger("haulier.oauth")


class ReusedGrantSecret(Request):
    """What the audit trail says about a grant that ended because a secret of it was shown twice."""

    connection_id: int
    """The grant."""
    reason: str
    """Which secret it was."""


async def end_reused_grant(context: RequestContext, grant: Any, why: GrantEndReason, operation: str) -> None:
    """End a grant with all its tokens, and say so in the audit trail of its client, once."""
    app = context.app
    if grant.ended_at is not None:
        return
    async with app.database.write(grant.client_id) as work:
        now = app.clock()
        if not await grant_store.end_grant(work, grant.id, at=now, why=why):
            return
        call = await call_as_system(app, grant.client_id, work, now=now)
        call.signed_in(grant.client_id, grant.user_id, Account(grant.account))
        call.add_audit_subjects("agent_connection", grant.id)
        said = ReusedGrantSecret(connection_id=grant.id, reason=why.value)
        await record_audit_entry(call, app.registry[operation], said, "system")
    log.warning("a used secret was shown again; agent connection %d of client %d ended", grant.id, grant.client_id)
