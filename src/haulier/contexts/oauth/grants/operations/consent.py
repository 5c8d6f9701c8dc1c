"""A person reads what an agent requests, and grants all or a part of it."""

from datetime import timedelta

from haulier.contexts.identity.public import lock_parent_token
from haulier.contexts.oauth.grants.contract.grants import (
    AgentAccessRequest,
    AgentAuthorizationCode,
    GrantAgentAccess,
    ReadAgentRequest,
    RequestedScope,
)
from haulier.contexts.oauth.grants.operations.agents import PATH, get_known_agent, resolve_redirect_uri
from haulier.contexts.oauth.grants.rules.grants import AGENT_UNKNOWN, CODE_LIFETIME, GRANT_LIFETIME
from haulier.contexts.oauth.grants.rules.redirect_uris import REDIRECT_URI_UNKNOWN
from haulier.contexts.oauth.grants.rules.requested_scopes import (
    SCOPE_UNKNOWN,
    TARGET_UNKNOWN,
    is_write_scope,
    parse_requested_scopes,
    require_scopes_within,
    server_for_resource,
)
from haulier.contexts.oauth.grants.store import grants as grant_store
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import Rest, reads, writes
from haulier.kernel.operations.enums import SIGNED_IN, Account, Risk, Scope
from haulier.kernel.operations.errors import SCOPES_EXCEEDED
from haulier.kernel.values.ids import hash_token, make_opaque_token

UNSTARTED_GRANTS_KEPT = timedelta(days=1)
REQUEST_ERRORS = (AGENT_UNKNOWN, REDIRECT_URI_UNKNOWN, SCOPE_UNKNOWN, TARGET_UNKNOWN)


@reads(
    "read_agent_request",
    audience={Account.PUBLIC},
    doors=(Rest("GET", f"{PATH}/requests"),),
    errors=REQUEST_ERRORS,
)
async def read_agent_request(call: Call, request: ReadAgentRequest) -> AgentAccessRequest:
    """The scopes that an agent requests, with descriptions, and which of them the caller could grant."""
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
    doors=(Rest("POST", f"{PATH}/grants", status=201),),
    errors=(*REQUEST_ERRORS, SCOPES_EXCEEDED),
)
async def grant_agent_access(call: Call, request: GrantAgentAccess) -> AgentAuthorizationCode:
    """Let an agent act for the caller, with so many rights as are named, at one MCP server.

    The agent exchanges the code for its tokens. It never gets more than it asked for, nor more than the caller has. With
    an API token instead of a session, the agent stays connected no longer than that token works.
    """
    agent = await get_known_agent(call, request.client_id)
    redirect_uri = resolve_redirect_uri(agent, request.redirect_uri)
    server = server_for_resource(request.resource, call.app.base_url)
    granted = require_scopes_within(request.scopes, parse_requested_scopes(request.scope), call.principal.scopes)
    parent = await lock_parent_token(call.work, call.principal.token_id, call.now)
    ends_at = call.now + GRANT_LIFETIME
    owner, code = call.actor or 0, make_opaque_token("hlcode")
    await grant_store.delete_unstarted_grants(call.work, owner, before=call.now - UNSTARTED_GRANTS_KEPT)
    grant_id = await grant_store.insert_grant(
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
