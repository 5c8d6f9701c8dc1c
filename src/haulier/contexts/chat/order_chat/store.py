"""Tables and statements of order chats.

A chat is found by its order; its messages are numbered in order.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any

from sqlalchemy import (
    Column,
    ColumnElement,
    Index,
    LargeBinary,
    String,
    Text,
    UniqueConstraint,
    and_,
    bindparam,
    delete,
    func,
    or_,
    select,
    update,
)

from haulier.contexts.chat.order_chat.contract import CODE_MAX, NAME_MAX, REF_MAX
from haulier.contexts.documents.public import declare_personal_files
from haulier.kernel.data.personal_data import ERASED, PersonKey, RecordKind, personal_data, plain_columns, retained
from haulier.kernel.data.records import Record, Reference
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.tables import VOLATILE, Id, UTCDateTime, partial_unique_index
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.enums import Feature
from haulier.kernel.operations.fields import NOTE_MAX
from haulier.kernel.values.pagination import MAX_COUNT

PHOTO_SUBJECT = "order_chat"
"""Subject of photos: `order_chat:<chat>`."""


class ChatThreadRow(
    Record,
    table="chat_thread",
    items=[
        UniqueConstraint("client_id", "order_id"),
        Index("ix_chat_thread_newest", "client_id", "last_message_at", "id"),
    ],
):
    """Chat."""

    order_id: Reference
    message_count: int
    last_message_id: Annotated[int | None, Column("last_message_id", Id, info=VOLATILE)]
    last_message_at: datetime | None
    pushed_up_to: Annotated[int, Column("pushed_up_to", Id, nullable=False, info=VOLATILE)]
    created_at: datetime


threads = ChatThreadRow.table


class ChatMessageRow(
    Record,
    table="chat_message",
    items=[
        Index("ix_chat_message_thread", "client_id", "thread_id", "id"),
        Index("ix_chat_message_sender", "client_id", "sender_user_id"),
    ],
):
    """Chat message.

    `sender_user_id` is 0 for a recipient, who has no account.
    """

    thread_id: Reference
    order_id: Reference
    sender_role: Annotated[str, String(12)]
    sender_user_id: Reference
    kind: Annotated[str, String(12)]
    text: Annotated[str, Text] | None
    quick_reply: Annotated[str, String(CODE_MAX)] | None
    texts: dict[str, str] | None
    file_id: Reference | None
    lat: float | None
    lng: float | None
    accuracy_m: int | None
    client_ref: Annotated[str, String(REF_MAX)] | None
    hidden_at: datetime | None
    created_at: datetime


messages = ChatMessageRow.table
partial_unique_index(
    "uq_chat_message_ref",
    "client_ref IS NOT NULL",
    messages.c.thread_id,
    messages.c.sender_role,
    messages.c.sender_user_id,
    messages.c.client_ref,
)


class ChatParticipantRow(
    Record,
    table="chat_participant",
    items=[
        UniqueConstraint("client_id", "thread_id", "role", "user_id"),
        Index("ix_chat_participant_user", "client_id", "user_id", "thread_id"),
    ],
):
    """Position of a participant in a chat.

    Participant's position in a chat: read marks, mute period and block.
    """

    thread_id: Reference
    order_id: Reference
    role: Annotated[str, String(12)]
    user_id: Reference
    delivered_up_to: Annotated[int, Column("delivered_up_to", Id, nullable=False, info=VOLATILE)]
    read_up_to: Annotated[int, Column("read_up_to", Id, nullable=False, info=VOLATILE)]
    muted_until: datetime | None
    blocked_at: datetime | None
    created_at: datetime


participants = ChatParticipantRow.table


class ChatReportRow(
    Record,
    table="chat_report",
    items=[
        UniqueConstraint("client_id", "message_id", "reporter_role", "reporter_user_id"),
        Index("ix_chat_report_status", "client_id", "status", "id"),
        Index("ix_chat_report_thread", "client_id", "thread_id"),
    ],
):
    """Reported message."""

    thread_id: Reference
    order_id: Reference
    message_id: Reference
    reporter_role: Annotated[str, String(12)]
    reporter_user_id: Reference
    reason: Annotated[str, String(12)]
    note: Annotated[str, String(NOTE_MAX)] | None
    status: Annotated[str, String(12)]
    created_at: datetime
    resolved_at: datetime | None
    resolved_by: Reference | None


reports = ChatReportRow.table


class ChatSettingsRow(Record, table="chat_settings", items=[UniqueConstraint("client_id")]):
    """Chat settings of a business."""

    grace_hours: int
    quick_replies: list[dict[str, Any]]
    updated_at: datetime


settings = ChatSettingsRow.table


class PushDeviceRow(
    Record,
    table="chat_push_device",
    items=[
        UniqueConstraint("client_id", "address_sha256", "order_id"),
        Index("ix_chat_push_device_owner", "client_id", "user_id", "order_id"),
    ],
):
    """Push device.

    `user_id` is 0 for a recipient, whose device is for one order; otherwise `order_id` is 0.

    `user_id` is 0 for a recipient, whose device is for one order; otherwise `order_id` is 0. `set_up_with` is the API
    token that registered it, if any.
    """

    user_id: Reference
    set_up_with: Reference | None
    order_id: Reference
    kind: Annotated[str, String(8)]
    address: Annotated[str, Text]
    address_sha256: Annotated[bytes, LargeBinary(32)]
    p256dh: Annotated[str, String(88)] | None
    auth: Annotated[str, String(24)] | None
    name: Annotated[str, String(NAME_MAX)] | None
    language: Annotated[str, String(10)]
    created_at: datetime
    seen_at: Annotated[datetime, Column("seen_at", UTCDateTime, nullable=False, index=True)]


devices = PushDeviceRow.table

for _table in (threads, messages, participants, reports, settings, devices):
    _table.info["feature"] = Feature.ORDER_CHAT.value

_ERASED_MESSAGE = {
    "text": lambda row, keys: None if row.text is None else ERASED,
    "lat": None,
    "lng": None,
    "accuracy_m": None,
    "file_id": None,
}
personal_data(
    threads,
    RecordKind.ORDER_CHATS,
    by={"id": PersonKey.ORDER_CHAT, "order_id": PersonKey.ORDER},
    gives={"id": PersonKey.ORDER_CHAT},
    erased={},
)
retained(RecordKind.ORDER_CHATS, threads.c.last_message_at, default_days=365, minimum_days=7, root=PersonKey.ORDER_CHAT)
personal_data(
    messages,
    RecordKind.ORDER_CHATS,
    by={"thread_id": PersonKey.ORDER_CHAT, "sender_user_id": PersonKey.USER},
    erased=_ERASED_MESSAGE,
    plain=("sender_role", "kind", "quick_reply", "texts", "client_ref"),
)
personal_data(
    reports,
    RecordKind.ORDER_CHATS,
    by={"thread_id": PersonKey.ORDER_CHAT, "reporter_user_id": PersonKey.USER},
    erased={"note": None},
    plain=("reporter_role", "reason", "status"),
)
personal_data(
    devices,
    RecordKind.ORDER_CHATS,
    by={"user_id": PersonKey.USER, "order_id": PersonKey.ORDER},
    secret=frozenset({"address", "p256dh", "auth"}),
)
retained(RecordKind.ORDER_CHATS, devices.c.seen_at, default_days=365, minimum_days=7)
plain_columns(participants, "role")
plain_columns(settings, "quick_replies")
declare_personal_files(PHOTO_SUBJECT, PersonKey.ORDER_CHAT, RecordKind.ORDER_CHATS)


_own = (
    select(devices)
    .where(devices.c.user_id == bindparam("user"), devices.c.order_id == bindparam("order"))
    .order_by(devices.c.seen_at.desc(), devices.c.id.desc())
)
_at_address = select(devices).where(
    devices.c.address_sha256 == bindparam("digest"), devices.c.order_id == bindparam("order")
)
_of_people = (
    select(devices)
    .where(
        or_(
            and_(in_param(devices.c.user_id, "users"), devices.c.order_id == 0),
            and_(devices.c.user_id == 0, devices.c.order_id == bindparam("order")),
        )
    )
    .order_by(devices.c.id)
)
_delete = delete(devices).where(in_param(devices.c.id, "ids"))


async def upsert_device(work: UnitOfWork, values: Mapping[str, Any]) -> PushDeviceRow:
    """Insert a device, or update the one with this address and change its owner."""
    at: dict[str, Any] = {"digest": values["address_sha256"], "order": values["order_id"]}
    before = await work.first(_at_address, PushDeviceRow, **at)
    begun = {"created_at": before.created_at} if before and before.user_id == values["user_id"] else {}
    await work.upsert(devices, ("address_sha256", "order_id"), **{**values, **begun})
    row = await work.first(_at_address, PushDeviceRow, **at)
    assert row
    return row


async def list_devices(work: UnitOfWork, user_id: int, order_id: int) -> Sequence[PushDeviceRow]:
    """Return an owner's devices, latest registration first."""
    return await work.all(_own, PushDeviceRow, user=user_id, order=order_id)


async def list_devices_for(work: UnitOfWork, user_ids: Collection[int], order_id: int) -> Sequence[PushDeviceRow]:
    """Return the devices of users, and those of an order's recipient."""
    return await work.all(_of_people, PushDeviceRow, users=sorted(user_ids), order=order_id)


async def delete_devices(work: UnitOfWork, ids: Collection[int]) -> None:
    """Delete devices."""
    if ids:
        await work.run(_delete, ids=sorted(ids))


_in_thread = select(messages).where(messages.c.thread_id == bindparam("thread"))
_newest = _in_thread.order_by(messages.c.id.desc()).limit(bindparam("most"))
_before = _in_thread.where(messages.c.id < bindparam("key")).order_by(messages.c.id.desc()).limit(bindparam("most"))
_after = _in_thread.where(messages.c.id > bindparam("key")).order_by(messages.c.id).limit(bindparam("most"))
_by_ref = _in_thread.where(
    messages.c.sender_role == bindparam("of_role"),
    messages.c.sender_user_id == bindparam("user"),
    messages.c.client_ref == bindparam("ref"),
)
_some = select(messages).where(in_param(messages.c.id, "ids"))
_hide = (
    update(messages)
    .where(messages.c.id == bindparam("message"))
    .values(hidden_at=bindparam("at", type_=UTCDateTime), file_id=None)
)


async def find_message_by_ref(
    work: UnitOfWork, thread_id: int, role: str, user_id: int, ref: str
) -> ChatMessageRow | None:
    """Return the message with a sender's reference, or None."""
    return await work.first(_by_ref, ChatMessageRow, thread=thread_id, of_role=role, user=user_id, ref=ref)


async def list_messages_before(
    work: UnitOfWork, thread_id: int, key: int | None, limit: int
) -> Sequence[ChatMessageRow]:
    """Return messages before one, or from the last one, going back."""
    if key is None:
        return await work.all(_newest, ChatMessageRow, thread=thread_id, most=limit)
    return await work.all(_before, ChatMessageRow, thread=thread_id, key=key, most=limit)


async def list_messages_after(work: UnitOfWork, thread_id: int, key: int, limit: int) -> Sequence[ChatMessageRow]:
    """Return messages after one, going forward."""
    return await work.all(_after, ChatMessageRow, thread=thread_id, key=key, most=limit)


async def get_messages(work: UnitOfWork, ids: Collection[int]) -> dict[int, ChatMessageRow]:
    """Return messages by id."""
    rows = await work.all(_some, ChatMessageRow, ids=list(ids)) if ids else []
    return {row.id: row for row in rows}


async def hide_message(work: UnitOfWork, message_id: int, at: datetime) -> None:
    """Hide a message."""
    await work.run(_hide, message=message_id, at=at)


class UnreadCountRow(Row):
    """Number of unread messages of a chat."""

    thread_id: int
    count: int


_of_order = select(threads).where(threads.c.order_id == bindparam("order"))
_of_order_locked = _of_order.with_for_update()
_order_of = select(threads.c.order_id).where(threads.c.id == bindparam("thread"))
_participants = select(participants).where(participants.c.thread_id == bindparam("thread")).order_by(participants.c.id)
_participants_of_threads = select(participants).where(in_param(participants.c.thread_id, "threads"))
_settings = select(settings).limit(1)
_update_thread = (
    update(threads)
    .where(threads.c.id == bindparam("thread"))
    .values(
        message_count=threads.c.message_count + 1,
        last_message_id=bindparam("message"),
        last_message_at=bindparam("at", type_=UTCDateTime),
    )
)
_pushed = (
    update(threads)
    .where(threads.c.id == bindparam("thread"), threads.c.pushed_up_to < bindparam("message"))
    .values(pushed_up_to=bindparam("message"))
)
_block = (
    update(participants)
    .where(participants.c.thread_id == bindparam("thread"), participants.c.role == bindparam("of_role"))
    .values(blocked_at=bindparam("at", type_=UTCDateTime))
)


def _unread() -> Any:
    """Return messages after a party's furthest mark, without its own, by chat."""
    shared = bindparam("shared")
    mine = and_(
        participants.c.role == bindparam("of_role"), or_(shared == 1, participants.c.user_id == bindparam("user"))
    )
    read = (
        select(participants.c.thread_id, func.max(participants.c.read_up_to).label("up_to"))
        .where(mine, in_param(participants.c.thread_id, "threads"))
        .group_by(participants.c.thread_id)
        .subquery("read")
    )
    own = and_(
        messages.c.sender_role == bindparam("of_role"),
        or_(shared == 1, messages.c.sender_user_id == bindparam("user")),
    )
    return (
        select(messages.c.thread_id, func.count().label("count"))
        .select_from(messages.outerjoin(read, read.c.thread_id == messages.c.thread_id))
        .where(
            in_param(messages.c.thread_id, "threads"),
            messages.c.id > func.coalesce(read.c.up_to, 0),
            messages.c.hidden_at.is_(None),
            ~own,
        )
        .group_by(messages.c.thread_id)
    )


_count_unread = _unread()


async def get_order_of_thread(work: UnitOfWork, thread_id: int) -> int | None:
    """Return the order of a chat, or None."""
    return await work.value(_order_of, thread=thread_id)


async def lock_thread(work: UnitOfWork, order_id: int, now: datetime) -> ChatThreadRow:
    """Lock and return the chat of an order, creating it if needed.

    The lock gives each message its place in the chat.
    """
    values = {"order_id": order_id, "message_count": 0, "pushed_up_to": 0, "created_at": now}
    await work.insert_new(threads, [values])
    row = await work.first(_of_order_locked, ChatThreadRow, order=order_id)
    assert row
    return row


async def list_newest_threads(
    work: UnitOfWork, *, user_id: int | None, order_ids: Collection[int] | None, limit: int, offset: int = 0
) -> tuple[Sequence[ChatThreadRow], int]:
    """Return chats with messages, newest message first, and a count up to one more.

    A user id restricts them to the user's chats, order ids to some orders.
    """
    conditions: list[ColumnElement[bool]] = [threads.c.last_message_at.is_not(None)]
    if user_id is not None:
        conditions.append(threads.c.id.in_(select(participants.c.thread_id).where(participants.c.user_id == user_id)))
    params: dict[str, Any] = {}
    if order_ids is not None:
        conditions.append(in_param(threads.c.order_id, "orders"))
        params["orders"] = list(order_ids)
    page = select(threads).where(*conditions).order_by(threads.c.last_message_at.desc(), threads.c.id.desc())
    rows = await work.all(page.limit(limit).offset(offset), ChatThreadRow, **params)
    counted = select(threads.c.id).where(*conditions).limit(MAX_COUNT + 1).subquery()
    return rows, await work.value(select(func.count()).select_from(counted), **params)


async def record_message(work: UnitOfWork, thread_id: int, message_id: int, at: datetime) -> None:
    """Count a new message in its chat."""
    await work.run(_update_thread, thread=thread_id, message=message_id, at=at)


async def set_pushed(work: UnitOfWork, thread_id: int, message_id: int) -> None:
    """Record the last message pushed to the broker."""
    await work.run(_pushed, thread=thread_id, message=message_id)


async def list_participants(work: UnitOfWork, thread_id: int) -> Sequence[ChatParticipantRow]:
    """Return the participants of a chat."""
    return await work.all(_participants, ChatParticipantRow, thread=thread_id)


async def list_participants_of_threads(work: UnitOfWork, thread_ids: Collection[int]) -> Sequence[ChatParticipantRow]:
    """Return the participants of chats."""
    return await work.all(_participants_of_threads, ChatParticipantRow, threads=list(thread_ids)) if thread_ids else []


async def insert_participants(work: UnitOfWork, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert participants; existing ones stay."""
    await work.insert_new(participants, list(rows))


async def block_role(work: UnitOfWork, thread_id: int, role: str, at: datetime | None) -> int:
    """Block or unblock a role in a chat. Return the number of participants."""
    return await work.run(_block, thread=thread_id, of_role=role, at=at)


async def count_unread(
    work: UnitOfWork, thread_ids: Collection[int], role: str, user_id: int, *, shared: bool
) -> dict[int, int]:
    """Return the number of unread messages by chat.

    With `shared`, messages read by one user of the role count as read by all.
    """
    if not thread_ids:
        return {}
    rows = await work.all(
        _count_unread, UnreadCountRow, threads=list(thread_ids), of_role=role, user=user_id, shared=int(shared)
    )
    return {row.thread_id: row.count for row in rows}


async def insert_report(work: UnitOfWork, values: Mapping[str, Any]) -> None:
    """Insert a report. A second one by the same user is ignored."""
    await work.insert_new(reports, [values])


async def list_reports(
    work: UnitOfWork, status: str | None, *, limit: int, offset: int
) -> tuple[Sequence[ChatReportRow], int]:
    """Return a page of reports, newest first, and a count up to one more."""
    conditions = [] if status is None else [reports.c.status == status]
    page = select(reports).where(*conditions).order_by(reports.c.id.desc())
    counted = select(reports.c.id).where(*conditions).limit(MAX_COUNT + 1).subquery()
    rows = await work.all(page.limit(limit).offset(offset), ChatReportRow)
    return rows, await work.value(select(func.count()).select_from(counted))


async def get_chat_settings(work: UnitOfWork) -> ChatSettingsRow | None:
    """Return the chat settings, or None if none are set."""
    return await work.first(_settings, ChatSettingsRow)


async def upsert_chat_settings(work: UnitOfWork, values: Mapping[str, Any]) -> None:
    """Insert or update the chat settings."""
    await work.upsert(settings, (), **values)
