"""Operations on grants."""

import logging
import re
import secrets
from datetime import timedelta
from urllib.parse import urlsplit

from msgspec import UNSET, Struct

from haulier.contexts.identity.public import lock_parent_token, shorten_token
from haulier.contexts.oauth.grants import store
from haulier.contexts.oauth.grants.actions import (
    effective_grant_scopes,
    end_grant,
    end_reused_grant,
    issue_agent_tokens,
)
from haulier.contexts.oauth.grants.contract import (
    AgentAccessRequest,
    AgentAuthorizationCode,
    AgentConnectionRef,
    AgentDetail,
    AgentTokens,
    ConnectedAgent,
    ConnectedAgentList,
    ExchangeAgentCode,
    FindAgent,
    GrantAgentAccess,
    ListConnectedAgents,
    ReadAgentRequest,
    RefreshAgentTokens,
    RegisterAgent,
    RegisteredAgent,
    RequestedScope,
    ResolveAgentMetadata,
    ResolvedAgent,
    RevokeAgentToken,
)
from haulier.contexts.oauth.grants.rules import (
    ACCESS_TOKEN_OVERLAP,
    AGENT_DOCUMENT_REFUSED,
    AGENT_METADATA_REFUSED,
    AGENT_UNKNOWN,
    CODE_INVALID,
    CODE_LIFETIME,
    GRANT_LIFETIME,
    GRANT_TYPES,
    REDIRECT_URI_REFUSED,
    REDIRECT_URI_UNKNOWN,
    REFRESH_INVALID,
    RESPONSE_TYPES,
    SCOPE_UNKNOWN,
    TARGET_UNKNOWN,
    UNUSED_AGENTS_KEPT,
    AgentDocument,
    GrantEndReason,
    is_document_stale,
    is_loopback_uri,
    is_refresh_token_reused,
    is_write_scope,
    matches_challenge,
    parse_agent_document,
    parse_requested_scopes,
    redirect_host,
    refresh_token_expiry,
    require_agent_metadata,
    require_document_url,
    require_registered_redirect_uri,
    require_scopes_within,
    server_for_resource,
    supported_among,
)
from haulier.contexts.oauth.grants.store import AgentGrantRow, AgentRow
from haulier.contexts.oauth.ports import AgentDocumentFetcher, AgentDocumentRefused
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.answers import Done
from haulier.kernel.operations.declaration import GraphQL, RateLimit, Rest, reads, writes
from haulier.kernel.operations.enums import SIGNED_IN, Account, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND, SCOPES_EXCEEDED, ErrorType
from haulier.kernel.operations.records import record
from haulier.kernel.request_context import RequestContext
from haulier.kernel.values.ids import hash_token, make_opaque_token

PATH = "/v1/oauth"


@writes(
    "register_agent",
    replayable=False,
    audience={Account.PUBLIC},
    interfaces=(Rest("POST", f"{PATH}/agents", status=201),),
    limits=(RateLimit(20, 3600, ("address",)),),
    errors=(REDIRECT_URI_REFUSED, AGENT_METADATA_REFUSED),
)
async def register_agent(call: Call, request: RegisterAgent) -> RegisteredAgent:
    """Register an agent (RFC 7591).

    Users can then connect it. An unused registration is deleted after 90 days. `/oauth/register` is the same in OAuth
    terms.
    """
    name = request.client_name or urlsplit(request.redirect_uris[0]).hostname or ""
    require_agent_metadata(
        redirect_uris=request.redirect_uris,
        name=name,
        uri=request.client_uri,
        grant_types=request.grant_types,
        response_types=request.response_types,
    )
    await store.delete_unused_agents(call.work, before=call.now - UNUSED_AGENTS_KEPT)
    key = f"agent-{secrets.token_hex(16)}"
    await AgentRow.insert(
        call.work, key=key, name=name, uri=request.client_uri, redirect_uris=request.redirect_uris, created_at=call.now
    )
    return RegisteredAgent(
        client_id=key,
        client_id_issued_at=int(call.now.timestamp()),
        client_name=name,
        client_uri=request.client_uri or UNSET,
        redirect_uris=request.redirect_uris,
        grant_types=supported_among(request.grant_types, GRANT_TYPES),
        response_types=supported_among(request.response_types, RESPONSE_TYPES),
    )


@reads(
    "find_agent",
    audience={Account.PUBLIC},
    interfaces=(Rest("GET", f"{PATH}/agents"),),
    errors=(AGENT_UNKNOWN, REDIRECT_URI_UNKNOWN),
)
async def find_agent(call: Call, request: FindAgent) -> AgentDetail:
    """Get a registered agent.

    The redirect address must be one of its own.
    """
    agent = await get_known_agent(call, request.client_id)
    redirect_uri = resolve_redirect_uri(agent, request.redirect_uri)
    return AgentDetail(
        client_id=agent.key,
        name=agent.name,
        uri=agent.uri or UNSET,
        redirect_uri=redirect_uri,
        destination=redirect_host(redirect_uri),
        on_this_machine=is_loopback_uri(redirect_uri),
        published=agent.fetched_at is not None,
    )


async def get_known_agent(call: Call, key: str) -> AgentRow:
    """Return the agent with a `client_id`. Raises `AGENT_UNKNOWN`."""
    agent = await AgentRow.find_by(call.work, key=key)
    if agent is None:
        raise AGENT_UNKNOWN()
    return agent


def resolve_redirect_uri(agent: AgentRow, redirect_uri: str | None) -> str:
    """Return the requested redirect address, or the agent's only one.

    Raises `REDIRECT_URI_UNKNOWN`.
    """
    if redirect_uri is None:
        if len(agent.redirect_uris) != 1:
            raise REDIRECT_URI_UNKNOWN(redirect_uri="")
        return agent.redirect_uris[0]
    require_registered_redirect_uri(redirect_uri, agent.redirect_uris)
    return redirect_uri


log = logging.getLogger("haulier.oauth")


class FetchedAgent(Struct, frozen=True):
    """Name of an agent and its document; None while the stored facts are fresh."""

    name: str
    agent_document: AgentDocument | None


async def fetch_agent_metadata(context: RequestContext, request: ResolveAgentMetadata) -> FetchedAgent:
    """Return the facts of an agent, fetching its document only if they are stale."""
    require_document_url(request.client_id)
    app = context.app
    async with app.database.read(None) as work:
        agent = await AgentRow.find_by(work, key=request.client_id)
    if agent and not is_document_stale(agent.fetched_at, app.clock()):
        return FetchedAgent(agent.name, None)
    try:
        document = await app.adapter(AgentDocumentFetcher).fetch(request.client_id)
    except AgentDocumentRefused as error:
        log.info("the document of an agent was refused: %s", error)
        raise AGENT_DOCUMENT_REFUSED() from None
    agent_document = parse_agent_document(request.client_id, document)
    return FetchedAgent(agent_document.client_name, agent_document)


@writes(
    "resolve_agent_metadata",
    replayable=False,
    audience=SIGNED_IN,
    scopes={Scope.ACCOUNT_WRITE},
    interfaces=(Rest("POST", f"{PATH}/agents/resolve"),),
    limits=(RateLimit(20, 60, ("user",)),),
    errors=(AGENT_DOCUMENT_REFUSED,),
    prepare=fetch_agent_metadata,
)
async def resolve_agent_metadata(call: Call, request: ResolveAgentMetadata) -> ResolvedAgent:
    """Resolve the metadata document of an agent.

    Fetched from its `client_id` at most once an hour.
    """
    fetched: FetchedAgent = call.prepared
    if fetched.agent_document is not None:
        await _save_agent(call, request.client_id, fetched.agent_document)
    return ResolvedAgent(client_id=request.client_id, name=fetched.name)


async def _save_agent(call: Call, key: str, agent_document: AgentDocument) -> None:
    columns = {
        "name": agent_document.client_name,
        "uri": agent_document.client_uri,
        "redirect_uris": agent_document.redirect_uris,
    }
    agent = await AgentRow.find_by(call.work, key=key)
    if agent is None:
        await AgentRow.insert(call.work, key=key, created_at=call.now, fetched_at=call.now, **columns)
    else:
        await AgentRow.update(call.work, agent.id, {"fetched_at": call.now, **columns})


@reads(
    "list_connected_agents",
    audience=SIGNED_IN,
    scopes={Scope.ACCOUNT_READ},
    interfaces=(Rest("GET", "/v1/user/agents"), GraphQL("connectedAgents")),
    errors=(NOT_FOUND,),
)
async def list_connected_agents(call: Call, request: ListConnectedAgents) -> ConnectedAgentList:
    """List your connected agents, newest first.

    Admins can list those of any user.
    """
    owner = request.user_id or call.actor or 0
    if owner != call.actor and call.principal.account is not Account.CLIENT_ADMIN:
        raise NOT_FOUND()
    rows, total = await store.list_live_grants(
        call.work, owner, call.now, limit=request.per_page, offset=request.offset
    )
    agents = [record(ConnectedAgent, row, connected_at=row.began_at, expires_at=row.idle_until) for row in rows]
    return ConnectedAgentList(total=total, page=request.page, per_page=request.per_page, agents=agents)


@writes(
    "disconnect_agent",
    audience=SIGNED_IN,
    scopes={Scope.ACCOUNT_WRITE},
    interfaces=(Rest("DELETE", "/v1/user/agents/{connection_id}"), GraphQL("disconnectAgent")),
    errors=(NOT_FOUND,),
)
async def disconnect_agent(call: Call, request: AgentConnectionRef) -> Done:
    """Disconnect an agent.

    Takes effect at once. Admins can disconnect agents of any user. Repeating the call changes nothing.
    """
    grant = await store.get_grant(call.work, request.connection_id)
    if grant is None or (grant.user_id != call.actor and call.principal.account is not Account.CLIENT_ADMIN):
        raise NOT_FOUND()
    await end_grant(call.work, grant.id, at=call.now, why=GrantEndReason.DISCONNECTED)
    call.add_audit_subjects("agent_connection", grant.id)
    return Done(message=call.translate("agent_disconnected", name=grant.name))


UNSTARTED_GRANTS_KEPT = timedelta(days=1)
REQUEST_ERRORS = (AGENT_UNKNOWN, REDIRECT_URI_UNKNOWN, SCOPE_UNKNOWN, TARGET_UNKNOWN)


@reads(
    "read_agent_request",
    audience={Account.PUBLIC},
    interfaces=(Rest("GET", f"{PATH}/requests"),),
    errors=REQUEST_ERRORS,
)
async def read_agent_request(call: Call, request: ReadAgentRequest) -> AgentAccessRequest:
    """Get the scopes that an agent requests.

    With descriptions, and those that the caller can grant.
    """
    resolve_redirect_uri(await get_known_agent(call, request.client_id), request.redirect_uri)
    requested = sorted(
        parse_requested_scopes(request.scope), key=lambda scope: (is_write_scope(scope), list(Scope).index(scope))
    )
    scopes = [
        RequestedScope(
            scope=scope.value,
            means=call.translate(f"scope.{scope.value}"),
            changes=is_write_scope(scope),
            yours=scope in call.principal.scopes,
        )
        for scope in requested
    ]
    return AgentAccessRequest(server=server_for_resource(request.resource, call.app.base_url).value, scopes=scopes)


@writes(
    "grant_agent_access",
    replayable=False,
    audience=SIGNED_IN,
    scopes={Scope.ACCOUNT_WRITE},
    risk=Risk.HIGH,
    interfaces=(Rest("POST", f"{PATH}/grants", status=201),),
    errors=(*REQUEST_ERRORS, SCOPES_EXCEEDED),
)
async def grant_agent_access(call: Call, request: GrantAgentAccess) -> AgentAuthorizationCode:
    """Grant an agent access.

    The agent acts for the caller with the given scopes, at one MCP server. It exchanges the code for its tokens. It
    never gets more than it requested, nor more than the caller has. With an API token instead of a session, the
    connection ends with that token.
    """
    agent = await get_known_agent(call, request.client_id)
    redirect_uri = resolve_redirect_uri(agent, request.redirect_uri)
    server = server_for_resource(request.resource, call.app.base_url)
    granted = require_scopes_within(request.scopes, parse_requested_scopes(request.scope), call.principal.scopes)
    parent = await lock_parent_token(call.work, call.principal.token_id, call.now)
    ends_at = call.now + GRANT_LIFETIME
    owner, code = call.actor or 0, make_opaque_token("hlcode")
    await store.delete_unstarted_grants(call.work, owner, before=call.now - UNSTARTED_GRANTS_KEPT)
    grant_id = await store.insert_grant(
        call.work,
        user_id=owner,
        parent_token_id=parent and parent.id,
        agent_id=agent.id,
        name=agent.name,
        server=server.value,
        scopes=sorted(granted),
        redirect_uri=request.redirect_uri,
        code_sha256=hash_token(code),
        code_challenge=request.code_challenge,
        code_expires_at=call.now + CODE_LIFETIME,
        created_at=call.now,
        expires_at=min(ends_at, parent.expires_at) if parent else ends_at,
    )
    call.add_audit_subjects("agent_connection", grant_id)
    return AgentAuthorizationCode(code=code, redirect_uri=redirect_uri)


TOKEN_LIMITS = (RateLimit(120, 60, ("address",)),)
_VERIFIER = re.compile(r"[A-Za-z0-9._~-]{43,128}")


async def end_grant_on_code_reuse(context: RequestContext, request: ExchangeAgentCode) -> None:
    """End the grant of a reused code (RFC 6749, section 4.1.2)."""
    async with context.app.database.read(None) as work:
        grant = await store.get_grant_by_code(work, hash_token(request.code.get_secret_value()))
    if grant and grant.began_at is not None:
        await end_reused_grant(context, grant, GrantEndReason.CODE_REUSED, "exchange_agent_code")


@writes(
    "exchange_agent_code",
    replayable=False,
    audience={Account.PUBLIC},
    interfaces=(Rest("POST", f"{PATH}/tokens"),),
    limits=TOKEN_LIMITS,
    errors=(AGENT_UNKNOWN, CODE_INVALID, TARGET_UNKNOWN),
    prepare=end_grant_on_code_reuse,
)
async def exchange_agent_code(call: Call, request: ExchangeAgentCode) -> AgentTokens:
    """Exchange a code for tokens.

    Works once, within a minute, with the secret behind the challenge of the request. `/oauth/token` is the same in
    OAuth terms. Reusing a code ends its grant.
    """
    await get_known_agent(call, request.client_id)
    grant = await store.get_grant_by_code(call.work, hash_token(request.code.get_secret_value()))
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
    if not await store.start_grant(call.work, grant.id, at=call.now, until=until):
        raise CODE_INVALID()
    # An agent with a metadata document may run in several places; a self-registered one runs in one place.
    if grant.published_at is None:
        for duplicate in await store.list_duplicate_grants(call.work, grant):
            await end_grant(call.work, duplicate, at=call.now, why=GrantEndReason.REPLACED)
    return await issue_agent_tokens(call, grant, effective_grant_scopes(grant), until=until)


async def end_grant_on_refresh_reuse(context: RequestContext, request: RefreshAgentTokens) -> None:
    """End the grant of a reused refresh token (RFC 9700, section 4.14.2)."""
    app = context.app
    async with app.database.read(None) as work:
        grant = await store.get_grant_by_refresh_token(work, hash_token(request.refresh_token.get_secret_value()))
    if grant and is_refresh_token_reused(grant.used_at, app.clock()):
        await end_reused_grant(context, grant, GrantEndReason.REFRESH_REUSED, "refresh_agent_tokens")


@writes(
    "refresh_agent_tokens",
    replayable=False,
    audience={Account.PUBLIC},
    interfaces=(Rest("POST", f"{PATH}/tokens/refresh"),),
    limits=TOKEN_LIMITS,
    errors=(AGENT_UNKNOWN, REFRESH_INVALID, SCOPE_UNKNOWN, SCOPES_EXCEEDED, TARGET_UNKNOWN),
    prepare=end_grant_on_refresh_reuse,
)
async def refresh_agent_tokens(call: Call, request: RefreshAgentTokens) -> AgentTokens:
    """Refresh the tokens of an agent.

    The refresh token is used up; the previous access token works for one more minute. Reusing a refresh token ends the
    connection with all its tokens, since two parties know it.
    """
    await get_known_agent(call, request.client_id)
    grant = await store.get_grant_by_refresh_token(call.work, hash_token(request.refresh_token.get_secret_value()))
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
    if not await store.use_refresh_token(call.work, grant, at=call.now, until=until):
        raise REFRESH_INVALID()
    await shorten_token(_wide_work(call), grant.access_token_id, call.now + ACCESS_TOKEN_OVERLAP)
    return await issue_agent_tokens(call, grant, scopes, until=until)


@writes(
    "revoke_agent_token",
    audience={Account.PUBLIC},
    interfaces=(Rest("POST", f"{PATH}/tokens/revoke"),),
    limits=TOKEN_LIMITS,
    errors=(AGENT_UNKNOWN,),
)
async def revoke_agent_token(call: Call, request: RevokeAgentToken) -> Done:
    """Revoke a token and its connection (RFC 7009).

    Unknown tokens and those of other agents are no error.
    """
    await get_known_agent(call, request.client_id)
    digest = hash_token(request.token.get_secret_value())
    grant = await store.get_grant_by_refresh_token(call.work, digest) or await store.get_grant_by_access_token(
        call.work, digest
    )
    if grant is not None and grant.agent_key == request.client_id:
        await end_grant(call.work, grant.id, at=call.now, why=GrantEndReason.REVOKED_BY_AGENT)
        call.set_signed_in(grant.client_id, grant.user_id, Account(grant.account))
        call.add_audit_subjects("agent_connection", grant.id)
    return Done(message=call.translate("agent_token_revoked"))


def _require_server(call: Call, grant: AgentGrantRow, resource: str | None) -> None:
    if resource is not None and server_for_resource(resource, call.app.base_url).value != grant.server:
        raise TARGET_UNKNOWN(resource=resource[:200])


def _wide_work(call: Call) -> UnitOfWork:
    return call.work.without_tenant_filter("an agent sends a secret before sign-in")


def _require_live_grant(call: Call, grant: AgentGrantRow, error: ErrorType) -> None:
    """Require that the owner of a grant is active and its API token works.

    Raises the given error otherwise.
    """
    parent_expired = grant.parent_expires_at is not None and grant.parent_expires_at <= call.now
    if not grant.active or grant.parent_revoked_at is not None or parent_expired:
        raise error()
