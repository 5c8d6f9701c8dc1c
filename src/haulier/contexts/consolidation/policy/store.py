"""The table of policies: at most one row for each client."""

from datetime import datetime
from typing import Any

from sqlalchemy import UniqueConstraint, select

from haulier.kernel.data.records import Record
from haulier.kernel.data.unit_of_work import UnitOfWork


class ConsolidationPolicyRow(Record, table="consolidation_policy", items=[UniqueConstraint("client_id")]):
    """Policy of a client."""

    unclaimed_after_days: int
    queue_unannounced: bool
    updated_at: datetime


policies = ConsolidationPolicyRow.table
_own = select(policies)


async def get_policy_row(work: UnitOfWork) -> ConsolidationPolicyRow | None:
    """Return this client's policy, or None."""
    return await work.first(_own, ConsolidationPolicyRow)


async def write_policy(work: UnitOfWork, **values: Any) -> None:
    """Insert or update this client's policy."""
    await work.upsert(policies, (), **values)
