"""Writes of grants for other families.

The grant ends in its own transaction, because the call that used the secret is rejected and rolled back.
"""

import logging
from collections.abc import Iterable
from datetime import datetime

from haulier.contexts.identity.accounts.rules import TokenKind, effective_scopes
from haulier.contexts.identity.public import end_tokens, issue_access_token, lock_parent_token
from haulier.contexts.oauth.grants import store
from haulier.contexts.oauth.grants.contract import AgentTokens
from haulier.contexts.oauth.grants.rules import ACCESS_LIFETIME, GrantEndReason
from haulier.contexts.oauth.grants.store import AgentGrantRow
from haulier.kernel.call import Call, call_as_system
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.enums import Account, McpServer, Scope
from haulier.kernel.pipeline.audit import record_audit_entry
from haulier.kernel.pipeline.token_audience import SERVER_TOKEN_PREFIXES
from haulier.kernel.request_context import RequestContext
from haulier.kernel.values.ids import hash_token, make_opaque_token


async def end_grant(work: UnitOfWork, grant_id: int, *, at: datetime, why: str) -> int:
    """End a grant of any client and revoke its access tokens.

    Returns 0 when it had ended before, else 1.
    """
    wide = work.without_tenant_filter("a grant may end before sign-in")
    await end_tokens(wide, await store.list_access_token_ids(work, grant_id), at)
    return await store.set_grant_ended(work, grant_id, at=at, why=why)


log = logging.getLogger("haulier.oauth")


class ReusedGrantSecret(Request):
    """Audit entry of a grant that ended because a secret was reused."""

    connection_id: int
    """The grant."""
    reason: str
    """Kind of the reused secret."""


async def end_reused_grant(context: RequestContext, grant: AgentGrantRow, why: GrantEndReason, operation: str) -> None:
    """End a grant with its tokens, and write an audit entry, once."""
    app = context.app
    if grant.ended_at is not None:
        return
    async with app.database.write(grant.client_id) as work:
        now = app.clock()
        if not await end_grant(work, grant.id, at=now, why=why):
            return
        call = await call_as_system(app, grant.client_id, work, now=now)
        call.set_signed_in(grant.client_id, grant.user_id, Account(grant.account))
        call.add_audit_subjects("agent_connection", grant.id)
        entry = ReusedGrantSecret(connection_id=grant.id, reason=why.value)
        await record_audit_entry(call, operation, entry, "system")
    log.warning("a used secret was shown again; agent connection %d of client %d ended", grant.id, grant.client_id)


REFRESH_PREFIX = "hlrefresh"


async def issue_agent_tokens(
    call: Call, grant: AgentGrantRow, scopes: Iterable[Scope], *, until: datetime
) -> AgentTokens:
    """Issue an access and a refresh token for a grant; the latter works `until`.

    The owner finds the access token in their list of tokens, under the agent's name.
    """
    wide = call.work.without_tenant_filter("an agent sends a secret before sign-in")
    issued = await issue_access_token(
        call.work,
        client_id=grant.client_id,
        user_id=grant.user_id,
        now=call.now,
        kind=TokenKind.API,
        lifetime=min(ACCESS_LIFETIME, grant.expires_at - call.now),
        scopes=scopes,
        name=grant.name,
        issued_by=grant.user_id,
        parent=await lock_parent_token(wide, grant.parent_token_id, call.now),
        prefix=SERVER_TOKEN_PREFIXES[McpServer(grant.server)],
    )
    refresh = make_opaque_token(REFRESH_PREFIX)
    await store.insert_refresh_token(
        call.work,
        client_id=grant.client_id,
        grant_id=grant.id,
        token_sha256=hash_token(refresh),
        access_token_id=issued.id,
        created_at=call.now,
        expires_at=until,
    )
    call.set_signed_in(grant.client_id, grant.user_id, Account(grant.account))
    call.add_audit_subjects("agent_connection", grant.id)
    return AgentTokens(
        access_token=issued.token,
        expires_in=int((issued.expires_at - call.now).total_seconds()),
        refresh_token=refresh,
        scope=" ".join(sorted(scopes)),
    )


def effective_grant_scopes(grant: AgentGrantRow) -> frozenset[Scope]:
    """Return the current scopes of a grant, limited to those of its owner."""
    return effective_scopes(Account(grant.account), grant.scopes, grant.granted)
