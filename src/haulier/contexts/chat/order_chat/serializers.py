"""Serializers for messages, chats and reports."""

from collections.abc import Iterable, Mapping, Sequence

from haulier.contexts.chat.order_chat.contract import (
    ChatLocation,
    ChatMember,
    ChatMessage,
    ChatSender,
    MessageKind,
    QuickReply,
)
from haulier.contexts.chat.order_chat.rules import (
    BUILT_IN,
    OUTSIDE,
    ChatConfig,
    ChatParty,
    ChatRole,
    RoleMarks,
    marks_by_role,
    name_shown,
    text_in,
)
from haulier.contexts.chat.order_chat.store import ChatMessageRow, ChatParticipantRow
from haulier.contexts.identity.public import get_client_language, get_users_by_id, require_client
from haulier.kernel.call import Call


async def serialize_messages(
    call: Call, party: ChatParty, rows: Sequence[ChatMessageRow], participants: Iterable[ChatParticipantRow]
) -> list[ChatMessage]:
    """Return messages for a reader, in a constant number of statements.

    `participants` are those of their chats.
    """
    names = await _load_names(call, party, rows)
    fallback = await _load_fallback(call) if any(row.texts for row in rows) else ""
    of_thread: dict[int, list[ChatParticipantRow]] = {}
    for participant in participants:
        of_thread.setdefault(participant.thread_id, []).append(participant)
    marks = {thread_id: marks_by_role(each) for thread_id, each in of_thread.items()}
    return [serialize_message(call, party, row, marks.get(row.thread_id, {}), names, fallback) for row in rows]


async def _load_names(call: Call, party: ChatParty, rows: Iterable[ChatMessageRow]) -> dict[int, str]:
    shown = (row for row in rows if party.role not in OUTSIDE or row.sender_role == ChatRole.DRIVER)
    ids = {row.sender_user_id for row in shown if row.sender_user_id}
    return {user.id: user.name for user in (await get_users_by_id(call, ids)).values()} if ids else {}


async def _load_fallback(call: Call) -> str:
    return get_client_language(await require_client(call.work, call.client_id))


def serialize_message(
    call: Call,
    party: ChatParty,
    row: ChatMessageRow,
    marks: Mapping[ChatRole, RoleMarks],
    names: Mapping[int, str],
    fallback: str,
) -> ChatMessage:
    """Return a message for a reader. Hidden content is shown to staff only."""
    role, hidden = ChatRole(row.sender_role), row.hidden_at is not None
    silent = hidden and party.role is not ChatRole.DISPATCHER
    mine = (party.role, party.user_id) == (role, row.sender_user_id)
    others = {name: mark for name, mark in marks.items() if name != role}
    at = (
        None
        if silent or row.lat is None or row.lng is None
        else ChatLocation(lat=row.lat, lng=row.lng, accuracy_m=row.accuracy_m)
    )
    return ChatMessage(
        id=row.id,
        order_id=row.order_id,
        kind=MessageKind(row.kind),
        sender=ChatSender(role=role, name=name_shown(party.role, role, names.get(row.sender_user_id)), mine=mine),
        text=None if silent else _text(call, row, fallback),
        quick_reply=None if silent else row.quick_reply,
        photo=None if silent else row.file_id,
        location=at,
        hidden=hidden,
        sent_at=call.local_time(row.created_at),
        client_ref=row.client_ref if mine else None,
        delivered_to=sorted(name for name, mark in others.items() if mark.delivered_up_to >= row.id),
        read_by=sorted(name for name, mark in others.items() if mark.read_up_to >= row.id),
    )


def _text(call: Call, row: ChatMessageRow, fallback: str) -> str | None:
    if row.quick_reply is None:
        return row.text
    return (
        text_in(row.texts, call.language, fallback) if row.texts else call.translate(f"quick_reply.{row.quick_reply}")
    )


def serialize_members(participants: Iterable[ChatParticipantRow]) -> list[ChatMember]:
    """Return the participants with the marks of each role."""
    marks = marks_by_role(participants)
    return [
        ChatMember(role=role, delivered_up_to=marks[role].delivered_up_to, read_up_to=marks[role].read_up_to)
        for role in ChatRole
        if role in marks
    ]


async def serialize_offers(call: Call, role: ChatRole, config: ChatConfig) -> list[QuickReply]:
    """Return the available quick replies, those of the business first."""
    own = [reply for reply in config.quick_replies if role in reply.roles]
    fallback = await _load_fallback(call) if own else ""
    return [
        *(QuickReply(code=reply.code, text=text_in(reply.texts, call.language, fallback)) for reply in own),
        *(each for each in list_built_in(call) if role in BUILT_IN[each.code]),
    ]


def list_built_in(call: Call) -> list[QuickReply]:
    """Return the platform's quick replies in the caller's language."""
    return [QuickReply(code=code, text=call.translate(f"quick_reply.{code}")) for code in BUILT_IN]
