"""Writes of order chats for other families."""

import logging
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec
from msgspec import Struct

from haulier.contexts.chat.order_chat import store
from haulier.contexts.chat.order_chat.contract import (
    ChannelTicket,
    ChatChannel,
    MarkChatRead,
    MessageContent,
    MessageKind,
    PushDevice,
    PushDeviceList,
    PushDeviceRequest,
    PushedMark,
    PushedMarks,
    PushedMessage,
    ReportStatus,
)
from haulier.contexts.chat.order_chat.queries import ChatVisit, load_config, load_state, participant_of, require_thread
from haulier.contexts.chat.order_chat.rules import (
    BUILT_IN,
    DEVICES_MAX,
    NOBODY,
    PUSH_AFTER,
    PUSH_KIND_OFF,
    QUICK_REPLY_UNKNOWN,
    ChatParty,
    ChatRole,
    marks_by_role,
    name_shown,
    next_mark,
    parties_to_notify,
    require_writable,
    should_notify,
)
from haulier.contexts.chat.order_chat.store import (
    PHOTO_SUBJECT,
    ChatMessageRow,
    ChatParticipantRow,
    ChatReportRow,
    ChatThreadRow,
    PushDeviceRow,
)
from haulier.contexts.chat.ports import PhonePusher, PushGone, PushKind, PushNote, PushRefused, PushTarget
from haulier.contexts.documents.public import FileUpload, delete_files, save_upload
from haulier.contexts.identity.public import get_set_up_columns, get_users_by_id, list_entitled
from haulier.contexts.messaging.public import (
    Channel,
    TicketHolder,
    issue_ticket,
    list_ticket_holders,
    make_topic,
    revoke_lost_tickets,
)
from haulier.contexts.orders.public import OrderFacts, get_order_facts
from haulier.kernel.call import Call, call_as_system
from haulier.kernel.data.notices import client_subject
from haulier.kernel.i18n.languages import SUPPORTED_LANGUAGES
from haulier.kernel.job_run import JobRun
from haulier.kernel.operations.client_keys import require_same_content
from haulier.kernel.operations.enums import OFFICE, Feature
from haulier.kernel.operations.errors import record_not_found
from haulier.kernel.operations.records import record
from haulier.kernel.pipeline.reach import require_can_call
from haulier.kernel.values.ids import hash_token

READ_BY = "list_chat_messages"
"""Operation that reads the data sent to the broker and devices."""
POLL_S = 15
AT_ONCE = 200


def chat_topic(channel: Channel, client_id: int, order_id: int) -> str:
    """Return the topic of a chat: `{prefix}/order-chat/{business_id}/{order_id}`."""
    return make_topic(channel.prefix, "order-chat", client_id, order_id)


async def open_channel(visit: ChatVisit) -> ChatChannel:
    """Return a ticket that allows the visitor to listen to this chat's topic only."""
    call, channel = visit.call, visit.call.adapter(Channel)
    topic = chat_topic(channel, call.client_id, visit.order_id)
    if not channel.configured:
        return ChatChannel(topic=topic, ticket=None, poll_s=POLL_S)
    holder = TicketHolder(about=PHOTO_SUBJECT, about_id=visit.order_id, holder=_holder(visit.party))
    issued = await issue_ticket(call, holder, subscribe=[topic])
    ticket = ChannelTicket(
        addresses=list(channel.addresses),
        client_id=issued.username,
        username=issued.username,
        password=issued.password,
        expires_at=call.local_time(issued.expires_at),
    )
    return ChatChannel(topic=topic, ticket=ticket, poll_s=POLL_S)


def _holder(party: ChatParty) -> str:
    return f"{party.role.value}:{party.user_id}"


async def push_chat(run: JobRun, order_id: int) -> None:
    """Push new messages and read marks of a chat to the broker, oldest first.

    Participants who lost access to the chat are disconnected first. Two concurrent runs may push a message twice,
    but never out of order: each starts at the first message not recorded as pushed. Raises `ChannelUnavailable`.
    """
    channel, topic = run.app.adapter(Channel), ""
    await revoke_lost_tickets(run, PHOTO_SUBJECT, order_id, await _authorized_holders(run, order_id), READ_BY)
    more = True
    while more:
        async with run.app.database.read(run.client_id) as work:
            call = await call_as_system(run.app, run.client_id, work)
            thread = await ChatThreadRow.find_by(work, order_id=order_id)
            if thread is None:
                return
            rows = list(await store.list_messages_after(work, thread.id, thread.pushed_up_to, AT_ONCE))
            pushed = await _to_pushes(call, rows, thread.pushed_up_to)
            participants = await store.list_participants(work, thread.id)
        topic = topic or chat_topic(channel, call.client_id, order_id)
        more = len(rows) == AT_ONCE
        await channel.publish(
            topic, *map(msgspec.json.encode, [*pushed, *([] if more else [_marks(order_id, participants)])])
        )
        if rows:
            async with run.app.database.write(run.client_id) as work:
                await store.set_pushed(work, thread.id, rows[-1].id)


async def _authorized_holders(run: JobRun, order_id: int) -> set[str]:
    """Return the ticket holders who may still listen to the chat."""
    holders = await list_ticket_holders(run, PHOTO_SUBJECT, order_id)
    if not holders:
        return set()
    async with run.app.database.read(run.client_id) as work:
        call = await call_as_system(run.app, run.client_id, work)
        order = (await get_order_facts(call, [order_id])).get(order_id)
        if order is None or Feature.ORDER_CHAT not in call.business.features:
            return set()
        users = await get_users_by_id(call, {int(holder.partition(":")[2]) for holder in holders})
    people = {
        ChatRole.CUSTOMER: order.customer_id,
        ChatRole.DRIVER: order.driver_id,
        ChatRole.CONTRACTOR: order.contractor_id,
    }
    office = {user.id for user in users.values() if user.active and user.account in OFFICE}
    active = {user.id for user in users.values() if user.active}
    mine = {_holder(ChatParty(role, user_id)) for role, user_id in people.items() if user_id in active and user_id}
    return {
        *(_holder(ChatParty(ChatRole.DISPATCHER, user_id)) for user_id in office),
        *mine,
        _holder(ChatParty(ChatRole.RECIPIENT)),
    }


async def _to_pushes(call: Call, rows: Sequence[ChatMessageRow], before: int) -> list[PushedMessage]:
    drivers = {row.sender_user_id for row in rows if row.sender_role == ChatRole.DRIVER}
    users = await get_users_by_id(call, drivers) if drivers else {}
    names = {user.id: name_shown(ChatRole.CUSTOMER, ChatRole.DRIVER, user.name) for user in users.values()}
    previous = [before or None, *(row.id for row in rows)]
    return [
        _to_push(call, row, previous_id, names.get(row.sender_user_id))
        for row, previous_id in zip(rows, previous, strict=False)
    ]


def _to_push(call: Call, row: ChatMessageRow, previous_id: int | None, name: str | None) -> PushedMessage:
    said = {"text": row.text, "quick_reply": row.quick_reply, "texts": _texts(call, row), "photo": row.file_id}
    at = None if row.lat is None else {"lat": row.lat, "lng": row.lng, "accuracy_m": row.accuracy_m}
    shown: dict[str, Any] = dict.fromkeys(said) if row.hidden_at else said
    sent_at: datetime = call.local_time(row.created_at)
    return PushedMessage(
        id=row.id,
        previous_id=previous_id,
        order_id=row.order_id,
        kind=row.kind,
        role=ChatRole(row.sender_role),
        name=name,
        location=None if row.hidden_at else at,
        sent_at=sent_at,
        **shown,
    )


def _texts(call: Call, row: ChatMessageRow) -> dict[str, str] | None:
    """Return a quick reply in every language, since all listeners share one topic."""
    if row.quick_reply is None or row.texts:
        return row.texts
    said, translate = f"quick_reply.{row.quick_reply}", call.app.catalogues.translate
    return {language: translate(language, said) for language in SUPPORTED_LANGUAGES}


def _marks(order_id: int, participants: Iterable[ChatParticipantRow]) -> PushedMarks:
    marks = marks_by_role(participants)
    members = [PushedMark(role, mark.delivered_up_to, mark.read_up_to) for role, mark in marks.items()]
    return PushedMarks(order_id=order_id, members=members)


WAKE_JOB, DEVICE_JOB = "order_chats.wake", "order_chats.wake_device"
log = logging.getLogger("haulier.chat")


class WakeForMessage(Struct, frozen=True, kw_only=True):
    """New message to notify devices about."""

    message_id: int


class WakeDevice(Struct, frozen=True, kw_only=True):
    """Device to notify about a message."""

    message_id: int
    device_id: int


async def register_device(call: Call, said: PushDeviceRequest, *, user_id: int, order_id: int) -> PushDevice:
    """Register a device of a user or recipient.

    A repeated registration updates the same device. Raises `PUSH_KIND_OFF`, and `SCOPES_EXCEEDED` for users who
    cannot read chats.
    """
    if user_id != NOBODY:
        require_can_call(call.app.registry, call.principal, READ_BY)
    if said.kind not in call.adapter(PhonePusher).kinds:
        raise PUSH_KIND_OFF(kind=said.kind)
    address = said.address.get_secret_value()
    values = {
        "user_id": user_id,
        "set_up_with": (await get_set_up_columns(call))["set_up_with"],
        "order_id": order_id,
        "kind": said.kind.value,
        "address": address,
        "address_sha256": hash_token(address),
        "p256dh": said.p256dh,
        "auth": said.auth.get_secret_value() if said.auth else None,
        "name": said.name,
        "language": call.language,
        "created_at": call.now,
        "seen_at": call.now,
    }
    row = await store.upsert_device(call.work, values)
    listed = await store.list_devices(call.work, user_id, order_id)
    await store.delete_devices(call.work, [each.id for each in listed[DEVICES_MAX:]])
    return _shown(call, row)


def _shown(call: Call, row: PushDeviceRow) -> PushDevice:
    times: dict[str, Any] = {name: call.local_time(getattr(row, name)) for name in ("created_at", "seen_at")}
    return record(PushDevice, row, kind=PushKind(row.kind), **times)


async def load_devices(call: Call, *, user_id: int, order_id: int) -> PushDeviceList:
    """Return the devices of a user or recipient, and the data for a new registration."""
    pusher = call.adapter(PhonePusher)
    rows = await store.list_devices(call.work, user_id, order_id)
    return PushDeviceList(
        kinds=sorted(pusher.kinds), web_push_key=pusher.web_key, devices=[_shown(call, row) for row in rows]
    )


async def remove_device(call: Call, device_id: int, *, user_id: int, order_id: int) -> None:
    """Remove a device of a user or recipient. Raises `NOT_FOUND`."""
    row = await PushDeviceRow.get(call.work, device_id)
    if row is None or (row.user_id, row.order_id) != (user_id, order_id):
        raise record_not_found(device_id=device_id)
    await store.delete_devices(call.work, [row.id])


async def schedule_push(call: Call, message_id: int) -> None:
    """Schedule notifications about a message after the commit, if push is available."""
    if call.adapter(PhonePusher).kinds:
        await call.enqueue(WAKE_JOB, WakeForMessage(message_id=message_id), run_at=call.now + PUSH_AFTER)


async def enqueue_pushes(call: Call, message_id: int) -> None:
    """Enqueue a separate job for each device, so that one failure is retried alone."""
    waking = await _load_push_context(call, message_id)
    if waking is None:
        return
    people = {party.user_id for party in waking.parties}
    rows = await store.list_devices_for(call.work, people - {NOBODY}, waking.order.id)
    for row in rows:
        if should_notify(row.user_id, waking.parties):
            await call.enqueue(DEVICE_JOB, WakeDevice(message_id=message_id, device_id=row.id))


class _PushContext(Struct, frozen=True, kw_only=True):
    """Message, its order, and the parties still to notify."""

    message: ChatMessageRow
    order: OrderFacts
    parties: set[ChatParty]


async def _load_push_context(call: Call, message_id: int) -> _PushContext | None:
    row = (await store.get_messages(call.work, [message_id])).get(message_id)
    if row is None or row.hidden_at or Feature.ORDER_CHAT not in call.business.features:
        return None
    order = (await get_order_facts(call, [row.order_id])).get(row.order_id)
    if order is None:
        return None
    people = (
        (ChatRole.CUSTOMER, order.customer_id),
        (ChatRole.DRIVER, order.driver_id),
        (ChatRole.CONTRACTOR, order.contractor_id),
    )
    holders = {ChatParty(role, user_id) for role, user_id in people if user_id} | {ChatParty(ChatRole.RECIPIENT)}
    places = list(await store.list_participants(call.work, row.thread_id))
    sender = ChatParty(ChatRole(row.sender_role), row.sender_user_id)
    parties = parties_to_notify(sender, message_id, holders, places, call.now)
    users = await get_users_by_id(call, {party.user_id for party in parties} - {NOBODY})
    active = {user.id for user in users.values() if user.active} | {NOBODY}
    return _PushContext(message=row, order=order, parties={party for party in parties if party.user_id in active})


async def send_push(run: JobRun, args: WakeDevice) -> None:
    """Notify a device, unless its owner has read the message, muted it or lost access.

    A device that has unregistered is removed. Raises `OSError` if its push service is unavailable.
    """
    async with run.app.database.read(run.client_id) as work:
        call = await call_as_system(run.app, run.client_id, work)
        device = await PushDeviceRow.get(work, args.device_id)
        waking = await _load_push_context(call, args.message_id) if device else None
        entitled = device is not None and await _is_entitled(call, device)
    if device is not None and not entitled:
        await _delete_device(run, device)
        return
    if device is None or waking is None or not should_notify(device.user_id, waking.parties):
        return
    target = PushTarget(kind=PushKind(device.kind), address=device.address, p256dh=device.p256dh, auth=device.auth)
    try:
        await run.app.adapter(PhonePusher).push(target, _build_push_note(call, device, waking))
    except PushGone as gone:
        if gone.since is None or device.seen_at <= gone.since:
            await _delete_device(run, device)
    except PushRefused as error:
        log.warning("push to a device failed: %s", error)


async def _is_entitled(call: Call, device: PushDeviceRow) -> bool:
    """Return True if the user or token that registered a device could read chats now."""
    if device.user_id == NOBODY:
        return True
    return bool(await list_entitled(call, {(device.user_id, device.set_up_with)}, READ_BY))


async def _delete_device(run: JobRun, device: PushDeviceRow) -> None:
    async with run.app.database.write(run.client_id) as work:
        again = await PushDeviceRow.get(work, device.id)
        if again and again.seen_at == device.seen_at:
            await store.delete_devices(work, [device.id])


def _build_push_note(call: Call, device: PushDeviceRow, waking: _PushContext) -> PushNote:
    """Return the order and role of a notification.

    It contains no text, name or phone number, since anyone can read a locked screen.
    """
    translate, number = call.app.catalogues.translate, waking.order.tracking_number
    recipient = device.user_id == NOBODY
    return PushNote(
        order_id=waking.order.id,
        message_id=waking.message.id,
        title=translate(device.language, "chat_push.title", number=number),
        body=translate(device.language, f"chat_push.from_{waking.message.sender_role}"),
        page=f"/track/{number}" if recipient else f"/orders/{waking.order.id}/chat",
    )


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
    if ref and (row := await store.find_message_by_ref(call.work, thread.id, party.role, party.user_id, ref)):
        _require_repeat(row, ref, values)
        return PostedMessage(row, list(await store.list_participants(call.work, thread.id)), True)
    participants = await _resolve_participants(visit, thread)
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
    await store.record_message(call.work, thread.id, message_id, call.now)
    if own:
        await ChatParticipantRow.update(call.work, own.id, {"delivered_up_to": message_id, "read_up_to": message_id})
    await publish_chat_changed(call, visit.order_id)
    await schedule_push(call, message_id)
    row = (await store.get_messages(call.work, [message_id]))[message_id]
    return PostedMessage(row, list(await store.list_participants(call.work, thread.id)), False)


def _require_repeat(row: ChatMessageRow, ref: str, values: Mapping[str, Any]) -> None:
    """Raise `CLIENT_KEY_REUSED` if the message with this reference differs."""
    sent = {name: values.get(name) for name in ("kind", "text", "quick_reply", "lat", "lng")}
    require_same_content("client_ref", ref, sent, {name: getattr(row, name) for name in sent})


async def _resolve_participants(visit: ChatVisit, thread: ChatThreadRow) -> list[ChatParticipantRow]:
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


async def publish_chat_changed(call: Call, order_id: int) -> None:
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
    participant = participant_of(await _resolve_participants(visit, thread), visit.party)
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
        await publish_chat_changed(visit.call, visit.order_id)


async def mute(visit: ChatVisit, until: datetime | None) -> None:
    """Mute the chat for the visitor."""
    _, participant = await open_participant(visit)
    await ChatParticipantRow.update(visit.call.work, participant.id, {"muted_until": until})


async def report_message(visit: ChatVisit, message_id: int, reason: str, note: str | None) -> None:
    """Report another participant's message. Raises `NOT_FOUND`.

    A second report by the same user changes nothing.
    """
    thread = await require_thread(visit, message_id)
    row = (await store.get_messages(visit.call.work, [message_id])).get(message_id)
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
    message = (await store.get_messages(call.work, [report.message_id])).get(report.message_id)
    status = ReportStatus.HIDDEN if hide else ReportStatus.DISMISSED
    values = {"status": status.value, "resolved_at": call.now, "resolved_by": call.actor}
    await ChatReportRow.update(call.work, report.id, values)
    if message is None:
        return
    if hide and message.hidden_at is None:
        await store.hide_message(call.work, message.id, call.now)
        await delete_files(call, [message.file_id] if message.file_id else [])
    if block and message.sender_role != ChatRole.DISPATCHER:
        await store.block_role(call.work, message.thread_id, message.sender_role, call.now)
    await publish_chat_changed(call, report.order_id)
