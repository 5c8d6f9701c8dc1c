"""Tables of message settings of businesses and of single customers."""

from collections.abc import Collection
from datetime import datetime, time
from typing import Annotated, Any

from sqlalchemy import String, UniqueConstraint, select

from haulier.contexts.recipients.messages.rules.policies import CustomerPolicy, MessagePolicy
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.records import Record, Reference
from haulier.kernel.data.statements import in_param
from haulier.kernel.data.tables import announce_writes
from haulier.kernel.data.unit_of_work import UnitOfWork

MESSAGE_POLICIES_CHANNEL = "message_policies"
"""Channel of notifications about changed message settings."""


class _PolicyRow(Record, table="recipient_message_policy", items=[UniqueConstraint("client_id")]):
    """A row of recipient_message_policy.

    One row per business. Without a row, no messages are sent.
    """

    channels: dict[str, str]
    stops_before: int
    quiet_from: Annotated[str, String(8)] | None
    quiet_until: Annotated[str, String(8)] | None
    changed_at: datetime


message_policies = _PolicyRow.table


class _CustomerPolicyRow(
    Record, table="recipient_customer_policy", items=[UniqueConstraint("client_id", "customer_id")]
):
    """A row of recipient_customer_policy."""

    customer_id: Reference
    channels: dict[str, str]
    stops_before: int | None
    changed_at: datetime


customer_policies = _CustomerPolicyRow.table

plain_columns(message_policies, "channels", "quiet_from", "quiet_until")
announce_writes(message_policies, MESSAGE_POLICIES_CHANNEL)
plain_columns(customer_policies, "channels")


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
