"""Queries for chats, participants, reports and settings."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, and_, bindparam, func, or_, select, update

from haulier.contexts.chat.order_chat.store.tables import (
    ChatParticipantRow,
    ChatReportRow,
    ChatSettingsRow,
    ChatThreadRow,
    messages,
    participants,
    reports,
    settings,
    threads,
)
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.tables import UTCDateTime
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.values.pagination import MAX_COUNT


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


async def note_message(work: UnitOfWork, thread_id: int, message_id: int, at: datetime) -> None:
    """Count a new message in its chat."""
    await work.run(_update_thread, thread=thread_id, message=message_id, at=at)


async def note_pushed(work: UnitOfWork, thread_id: int, message_id: int) -> None:
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


async def put_chat_settings(work: UnitOfWork, values: Mapping[str, Any]) -> None:
    """Insert or update the chat settings."""
    await work.upsert(settings, (), **values)
