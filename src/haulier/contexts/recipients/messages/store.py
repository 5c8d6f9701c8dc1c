"""Tables and statements of messages."""

from collections.abc import Collection
from datetime import datetime, time
from typing import Annotated, Any

from sqlalchemy import Index, LargeBinary, String, Text, UniqueConstraint, bindparam, func, select, update

from haulier.contexts.recipients.messages.rules import (
    SMS_MAX,
    SUBJECT_MAX,
    CustomerPolicy,
    MessagePolicy,
    MessageTexts,
    RecipientMessage,
)
from haulier.kernel.data.personal_data import PersonKey, RecordKind, personal_data, plain_columns, retained
from haulier.kernel.data.records import Record, Reference
from haulier.kernel.data.statements import in_param
from haulier.kernel.data.tables import UTCDateTime, notify_writes
from haulier.kernel.data.unit_of_work import UnitOfWork

FAULT_MAX = 60
KEPT_DAYS = 400
"""Default retention of messages in days."""


class RecipientMessageRow(
    Record,
    table="recipient_message",
    items=[
        Index("ix_recipient_message_order", "client_id", "order_id", "id"),
        Index("ix_recipient_message_to", "client_id", "to_sha256", "tried_at"),
    ],
):
    """Message to a recipient.

    `facts` is the data of the message besides the order: remaining stops, promise and route. `to_sha256` is the digest
    of the address of the last attempt at `tried_at`, for the limit per address.
    """

    order_id: Reference
    message: Annotated[str, String(20)]
    transport: Annotated[str, String(10)]
    state: Annotated[str, String(10)]
    facts: dict[str, Any]
    due_at: datetime
    created_at: datetime
    settled_at: datetime | None
    fault: Annotated[str, String(FAULT_MAX)] | None
    tried_at: datetime | None
    to_sha256: Annotated[bytes, LargeBinary(32)] | None


messages = RecipientMessageRow.table

personal_data(messages, RecordKind.MESSAGES, by={"order_id": PersonKey.ORDER})
retained(RecordKind.MESSAGES, messages.c.created_at, default_days=KEPT_DAYS)


_of_orders = (
    select(messages)
    .where(in_param(messages.c.order_id, "ids"), in_param(messages.c.message, "kinds"))
    .order_by(messages.c.id)
)
_of_order = select(messages).where(messages.c.order_id == bindparam("order")).order_by(messages.c.id)
_tried_at_address = (
    select(func.count())
    .select_from(messages)
    .where(
        messages.c.to_sha256 == bindparam("digest"),
        messages.c.tried_at > bindparam("since", type_=UTCDateTime()),
        messages.c.id != bindparam("except_id"),
    )
)
_try = (
    update(messages)
    .where(messages.c.id == bindparam("id"))
    .values(
        state="sending",
        to_sha256=bindparam("digest", type_=LargeBinary(32)),
        tried_at=bindparam("at", type_=UTCDateTime()),
    )
)
_settle = (
    update(messages)
    .where(messages.c.id == bindparam("id"))
    .values(
        state=bindparam("new_state"),
        settled_at=bindparam("at", type_=UTCDateTime()),
        fault=bindparam("reason", type_=String()),
    )
)


async def list_notified(
    work: UnitOfWork, order_ids: Collection[int], kinds: Collection[RecipientMessage]
) -> list[RecipientMessageRow]:
    """Return messages of some kinds about orders, oldest first."""
    if not order_ids:
        return []
    return await work.all(_of_orders, RecipientMessageRow, ids=sorted(order_ids), kinds=sorted(kinds))


async def list_messages_of_order(work: UnitOfWork, order_id: int) -> list[RecipientMessageRow]:
    """Return every message about an order, oldest first."""
    return await work.all(_of_order, RecipientMessageRow, order=order_id)


async def count_tried_since(work: UnitOfWork, digest: bytes, since: datetime, *, except_id: int) -> int:
    """Return the number of attempts to an address since a time, except one message."""
    return await work.value(_tried_at_address, digest=digest, since=since, except_id=except_id)


async def record_try(work: UnitOfWork, message_id: int, digest: bytes, at: datetime) -> None:
    """Record that a message is about to be sent to an address."""
    await work.run(_try, id=message_id, digest=digest, at=at)


async def update_recipient_message(
    work: UnitOfWork, message_id: int, state: str, at: datetime, fault: str | None = None
) -> None:
    """Update the state of a message: sent, dropped, failed or queued again."""
    await work.run(_settle, id=message_id, new_state=state, at=at, reason=fault and fault[:FAULT_MAX])


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


class _MessageTextRow(
    Record, table="recipient_message_text", items=[UniqueConstraint("client_id", "message", "language")]
):
    """A row of recipient_message_text.

    Wording of a message in one language. Texts without a value use the standard wording.
    """

    message: Annotated[str, String(20)]
    language: Annotated[str, String(10)]
    subject: Annotated[str, String(SUBJECT_MAX)] | None
    text: Annotated[str, Text] | None
    sms: Annotated[str, String(SMS_MAX)] | None
    changed_at: datetime


message_texts = _MessageTextRow.table

plain_columns(message_texts, "message", "language", "subject", "text", "sms")
plain_columns(message_policies, "channels", "quiet_from", "quiet_until")
notify_writes(message_policies, MESSAGE_POLICIES_CHANNEL)
plain_columns(customer_policies, "channels")


_policy = select(message_policies)
_locked = _policy.with_for_update()
_of_customers = select(customer_policies).where(in_param(customer_policies.c.customer_id, "ids"))
_texts = select(message_texts).where(
    in_param(message_texts.c.message, "kinds"), message_texts.c.language == bindparam("language")
)


async def list_message_texts(work: UnitOfWork, kinds: Collection[str], language: str) -> dict[str, MessageTexts]:
    """Return the wordings of a business in one language, by message."""
    rows = await work.all(_texts, _MessageTextRow, kinds=sorted(kinds), language=language)
    return {row.message: MessageTexts(subject=row.subject, text=row.text, sms=row.sms) for row in rows}


async def upsert_message_texts(
    work: UnitOfWork, message: str, language: str, texts: MessageTexts, at: datetime
) -> None:
    """Insert or update the wording of a message in one language."""
    values: dict[str, Any] = {"subject": texts.subject, "text": texts.text, "sms": texts.sms, "changed_at": at}
    await work.upsert(message_texts, ("message", "language"), message=message, language=language, **values)


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
