"""Agents: written, looked up, and deleted when nobody connected them."""

from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, delete, exists, select, update

from haulier.contexts.oauth.grants.store.tables import agents, grants
from haulier.kernel.data.statements import Row
from haulier.kernel.data.unit_of_work import UnitOfWork


class AgentRow(Row):
    """An agent. `fetched_at` is null for one that registered itself."""

    id: int
    key: str
    name: str
    uri: str | None
    redirect_uris: list[str]
    fetched_at: datetime | None


_agent = select(agents).where(agents.c.key == bindparam("agent_key"))
_delete_unused = delete(agents).where(
    agents.c.created_at < bindparam("before"), ~exists().where(grants.c.agent_id == agents.c.id)
)
_update = update(agents).where(agents.c.id == bindparam("agent"))


async def get_agent(work: UnitOfWork, key: str) -> AgentRow | None:
    """The agent with a `client_id`, or None."""
    return await work.first(_agent, AgentRow, agent_key=key)


async def insert_agent(work: UnitOfWork, **values: Any) -> int:
    """Write an agent. Returns its id. Raises `UniqueConflict` when the key is taken."""
    return await work.insert(agents, **values)


async def update_agent(work: UnitOfWork, agent_id: int, **values: Any) -> None:
    """Change columns of an agent."""
    await work.run(_update.values(**values), agent=agent_id)


async def delete_unused_agents(work: UnitOfWork, *, before: datetime) -> int:
    """Delete agents from before a time that were never granted anything. Returns how many."""
    return await work.without_tenant_filter("an agent belongs to no client").run(_delete_unused, before=before)
