"""Tables of message settings of businesses and of single customers."""

from collections.abc import Collection
from datetime import datetime, time
from typing import Any

from sqlalchemy import Column, Integer, String, UniqueConstraint, select

from haulier.contexts.recipients.messages.rules.policies import CustomerPolicy, MessagePolicy
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.tables import Id, Json, UTCDateTime, announce_writes, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork

MESSAGE_POLICIES_CHANNEL = "message_policies"
"""Channel of notifications about changed message settings."""

message_policies = tenant_table(
    "recipient_message_policy",
    Column("channels", Json, nullable=False),
    Column("stops_before", Integer, nullable=False),
    Column("quiet_from", String(8)),
    Column("quiet_until", String(8)),
    Column("changed_at", UTCDateTime, nullable=False),
    UniqueConstraint("client_id"),
)
"""One row per business. Without a row, no messages are sent."""

customer_policies = tenant_table(
    "recipient_customer_policy",
    Column("customer_id", Id, nullable=False),
    Column("channels", Json, nullable=False),
    Column("stops_before", Integer),
    Column("changed_at", UTCDateTime, nullable=False),
    UniqueConstraint("client_id", "customer_id"),
)

plain_columns(message_policies, "channels", "quiet_from", "quiet_until")
announce_writes(message_policies, MESSAGE_POLICIES_CHANNEL)
plain_columns(customer_policies, "channels")


class _PolicyRow(Row):
    channels: dict[str, str]
    stops_before: int
    quiet_from: str | None
    quiet_until: str | None


class _CustomerPolicyRow(Row):
    customer_id: int
    channels: dict[str, str]
    stops_before: int | None


_policy = select(message_policies)
_locked = _policy.with_for_update()
_of_customers = select(customer_policies).where(in_param(customer_policies.c.customer_id, "ids"))


async def get_message_policy(work: UnitOfWork, *, lock: bool = False) -> MessagePolicy | None:
    """Return the business's settings, or None. Optionally lock them."""
    row = await work.first(_locked if lock else _policy, _PolicyRow)
    if row is None:
        return None
    times = {name: _time_of(getattr(row, name)) for name in ("quiet_from", "quiet_until")}
    return MessagePolicy(channels=row.channels, stops_before=row.stops_before, **times)


async def list_customer_policies(work: UnitOfWork, customer_ids: Collection[int]) -> dict[int, CustomerPolicy]:
    """Return the settings of customers that have any, by customer."""
    rows = await work.all(_of_customers, _CustomerPolicyRow, ids=sorted(customer_ids)) if customer_ids else []
    return {row.customer_id: CustomerPolicy(channels=row.channels, stops_before=row.stops_before) for row in rows}


async def upsert_message_policy(work: UnitOfWork, policy: MessagePolicy, at: datetime) -> None:
    """Insert or update the business's settings."""
    values: dict[str, Any] = {
        "channels": policy.channels,
        "stops_before": policy.stops_before,
        "quiet_from": policy.quiet_from and policy.quiet_from.isoformat(),
        "quiet_until": policy.quiet_until and policy.quiet_until.isoformat(),
        "changed_at": at,
    }
    await work.upsert(message_policies, (), **values)


async def upsert_customer_policy(work: UnitOfWork, customer_id: int, policy: CustomerPolicy, at: datetime) -> None:
    """Insert or update a customer's settings."""
    values = {"channels": policy.channels, "stops_before": policy.stops_before, "changed_at": at}
    await work.upsert(customer_policies, ("customer_id",), customer_id=customer_id, **values)


def _time_of(text: str | None) -> time | None:
    return None if text is None else time.fromisoformat(text)
