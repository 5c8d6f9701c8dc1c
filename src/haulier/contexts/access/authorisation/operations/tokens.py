"""An agent gets its tokens, new ones when they end, and gives them back."""

import re
from typing import Any

from haulier.contexts.access.accounts.rules.scopes import SCOPES_EXCEEDED
from haulier.contexts.access.authorisation.contract.grants import (
    AgentTokens,
    ExchangeAgentCode,
    RefreshAgentTokens,
    RevokeAgentToken,
)
from haulier.contexts.access.authorisation.issuing import give_tokens, now_allowed
from haulier.contexts.access.authorisation.operations.agents import PATH, known_agent
from haulier.contexts.access.authorisation.rules.grants import (
    AGENT_UNKNOWN,
    CODE_INVALID,
    OVERLAP,
    REFRESH_INVALID,
    End,
    is_theft,
    proves,
    refresh_until,
)
from haulier.contexts.access.authorisation.rules.wishes import (
    SCOPE_UNKNOWN,
    TARGET_UNKNOWN,
    demand_within,
    server_of,
    wanted,
)
from haulier.contexts.access.authorisation.store import grants as grant_store
from haulier.contexts.access.authorisation.store import secrets as secret_store
from haulier.contexts.access.authorisation.theft import end_stolen
from haulier.kernel.answers import Done
from haulier.kernel.call import Call
from haulier.kernel.declarations import Account, Scope
from haulier.kernel.doorstep import Doorstep
from haulier.kernel.errors import Problem
from haulier.kernel.ids import token_digest
from haulier.kernel.operation import Limit, Rest, writes

PACE = (Limit(120, 60, ("address",)),)
_VERIFIER = re.compile(r"[A-Za-z0-9._~-]{43,128}")


async def watch_code(doorstep: Doorstep, request: ExchangeAgentCode) -> None:
    """A code that comes a second time ends what it gave (RFC 6749, section 4.1.2)."""
    async with doorstep.house.database.read(None) as work:
        grant = await secret_store.by_code(work, token_digest(request.code.get_secret_value()))
    if grant and grant.began_at is not None:
        await end_stolen(doorstep, grant, End.CODE_REUSED, "exchange_agent_code")


@writes(
    "exchange_agent_code",
    keeps_answer=False,
    audience={Account.PUBLIC},
    doors=(Rest("POST", f"{PATH}/tokens"),),
    limits=PACE,
    errors=(AGENT_UNKNOWN, CODE_INVALID, TARGET_UNKNOWN),
    prepare=watch_code,
)
async def exchange_agent_code(call: Call, request: ExchangeAgentCode) -> AgentTokens:
    """Exchange a code for tokens, once, within a minute, with the secret behind the challenge of the request.

    At `/oauth/token` the same in the words of OAuth. A code that comes a second time ends what it gave.
    """
    await known_agent(call, request.client_id)
    grant = await secret_store.by_code(call.work, token_digest(request.code.get_secret_value()))
    if grant is None or grant.agent_key != request.client_id or grant.code_expires_at <= call.now:
        raise CODE_INVALID()
    verifier = request.code_verifier.get_secret_value()
    if not _VERIFIER.fullmatch(verifier) or not proves(verifier, grant.code_challenge):
        raise CODE_INVALID()
    if request.redirect_uri != grant.redirect_uri and grant.redirect_uri is not None:
        raise CODE_INVALID()
    _demand_server(call, grant, request.resource)
    _demand_owner(grant, CODE_INVALID)
    until = refresh_until(call.now, grant.expires_at)
    if not await grant_store.begin(call.work, grant.id, at=call.now, until=until):
        raise CODE_INVALID()
    if grant.published_at is None:  # a document's agent may run in several places; one that registered is one place
        for twin in await grant_store.twins(call.work, grant):
            await grant_store.end(call.work, twin, at=call.now, why=End.REPLACED)
    return await give_tokens(call, grant, now_allowed(grant), until=until)


async def watch_refresh(doorstep: Doorstep, request: RefreshAgentTokens) -> None:
    """A refresh token that comes a second time ends its grant (RFC 9700, section 4.14.2)."""
    house = doorstep.house
    async with house.database.read(None) as work:
        grant = await secret_store.by_refresh(work, token_digest(request.refresh_token.get_secret_value()))
    if grant and is_theft(grant.used_at, house.clock()):
        await end_stolen(doorstep, grant, End.REFRESH_REUSED, "refresh_agent_tokens")


@writes(
    "refresh_agent_tokens",
    keeps_answer=False,
    audience={Account.PUBLIC},
    doors=(Rest("POST", f"{PATH}/tokens/refresh"),),
    limits=PACE,
    errors=(AGENT_UNKNOWN, REFRESH_INVALID, SCOPE_UNKNOWN, SCOPES_EXCEEDED, TARGET_UNKNOWN),
    prepare=watch_refresh,
)
async def refresh_agent_tokens(call: Call, request: RefreshAgentTokens) -> AgentTokens:
    """Get new tokens for a refresh token, which is then used up; the access token before works one minute more.

    A refresh token that comes a second time has two owners: the connection ends, with every token of it.
    """
    await known_agent(call, request.client_id)
    grant = await secret_store.by_refresh(call.work, token_digest(request.refresh_token.get_secret_value()))
    if grant is None or grant.agent_key != request.client_id or grant.ended_at is not None:
        raise REFRESH_INVALID()
    if grant.used_at is not None or grant.refresh_expires_at <= call.now or grant.access_revoked_at is not None:
        raise REFRESH_INVALID()
    _demand_server(call, grant, request.resource)
    _demand_owner(grant, REFRESH_INVALID)
    scopes = now_allowed(grant)
    if request.scope:
        scopes = demand_within(wanted(request.scope), frozenset(Scope(scope) for scope in grant.scopes), scopes)
    until = refresh_until(call.now, grant.expires_at)
    if not await secret_store.use(call.work, grant, at=call.now, until=until, access_until=call.now + OVERLAP):
        raise REFRESH_INVALID()
    return await give_tokens(call, grant, scopes, until=until)


@writes(
    "revoke_agent_token",
    audience={Account.PUBLIC},
    doors=(Rest("POST", f"{PATH}/tokens/revoke"),),
    limits=PACE,
    errors=(AGENT_UNKNOWN,),
)
async def revoke_agent_token(call: Call, request: RevokeAgentToken) -> Done:
    """Give a token back: the whole connection ends (RFC 7009). A token that there is not, or of another agent, is no fault."""
    await known_agent(call, request.client_id)
    digest = token_digest(request.token.get_secret_value())
    grant = await secret_store.by_refresh(call.work, digest) or await secret_store.by_access(call.work, digest)
    if grant is not None and grant.agent_key == request.client_id:
        await grant_store.end(call.work, grant.id, at=call.now, why=End.REVOKED_BY_AGENT)
        call.arrived(grant.client_id, grant.user_id, Account(grant.account))
        call.concerns("agent_connection", grant.id)
    return Done(message=call.say("agent_token_revoked"))


def _demand_server(call: Call, grant: Any, resource: str | None) -> None:
    if resource is not None and server_of(resource, call.house.base_url).value != grant.server:
        raise TARGET_UNKNOWN(resource=resource[:200])


def _demand_owner(grant: Any, problem: Problem) -> None:
    """Whoever may not come in any more has no agent either."""
    if not grant.active:
        raise problem()
