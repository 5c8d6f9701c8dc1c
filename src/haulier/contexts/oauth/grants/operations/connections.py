"""The agents that a user has connected: list and disconnect them."""

from haulier.contexts.oauth.grants.actions.endings import end_grant
from haulier.contexts.oauth.grants.contract.agents import (
    AgentConnectionRef,
    ConnectedAgent,
    ConnectedAgentList,
    ListConnectedAgents,
)
from haulier.contexts.oauth.grants.rules.grants import GrantEndReason
from haulier.contexts.oauth.grants.store import grants as grant_store
from haulier.kernel.call import Call
from haulier.kernel.operations.answers import Done
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import SIGNED_IN, Account, Scope
from haulier.kernel.operations.errors import NOT_FOUND
from haulier.kernel.operations.records import record


@reads(
    "list_connected_agents",
    audience=SIGNED_IN,
    scopes={Scope.ACCOUNT_READ},
    doors=(Rest("GET", "/v1/user/agents"), GraphQL("connectedAgents")),
    errors=(NOT_FOUND,),
)
async def list_connected_agents(call: Call, request: ListConnectedAgents) -> ConnectedAgentList:
    """The agents that act for the caller, newest first; for admins also those of any user."""
    owner = request.user_id or call.actor or 0
    if owner != call.actor and call.principal.account is not Account.CLIENT_ADMIN:
        raise NOT_FOUND()
    rows, total = await grant_store.list_live_grants(
        call.work, owner, call.now, limit=request.per_page, offset=request.offset
    )
    agents = [record(ConnectedAgent, row, connected_at=row.began_at, expires_at=row.idle_until) for row in rows]
    return ConnectedAgentList(total=total, page=request.page, per_page=request.per_page, agents=agents)


@writes(
    "disconnect_agent",
    audience=SIGNED_IN,
    scopes={Scope.ACCOUNT_WRITE},
    doors=(Rest("DELETE", "/v1/user/agents/{connection_id}"), GraphQL("disconnectAgent")),
    errors=(NOT_FOUND,),
)
async def disconnect_agent(call: Call, request: AgentConnectionRef) -> Done:
    """Disconnect an agent of the caller at once; admins of any user of the client. Doing it again changes nothing."""
    grant = await grant_store.get_grant(call.work, request.connection_id)
    if grant is None or (grant.user_id != call.actor and call.principal.account is not Account.CLIENT_ADMIN):
        raise NOT_FOUND()
    await end_grant(call.work, grant.id, at=call.now, why=GrantEndReason.DISCONNECTED)
    call.add_audit_subjects("agent_connection", grant.id)
    return Done(message=call.translate("agent_disconnected", name=grant.name))
