"""Giving tokens out to an agent: an access token of the house, and a refresh token for the next one."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from haulier.contexts.access.accounts import tokens
from haulier.contexts.access.accounts.rules.scopes import effective
from haulier.contexts.access.accounts.store.tokens import API
from haulier.contexts.access.authorisation.contract.grants import AgentTokens
from haulier.contexts.access.authorisation.rules.grants import ACCESS_LIFETIME
from haulier.contexts.access.authorisation.store import secrets as secret_store
from haulier.kernel.audience import PREFIXES
from haulier.kernel.call import Call
from haulier.kernel.declarations import Account, Scope, Server
from haulier.kernel.ids import opaque_token, token_digest

REFRESH_PREFIX = "hlrefresh"


async def give_tokens(call: Call, grant: Any, scopes: Iterable[Scope], *, until: datetime) -> AgentTokens:
    """A pair of tokens for a grant; the refresh token works `until`.

    The owner finds the access token in their list of tokens, under the agent's name.
    """
    issued = await tokens.issue(
        call.work,
        client_id=grant.client_id,
        user_id=grant.user_id,
        now=call.now,
        kind=API,
        lifetime=min(ACCESS_LIFETIME, grant.expires_at - call.now),
        scopes=scopes,
        name=grant.name,
        issued_by=grant.user_id,
        prefix=PREFIXES[Server(grant.server)],
    )
    refresh = opaque_token(REFRESH_PREFIX)
    await secret_store.add_refresh(
        call.work,
        client_id=grant.client_id,
        grant_id=grant.id,
        token_sha256=token_digest(refresh),
        access_token_id=issued.id,
        created_at=call.now,
        expires_at=until,
    )
    call.arrived(grant.client_id, grant.user_id, Account(grant.account))
    call.concerns("agent_connection", grant.id)
    return AgentTokens(
        access_token=issued.token,
        expires_in=int((issued.expires_at - call.now).total_seconds()),
        refresh_token=refresh,
        scope=" ".join(sorted(scopes)),
    )


def now_allowed(grant: Any) -> frozenset[Scope]:
    """What a grant is worth now: what was given, as far as its owner still has it."""
    return effective(Account(grant.account), grant.scopes, grant.granted)
