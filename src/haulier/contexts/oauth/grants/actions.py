"""Issuing tokens to an agent: an access token, and a refresh token for the next one."""

from collections.abc import Iterable
from datetime import datetime

from haulier.contexts.identity.accounts.rules import TokenKind, effective_scopes
from haulier.contexts.identity.public import issue_access_token, lock_parent_token
from haulier.contexts.oauth.grants.contract.grants import AgentTokens
from haulier.contexts.oauth.grants.rules.grants import ACCESS_LIFETIME
from haulier.contexts.oauth.grants.store import secrets as secret_store
from haulier.contexts.oauth.grants.store.secrets import AgentGrantRow
from haulier.kernel.call import Call
from haulier.kernel.operations.enums import Account, McpServer, Scope
from haulier.kernel.pipeline.token_audience import SERVER_TOKEN_PREFIXES
from haulier.kernel.values.ids import hash_token, make_opaque_token

REFRESH_PREFIX = "hlrefresh"


async def issue_agent_tokens(
    call: Call, grant: AgentGrantRow, scopes: Iterable[Scope], *, until: datetime
) -> AgentTokens:
    """Issue an access token and a refresh token for a grant; the refresh token works `until`.

    The owner finds the access token in their list of tokens, under the agent's name.
    """
    wide = call.work.without_tenant_filter("an agent sends a secret before anybody has signed in")
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
    await secret_store.insert_refresh_token(
        call.work,
        client_id=grant.client_id,
        grant_id=grant.id,
        token_sha256=hash_token(refresh),
        access_token_id=issued.id,
        created_at=call.now,
        expires_at=until,
    )
    call.signed_in(grant.client_id, grant.user_id, Account(grant.account))
    call.add_audit_subjects("agent_connection", grant.id)
    return AgentTokens(
        access_token=issued.token,
        expires_in=int((issued.expires_at - call.now).total_seconds()),
        refresh_token=refresh,
        scope=" ".join(sorted(scopes)),
    )


def effective_grant_scopes(grant: AgentGrantRow) -> frozenset[Scope]:
    """The scopes of a grant now: those that were granted, as far as the owner still has them."""
    return effective_scopes(Account(grant.account), grant.scopes, grant.granted)
