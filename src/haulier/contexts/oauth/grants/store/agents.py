"""Agents: written, looked up, and deleted when nobody connected them."""

from datetime import datetime

from sqlalchemy import bindparam, delete, exists

from haulier.contexts.oauth.grants.store.tables import agents, grants
from haulier.kernel.data.unit_of_work import UnitOfWork

_delete_unused = delete(agents).where(
    agents.c.created_at < bindparam("before"), ~exists().where(grants.c.agent_id == agents.c.id)
)


async def delete_unused_agents(work: UnitOfWork, *, before: datetime) -> int:
    """Delete agents from before a time that were never granted anything. Returns how many."""
    return await work.without_tenant_filter("an agent belongs to no client").run(_delete_unused, before=before)
