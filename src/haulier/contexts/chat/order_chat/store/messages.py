"""Queries for messages."""

from collections.abc import Collection, Sequence
from datetime import datetime

from sqlalchemy import bindparam, select, update

from haulier.contexts.chat.order_chat.store.tables import ChatMessageRow, messages
from haulier.kernel.data.statements import in_param
from haulier.kernel.data.tables import UTCDateTime
from haulier.kernel.data.unit_of_work import UnitOfWork

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
