"""Table and statements of the charging policy."""

from datetime import datetime
from typing import Annotated

from sqlalchemy import String, UniqueConstraint, select

from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.records import Record
from haulier.kernel.data.tables import notify_writes
from haulier.kernel.data.unit_of_work import UnitOfWork

POLICIES_CHANNEL = "charging_policies"


class ChargingPolicyRow(Record, table="charging_policy", items=[UniqueConstraint("client_id")]):
    """Times at which a business charges its services."""

    deliveries: Annotated[str, String(20)]
    updated_at: datetime


policies = ChargingPolicyRow.table
plain_columns(policies, "deliveries")
notify_writes(policies, POLICIES_CHANNEL)
_policy = select(policies)


async def get_policy_row(work: UnitOfWork) -> ChargingPolicyRow | None:
    """Return the charging policy, or None if none is set."""
    return await work.first(_policy, ChargingPolicyRow)


async def save_policy(work: UnitOfWork, deliveries: str, now: datetime) -> None:
    """Insert or replace the charging policy."""
    values = {"deliveries": deliveries, "updated_at": now}
    row = await ChargingPolicyRow.lock_or_insert(work, values)
    await ChargingPolicyRow.update(work, row.id, values)
