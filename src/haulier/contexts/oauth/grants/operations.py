"""Tokens of agents: exchange a code for them, refresh and revoke them."""

import re

from haulier.contexts.identity.public import shorten_token
from haulier.contexts.oauth.grants.actions.endings import end_grant
from haulier.contexts.oauth.grants.actions.token_reuse import end_reused_grant
from haulier.contexts.oauth.grants.actions.tokens import effective_grant_scopes, issue_agent_tokens
from haulier.contexts.oauth.grants.contract.grants import (
    AgentTokens,
    ExchangeAgentCode,
    RefreshAgentTokens,
    RevokeAgentToken,
)
from haulier.contexts.oauth.grants.operations.agents import PATH, get_known_agent
from haulier.contexts.oauth.grants.rules.grants import (
    ACCESS_TOKEN_OVERLAP,
    AGENT_UNKNOWN,
    CODE_INVALID,
    REFRESH_INVALID,
    GrantEndReason,
    is_refresh_token_reused,
    matches_challenge,
    refresh_token_expiry,
)
from haulier.contexts.oauth.grants.rules.requested_scopes import (
    SCOPE_UNKNOWN,
    TARGET_UNKNOWN,
    parse_requested_scopes,
    require_scopes_within,
    server_for_resource,
)
from haulier.contexts.oauth.grants.store import grants as grant_store
from haulier.contexts.oauth.grants.store import secrets as secret_store
from haulier.contexts.oauth.grants.store.secrets import AgentGrantRow
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.answers import Done
from haulier.kernel.operations.declaration import RateLimit, Rest, writes
from haulier.kernel.operations.enums import Account, Scope
from haulier.kernel.operations.errors import SCOPES_EXCEEDED, ErrorType
from haulier.kernel.request_context import RequestContext
from haulier.kernel.values.ids import hash_token

TOKEN_LIMITS = (RateLimit(120, 60, ("address",)),)
_VERIFIER = re.compile(r"[A-Za-z0-9._~-]{43,128}")


async def end_grant_on_code_reuse(context: RequestContext, request: ExchangeAgentCode) -> None:
    """A code that is used a second time ends its grant (RFC 6749, section 4.1.2)."""
    async with context.app.database.read(None) as work:
        grant = await secret_store.get_grant_by_code(work, hash_token(request.code.get_secret_value()))
    if grant and grant.began_at is not None:
        await end_reused_grant(context, grant, GrantEndReason.CODE_REUSED, "exchange_agent_code")


@writes(
    "exchange_agent_code",
    replayable=False,
    audience={Account.PUBLIC},
    doors=(Rest("POST", f"{PATH}/tokens"),),
    limits=TOKEN_LIMITS,
    errors=(AGENT_UNKNOWN, CODE_INVALID, TARGET_UNKNOWN),
    prepare=end_grant_on_code_reuse,
)
async def exchange_agent_code(call: Call, request: ExchangeAgentCode) -> AgentTokens:
    """Exchange a code for tokens, once, within a minute, with the secret behind the challenge of the request.

    At `/oauth/token` the same in the words of OAuth. A code that is used a second time ends its grant.
    """
    await get_known_agent(call, request.client_id)
    grant = await secret_store.get_grant_by_code(call.work, hash_token(request.code.get_secret_value()))
    if grant is None or grant.agent_key != request.client_id or grant.code_expires_at <= call.now:
        raise CODE_INVALID()
    verifier = request.code_verifier.get_secret_value()
    if not _VERIFIER.fullmatch(verifier) or not matches_challenge(verifier, grant.code_challenge):
        raise CODE_INVALID()
    if request.redirect_uri != grant.redirect_uri and grant.redirect_uri is not None:
        raise CODE_INVALID()
    _require_server(call, grant, request.resource)
    _require_live_grant(call, grant, CODE_INVALID)
    until = refresh_token_expiry(call.now, grant.expires_at)
    if not await grant_store.start_grant(call.work, grant.id, at=call.now, until=until):
        raise CODE_INVALID()
    # Why: an agent with a metadata document may run in several places; one that registered itself runs in one place.
    if grant.published_at is None:
        for duplicate in await grant_store.list_duplicate_grants(call.work, grant):
            await end_grant(call.work, duplicate, at=call.now, why=GrantEndReason.REPLACED)
    return await issue_agent_tokens(call, grant, effective_grant_scopes(grant), until=until)


async def end_grant_on_refresh_reuse(context: RequestContext, request: RefreshAgentTokens) -> None:
    """A refresh token that is used a second time ends its grant (RFC 9700, section 4.14.2)."""
    app = context.app
    async with app.database.read(None) as work:
        grant = await secret_store.get_grant_by_refresh_token(
            work, hash_token(request.refresh_token.get_secret_value())
        )
    if grant and is_refresh_token_reused(grant.used_at, app.clock()):
        await end_reused_grant(context, grant, GrantEndReason.REFRESH_REUSED, "refresh_agent_tokens")


@writes(
    "refresh_agent_tokens",
    replayable=False,
    audience={Account.PUBLIC},
    doors=(Rest("POST", f"{PATH}/tokens/refresh"),),
    limits=TOKEN_LIMITS,
    errors=(AGENT_UNKNOWN, REFRESH_INVALID, SCOPE_UNKNOWN, SCOPES_EXCEEDED, TARGET_UNKNOWN),
    prepare=end_grant_on_refresh_reuse,
)
async def refresh_agent_tokens(call: Call, request: RefreshAgentTokens) -> AgentTokens:
    """Get new tokens for a refresh token, which is then used up; the access token before works one minute more.

    A refresh token that is used a second time is known to two parties: the connection ends, with all its tokens.
    """
    await get_known_agent(call, request.client_id)
    grant = await secret_store.get_grant_by_refresh_token(
        call.work, hash_token(request.refresh_token.get_secret_value())
    )
    if grant is None or grant.agent_key != request.client_id or grant.ended_at is not None:
        raise REFRESH_INVALID()
    if grant.used_at is not None or grant.refresh_expires_at <= call.now or grant.access_revoked_at is not None:
        raise REFRESH_INVALID()
    _require_server(call, grant, request.resource)
    _require_live_grant(call, grant, REFRESH_INVALID)
    scopes = effective_grant_scopes(grant)
    if request.scope:
        scopes = require_scopes_within(
            parse_requested_scopes(request.scope), frozenset(Scope(scope) for scope in grant.scopes), scopes
        )
    until = refresh_token_expiry(call.now, grant.expires_at)
    if not await secret_store.use_refresh_token(call.work, grant, at=call.now, until=until):
        raise REFRESH_INVALID()
    await shorten_token(_wide_work(call), grant.access_token_id, call.now + ACCESS_TOKEN_OVERLAP)
    return await issue_agent_tokens(call, grant, scopes, until=until)


@writes(
    "revoke_agent_token",
    audience={Account.PUBLIC},
    doors=(Rest("POST", f"{PATH}/tokens/revoke"),),
    limits=TOKEN_LIMITS,
    errors=(AGENT_UNKNOWN,),
)
async def revoke_agent_token(call: Call, request: RevokeAgentToken) -> Done:
    """Give a token back: the whole connection ends (RFC 7009). An unknown token, or one of another agent, is no error."""
    await get_known_agent(call, request.client_id)
    digest = hash_token(request.token.get_secret_value())
    grant = await secret_store.get_grant_by_refresh_token(
        call.work, digest
    ) or await secret_store.get_grant_by_access_token(call.work, digest)
    if grant is not None and grant.agent_key == request.client_id:
        await end_grant(call.work, grant.id, at=call.now, why=GrantEndReason.REVOKED_BY_AGENT)
        call.signed_in(grant.client_id, grant.user_id, Account(grant.account))
        call.add_audit_subjects("agent_connection", grant.id)
    return Done(message=call.translate("agent_token_revoked"))


def _require_server(call: Call, grant: AgentGrantRow, resource: str | None) -> None:
    if resource is not None and server_for_resource(resource, call.app.base_url).value != grant.server:
        raise TARGET_UNKNOWN(resource=resource[:200])


def _wide_work(call: Call) -> UnitOfWork:
    return call.work.without_tenant_filter("an agent sends a secret before anybody has signed in")


def _require_live_grant(call: Call, grant: AgentGrantRow, error: ErrorType) -> None:
    """Raises the error when the owner of a grant is disabled, or the API token that it was given with has ended."""
    parent_expired = grant.parent_expires_at is not None and grant.parent_expires_at <= call.now
    if not grant.active or grant.parent_revoked_at is not None or parent_expired:
        raise error()
