"""Writes of messages, marks, reports and blocks, each under the lock of its chat."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from msgspec import Struct

from haulier.contexts.chat.order_chat.actions.devices import wake_later
from haulier.contexts.chat.order_chat.contract.messages import MessageContent, MessageKind
from haulier.contexts.chat.order_chat.contract.threads import MarkChatRead, ReportStatus
from haulier.contexts.chat.order_chat.queries.visits import (
    ChatVisit,
    load_config,
    load_state,
    participant_of,
    require_thread,
)
from haulier.contexts.chat.order_chat.rules.parties import ChatParty, ChatRole
from haulier.contexts.chat.order_chat.rules.quick_replies import BUILT_IN
from haulier.contexts.chat.order_chat.rules.threads import QUICK_REPLY_UNKNOWN, next_mark, require_writable
from haulier.contexts.chat.order_chat.store import messages as message_store
from haulier.contexts.chat.order_chat.store import threads as store
from haulier.contexts.chat.order_chat.store.tables import (
    PHOTO_SUBJECT,
    ChatMessageRow,
    ChatParticipantRow,
    ChatReportRow,
    ChatThreadRow,
)
from haulier.contexts.documents.public import FileUpload, delete_files, save_upload
from haulier.contexts.messaging.public import Channel
from haulier.kernel.call import Call
from haulier.kernel.data.notices import client_subject
from haulier.kernel.operations.client_keys import require_same_content
from haulier.kernel.operations.errors import record_not_found

CHAT_CHANNEL = "order_chats"
"""Channel of notifications about chat changes. The subject is the business and the order."""


PUSH_JOB = "order_chats.push"


class PushChat(Struct, frozen=True, kw_only=True):
    """Chat with changes to push."""

    order_id: int


class PostedMessage(Struct, frozen=True):
    """Message that was written now or before."""

    row: ChatMessageRow
    participants: list[ChatParticipantRow]
    duplicate: bool


async def post_content(visit: ChatVisit, content: MessageContent) -> PostedMessage:
    """Write a text, a quick reply or a location.

    Raises `CHAT_CLOSED`, `CHAT_BLOCKED` or `QUICK_REPLY_UNKNOWN`.
    """
    if content.location:
        at = content.location
        values: dict[str, Any] = {"kind": MessageKind.LOCATION, "lat": at.lat, "lng": at.lng}
        return await _post(visit, content.client_ref, {**values, "accuracy_m": at.accuracy_m})
    if content.quick_reply:
        texts = await _quick_reply_texts(visit, content.quick_reply)
        values = {"kind": MessageKind.QUICK_REPLY, "quick_reply": content.quick_reply, "texts": texts}
        return await _post(visit, content.client_ref, values)
    return await _post(visit, content.client_ref, {"kind": MessageKind.TEXT, "text": content.text})


async def _quick_reply_texts(visit: ChatVisit, code: str) -> Mapping[str, str] | None:
    """Return the current text of a business's quick reply, to store with the message.

    Return None for a quick reply of the platform.
    """
    config = await load_config(visit.call)
    own = next((reply for reply in config.quick_replies if reply.code == code), None)
    if visit.party.role not in (own.roles if own else BUILT_IN.get(code, ())):
        raise QUICK_REPLY_UNKNOWN(quick_reply=code)
    return own.texts if own else None


async def post_photo(visit: ChatVisit, upload: FileUpload, client_ref: str | None) -> PostedMessage:
    """Write a photo. Raises `CHAT_CLOSED` or `CHAT_BLOCKED`."""
    return await _post(visit, client_ref, {"kind": MessageKind.PHOTO}, upload)


async def _post(
    visit: ChatVisit, ref: str | None, values: Mapping[str, Any], upload: FileUpload | None = None
) -> PostedMessage:
    call, party = visit.call, visit.party
    thread = await store.lock_thread(call.work, visit.order_id, call.now)
    if ref and (row := await message_store.find_message_by_ref(call.work, thread.id, party.role, party.user_id, ref)):
        _require_repeat(row, ref, values)
        return PostedMessage(row, list(await store.list_participants(call.work, thread.id)), True)
    participants = await _take_participants(visit, thread)
    own = participant_of(participants, party)
    blocked = any(participant.role == party.role and participant.blocked_at for participant in participants)
    require_writable(await load_state(visit, await load_config(call), blocked=blocked))
    file_id = upload and await save_upload(call, upload, about=f"{PHOTO_SUBJECT}:{thread.id}")
    message_id = await ChatMessageRow.insert(
        call.work,
        **{
            "thread_id": thread.id,
            "order_id": visit.order_id,
            "sender_role": party.role.value,
            "sender_user_id": party.user_id,
            "client_ref": ref,
            "file_id": file_id,
            "created_at": call.now,
            **values,
        },
    )
    await store.note_message(call.work, thread.id, message_id, call.now)
    if own:
        await ChatParticipantRow.update(call.work, own.id, {"delivered_up_to": message_id, "read_up_to": message_id})
    await tell_chat_changed(call, visit.order_id)
    await wake_later(call, message_id)
    row = (await message_store.get_messages(call.work, [message_id]))[message_id]
    return PostedMessage(row, list(await store.list_participants(call.work, thread.id)), False)


def _require_repeat(row: ChatMessageRow, ref: str, values: Mapping[str, Any]) -> None:
    """Raise `CLIENT_KEY_REUSED` if the message with this reference differs."""
    sent = {name: values.get(name) for name in ("kind", "text", "quick_reply", "lat", "lng")}
    require_same_content("client_ref", ref, sent, {name: getattr(row, name) for name in sent})


async def _take_participants(visit: ChatVisit, thread: ChatThreadRow) -> list[ChatParticipantRow]:
    """Return all participants, adding the visitor and expected readers."""
    work = visit.call.work
    participants = list(await store.list_participants(work, thread.id))
    missing = [party for party in {visit.party, *visit.expected} if participant_of(participants, party) is None]
    if not missing:
        return participants
    await store.insert_participants(
        work, [_new_participant(visit, thread, party) for party in sorted(missing, key=_by_role)]
    )
    return list(await store.list_participants(work, thread.id))


def _by_role(party: ChatParty) -> tuple[str, int]:
    return party.role.value, party.user_id


def _new_participant(visit: ChatVisit, thread: ChatThreadRow, party: ChatParty) -> dict[str, Any]:
    return {
        "thread_id": thread.id,
        "order_id": visit.order_id,
        "role": party.role.value,
        "user_id": party.user_id,
        "delivered_up_to": 0,
        "read_up_to": 0,
        "created_at": visit.call.now,
    }


async def tell_chat_changed(call: Call, order_id: int) -> None:
    """Notify listeners of a chat after the commit.

    Streams are notified at once, the broker by a job.
    """
    call.work.notify(CHAT_CHANNEL, client_subject(call.client_id, order_id))
    if call.adapter(Channel).configured:
        await call.enqueue(PUSH_JOB, PushChat(order_id=order_id))


async def open_participant(visit: ChatVisit) -> tuple[ChatThreadRow, ChatParticipantRow]:
    """Lock the chat and return it with the visitor's participant.

    The participant is created if needed.
    """
    thread = await store.lock_thread(visit.call.work, visit.order_id, visit.call.now)
    participant = participant_of(await _take_participants(visit, thread), visit.party)
    assert participant
    return thread, participant


async def mark_read(visit: ChatVisit, said: MarkChatRead) -> None:
    """Advance the visitor's read and delivery marks."""
    thread, participant = await open_participant(visit)
    last = thread.last_message_id or 0
    read = next_mark(participant.read_up_to, said.read_up_to, last)
    delivered = max(read, next_mark(participant.delivered_up_to, said.delivered_up_to, last))
    if (delivered, read) != (participant.delivered_up_to, participant.read_up_to):
        await ChatParticipantRow.update(
            visit.call.work, participant.id, {"delivered_up_to": delivered, "read_up_to": read}
        )
        await tell_chat_changed(visit.call, visit.order_id)


async def mute(visit: ChatVisit, until: datetime | None) -> None:
    """Mute the chat for the visitor."""
    _, participant = await open_participant(visit)
    await ChatParticipantRow.update(visit.call.work, participant.id, {"muted_until": until})


async def report_message(visit: ChatVisit, message_id: int, reason: str, note: str | None) -> None:
    """Report another participant's message. Raises `NOT_FOUND`.

    A second report by the same user changes nothing.
    """
    thread = await require_thread(visit, message_id)
    row = (await message_store.get_messages(visit.call.work, [message_id])).get(message_id)
    if row is None or row.thread_id != thread.id:
        raise record_not_found(message_id=message_id)
    values = {
        "thread_id": thread.id,
        "order_id": visit.order_id,
        "message_id": message_id,
        "reporter_role": visit.party.role.value,
        "reporter_user_id": visit.party.user_id,
        "reason": reason,
        "note": note,
        "status": ReportStatus.OPEN.value,
        "created_at": visit.call.now,
    }
    await store.insert_report(visit.call.work, values)


async def resolve_report(call: Call, report: ChatReportRow, *, hide: bool, block: bool) -> None:
    """Hide the reported message with its photo, or dismiss the report.

    Optionally block the sender.
    """
    message = (await message_store.get_messages(call.work, [report.message_id])).get(report.message_id)
    status = ReportStatus.HIDDEN if hide else ReportStatus.DISMISSED
    values = {"status": status.value, "resolved_at": call.now, "resolved_by": call.actor}
    await ChatReportRow.update(call.work, report.id, values)
    if message is None:
        return
    if hide and message.hidden_at is None:
        await message_store.hide_message(call.work, message.id, call.now)
        await delete_files(call, [message.file_id] if message.file_id else [])
    if block and message.sender_role != ChatRole.DISPATCHER:
        await store.block_role(call.work, message.thread_id, message.sender_role, call.now)
    await tell_chat_changed(call, report.order_id)
