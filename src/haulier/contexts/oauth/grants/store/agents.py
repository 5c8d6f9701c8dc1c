"""Agents: written, found, and forgotten when nobody connected them."""

from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, delete, exists, select, update

from haulier.contexts.oauth.grants.store.tables import agents, grants
from haulier.kernel.data.unit_of_work import UnitOfWork

_agent = select(agents).where(agents.c.key == bindparam("agent_key"))
_forget_agents = delete(agents).where(
    agents.c.created_at < bindparam("before"), ~exists().where(grants.c.agent_id == agents.c.id)
)
_change_agent = update(agents).where(agents.c.id == bindparam("agent"))


async def get_agent(work: UnitOfWork, key: str) -> Any:
    """The agent with a `client_id`, or None."""
    return await work.first(_agent, agent_key=key)


async def insert_agent(work: UnitOfWork, **values: Any) -> int:
    """Write an agent. Returns its id. Raises `Conflict` when the key is taken."""
    return await work.insert(agents, **values)


async def update_agent(work: UnitOfWork, agent_id: int, **values: Any) -> None:
    """Write down what the document of an agent says now."""
    await work.run(_change_agent.values(**values), agent=agent_id)


async def delete_unused_agents(work: UnitOfWork, *, before: datetime) -> int:
    """Forget agents that came before a time and were never granted anything. Returns how many."""
    return await work.without_tenant_filter("an agent belongs to no client").run(_forget_agents, before=before)
