"""Broker tickets, and pushes of chat changes to the broker in chat order."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

import msgspec

from haulier.contexts.chat.order_chat.contract.channel import (
    ChannelTicket,
    ChatChannel,
    PushedMark,
    PushedMarks,
    PushedMessage,
)
from haulier.contexts.chat.order_chat.queries.visits import ChatVisit
from haulier.contexts.chat.order_chat.rules.parties import ChatParty, ChatRole, marks_by_role, name_shown
from haulier.contexts.chat.order_chat.store import messages as message_store
from haulier.contexts.chat.order_chat.store import threads as store
from haulier.contexts.chat.order_chat.store.tables import (
    PHOTO_SUBJECT,
    ChatMessageRow,
    ChatParticipantRow,
    ChatThreadRow,
)
from haulier.contexts.identity.public import get_users_by_id
from haulier.contexts.messaging.public import (
    Channel,
    TicketHolder,
    issue_ticket,
    list_ticket_holders,
    make_topic,
    revoke_lost_tickets,
)
from haulier.contexts.orders.public import get_order_facts
from haulier.kernel.call import Call, call_as_system
from haulier.kernel.i18n.languages import SUPPORTED_LANGUAGES
from haulier.kernel.job_run import JobRun
from haulier.kernel.operations.enums import OFFICE, Feature

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
    await revoke_lost_tickets(run, PHOTO_SUBJECT, order_id, await _rightful(run, order_id), READ_BY)
    more = True
    while more:
        async with run.app.database.read(run.client_id) as work:
            call = await call_as_system(run.app, run.client_id, work)
            thread = await ChatThreadRow.find_by(work, order_id=order_id)
            if thread is None:
                return
            rows = list(await message_store.list_messages_after(work, thread.id, thread.pushed_up_to, AT_ONCE))
            pushed = await _to_pushes(call, rows, thread.pushed_up_to)
            participants = await store.list_participants(work, thread.id)
        topic = topic or chat_topic(channel, call.client_id, order_id)
        more = len(rows) == AT_ONCE
        await channel.publish(
            topic, *map(msgspec.json.encode, [*pushed, *([] if more else [_marks(order_id, participants)])])
        )
        if rows:
            async with run.app.database.write(run.client_id) as work:
                await store.note_pushed(work, thread.id, rows[-1].id)


async def _rightful(run: JobRun, order_id: int) -> set[str]:
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
