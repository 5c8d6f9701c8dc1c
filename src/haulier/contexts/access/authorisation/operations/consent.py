"""A person is shown what an agent wants, and gives it or a part of it."""

from datetime import timedelta

from haulier.contexts.access.accounts.rules.scopes import SCOPES_EXCEEDED
from haulier.contexts.access.authorisation.contract.grants import (
    AgentCode,
    AgentWish,
    GrantAgentAccess,
    ReadAgentRequest,
    ScopeWish,
)
from haulier.contexts.access.authorisation.operations.agents import PATH, known_agent, the_address
from haulier.contexts.access.authorisation.rules.grants import AGENT_UNKNOWN, CODE_LIFETIME, GRANT_LIFETIME
from haulier.contexts.access.authorisation.rules.redirects import REDIRECT_URI_UNKNOWN
from haulier.contexts.access.authorisation.rules.wishes import (
    SCOPE_UNKNOWN,
    TARGET_UNKNOWN,
    asks_to_change,
    demand_within,
    server_of,
    wanted,
)
from haulier.contexts.access.authorisation.store import grants as grant_store
from haulier.kernel.call import Call
from haulier.kernel.declarations import SIGNED_IN, Account, Risk, Scope
from haulier.kernel.ids import opaque_token, token_digest
from haulier.kernel.operation import Rest, reads, writes

NEVER_BEGUN_KEPT = timedelta(days=1)
REFUSALS = (AGENT_UNKNOWN, REDIRECT_URI_UNKNOWN, SCOPE_UNKNOWN, TARGET_UNKNOWN)


@reads(
    "read_agent_request",
    audience={Account.PUBLIC},
    doors=(Rest("GET", f"{PATH}/requests"),),
    errors=REFUSALS,
)
async def read_agent_request(call: Call, request: ReadAgentRequest) -> AgentWish:
    """What an agent asks for, in words, and what of it the caller could give."""
    the_address(await known_agent(call, request.client_id), request.redirect_uri)
    asked = sorted(wanted(request.scope), key=lambda scope: (asks_to_change(scope), list(Scope).index(scope)))
    wishes = [
        ScopeWish(
            scope=scope.value,
            means=call.say(f"scope.{scope.value}"),
            changes=asks_to_change(scope),
            yours=scope in call.principal.scopes,
        )
        for scope in asked
    ]
    return AgentWish(server=server_of(request.resource, call.house.base_url).value, scopes=wishes)


@writes(
    "grant_agent_access",
    keeps_answer=False,
    audience=SIGNED_IN,
    scopes={Scope.ACCOUNT_WRITE},
    risk=Risk.HIGH,
    doors=(Rest("POST", f"{PATH}/grants", status=201),),
    errors=(*REFUSALS, SCOPES_EXCEEDED),
)
async def grant_agent_access(call: Call, request: GrantAgentAccess) -> AgentCode:
    """Let an agent act for the caller, with so many rights as are named, at one MCP server.

    The agent exchanges the code for its tokens. It never gets more than it asked for, nor more than the caller has.
    """
    agent = await known_agent(call, request.client_id)
    redirect_uri = the_address(agent, request.redirect_uri)
    server = server_of(request.resource, call.house.base_url)
    given = demand_within(request.scopes, wanted(request.scope), call.principal.scopes)
    owner, code = call.actor or 0, opaque_token("hlcode")
    await grant_store.forget_never_begun(call.work, owner, before=call.now - NEVER_BEGUN_KEPT)
    grant_id = await grant_store.add_grant(
        call.work,
        user_id=owner,
        agent_id=agent.id,
        name=agent.name,
        server=server.value,
        scopes=sorted(given),
        redirect_uri=request.redirect_uri,
        code_sha256=token_digest(code),
        code_challenge=request.code_challenge,
        code_expires_at=call.now + CODE_LIFETIME,
        created_at=call.now,
        expires_at=call.now + GRANT_LIFETIME,
    )
    call.concerns("agent_connection", grant_id)
    return AgentCode(code=code, redirect_uri=redirect_uri)
