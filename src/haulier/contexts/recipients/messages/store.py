"""Table of messages and their states. Addresses are stored in the order only."""

from collections.abc import Collection
from datetime import datetime
from typing import Annotated, Any

from sqlalchemy import Index, LargeBinary, String, bindparam, func, select, update

from haulier.contexts.recipients.messages.rules.policies import RecipientMessage
from haulier.kernel.data.personal_data import PersonKey, RecordKind, personal_data, retained
from haulier.kernel.data.records import Record, Reference
from haulier.kernel.data.statements import in_param
from haulier.kernel.data.tables import UTCDateTime
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


async def list_told(
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


async def settle_recipient_message(
    work: UnitOfWork, message_id: int, state: str, at: datetime, fault: str | None = None
) -> None:
    """Update the state of a message: sent, dropped, failed or queued again."""
    await work.run(_settle, id=message_id, new_state=state, at=at, reason=fault and fault[:FAULT_MAX])
