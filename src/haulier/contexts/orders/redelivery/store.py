"""A client's rules for redelivery: at most one row a client."""

from typing import Any

from sqlalchemy import Column, Integer, UniqueConstraint, select

from haulier.contexts.orders.redelivery.rules import RedeliveryPolicy
from haulier.kernel.data.tables import UTCDateTime, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork

redelivery_policies = tenant_table(
    "redelivery_policy",
    Column("max_attempts", Integer, nullable=False),
    Column("changed_at", UTCDateTime, nullable=False),
    UniqueConstraint("client_id"),
)
_policy = select(redelivery_policies.c.max_attempts)


async def get_redelivery_policy(work: UnitOfWork) -> RedeliveryPolicy | None:
    """The client's rules, or None where the client set none."""
    row: Any = await work.first(_policy)
    return None if row is None else RedeliveryPolicy(max_attempts=row.max_attempts)


async def upsert_redelivery_policy(work: UnitOfWork, **values: Any) -> None:
    """Write the client's rules."""
    await work.upsert(redelivery_policies, (), **values)
