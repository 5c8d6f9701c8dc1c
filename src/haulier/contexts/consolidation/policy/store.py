"""The table of policies: at most one row for each client."""

from typing import Any

from sqlalchemy import Boolean, Column, Integer, UniqueConstraint, select

from haulier.kernel.data.statements import Row
from haulier.kernel.data.tables import UTCDateTime, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork

policies = tenant_table(
    "consolidation_policy",
    Column("unclaimed_after_days", Integer, nullable=False),
    Column("queue_unannounced", Boolean, nullable=False),
    Column("updated_at", UTCDateTime, nullable=False),
    UniqueConstraint("client_id"),
)
_own = select(policies.c.unclaimed_after_days, policies.c.queue_unannounced)


class ConsolidationPolicyRow(Row):
    """What a client chose."""

    unclaimed_after_days: int
    queue_unannounced: bool


async def get_policy_row(work: UnitOfWork) -> ConsolidationPolicyRow | None:
    """What this client chose, or None."""
    return await work.first(_own, ConsolidationPolicyRow)


async def write_policy(work: UnitOfWork, **values: Any) -> None:
    """Write what this client chooses."""
    await work.upsert(policies, (), **values)
