"""Reads of order chats for other families."""

from collections.abc import Sequence
from datetime import datetime

from msgspec import Struct

from haulier.contexts.chat.order_chat import store
from haulier.contexts.chat.order_chat.contract import (
    ChatMessageList,
    ChatReport,
    ListChatMessages,
    ListOrderChats,
    OrderChat,
    OrderChatList,
    OrderChatSummary,
    ReportReason,
    ReportStatus,
)
from haulier.contexts.chat.order_chat.rules import (
    ROLE_OF_ACCOUNT,
    ChatConfig,
    ChatParty,
    ChatRole,
    ChatState,
    OwnQuickReply,
    chat_state,
    shares_marks,
)
from haulier.contexts.chat.order_chat.serializers import (
    serialize_members,
    serialize_messages,
    serialize_offers,
)
from haulier.contexts.chat.order_chat.store import (
    PHOTO_SUBJECT,
    ChatMessageRow,
    ChatParticipantRow,
    ChatReportRow,
    ChatThreadRow,
)
from haulier.contexts.documents.public import register_file_access
from haulier.contexts.orders.delivery_orders.rules.lifecycle import TERMINAL_STATUSES
from haulier.contexts.orders.public import OrderFacts, OrderStatus, get_order_facts, get_visible_order, list_order_steps
from haulier.kernel.call import Call
from haulier.kernel.operations.enums import OFFICE, Account, Scope
from haulier.kernel.operations.errors import record_not_found
from haulier.kernel.values.pagination import MAX_COUNT, make_cursor, parse_cursor, total_fields


class ChatVisit(Struct, frozen=True, kw_only=True):
    """Visitor of an order's chat.

    `call` acts for the business. `expected` are the parties to notify about messages.
    """

    call: Call
    party: ChatParty
    order_id: int
    status: OrderStatus
    expected: tuple[ChatParty, ...] = ()


async def visit_chat(call: Call, order_id: int) -> ChatVisit:
    """Return the caller as a visitor of a visible order's chat. Raises `NOT_FOUND`."""
    row = await get_visible_order(call, order_id)
    people = (
        (ChatRole.CUSTOMER, row.customer_id),
        (ChatRole.DRIVER, row.driver_id),
        (ChatRole.CONTRACTOR, row.contractor_id),
    )
    return ChatVisit(
        call=call,
        party=calling_party(call),
        order_id=row.id,
        status=OrderStatus(row.status),
        expected=tuple(ChatParty(role, user_id) for role, user_id in people if user_id),
    )


def calling_party(call: Call) -> ChatParty:
    """Return the caller's role and user."""
    return ChatParty(ROLE_OF_ACCOUNT[call.principal.account], call.actor or 0)


async def load_config(call: Call) -> ChatConfig:
    """Return the chat settings of the business."""
    row = await store.get_chat_settings(call.work)
    if row is None:
        return ChatConfig()
    replies = tuple(OwnQuickReply(each["code"], each["texts"], each["roles"]) for each in row.quick_replies)
    return ChatConfig(row.grace_hours, replies)


async def load_state(visit: ChatVisit, config: ChatConfig, *, blocked: bool) -> ChatState:
    """Return the state of the chat for the visitor."""
    ended_at = await _ended_at(visit)
    return chat_state(ended_at, config.grace_hours, visit.call.now, blocked=blocked)


async def _ended_at(visit: ChatVisit) -> datetime | None:
    if visit.status not in TERMINAL_STATUSES:
        return None
    steps = await list_order_steps(visit.call, visit.order_id)
    return steps[-1].at if steps else None


def participant_of(participants: list[ChatParticipantRow], party: ChatParty) -> ChatParticipantRow | None:
    """Return the participant of a party, or None."""
    return next(
        (
            participant
            for participant in participants
            if (participant.role, participant.user_id) == (party.role, party.user_id)
        ),
        None,
    )


async def require_thread(visit: ChatVisit, message_id: int) -> ChatThreadRow:
    """Return the chat that contains a message. Raises `NOT_FOUND` if it is empty."""
    thread = await ChatThreadRow.find_by(visit.call.work, order_id=visit.order_id)
    if thread is None:
        raise record_not_found(message_id=message_id)
    return thread


NEWEST_LOOKED_AT = 500
"""Maximum number of chats searched, newest first, for users who do not see every order."""


async def load_chat(visit: ChatVisit) -> OrderChat:
    """Return the chat of an order for its visitor.

    A chat without messages is empty, not missing.
    """
    call, party = visit.call, visit.party
    thread = await ChatThreadRow.find_by(call.work, order_id=visit.order_id)
    participants = list(await store.list_participants(call.work, thread.id)) if thread else []
    own = participant_of(participants, party)
    config = await load_config(call)
    blocked = any(participant.role == party.role and participant.blocked_at for participant in participants)
    state = await load_state(visit, config, blocked=blocked)
    unread = await _count_unread(call, party, [thread]) if thread else {}
    return OrderChat(
        order_id=visit.order_id,
        can_write=state.can_write,
        open=state.open,
        closes_at=call.local_time(state.closes_at),
        blocked=state.blocked,
        muted_until=call.local_time(own.muted_until) if own else None,
        unread=unread.get(thread.id, 0) if thread else 0,
        message_count=thread.message_count if thread else 0,
        last_message_at=call.local_time(thread.last_message_at) if thread else None,
        last_message_id=thread.last_message_id if thread else None,
        members=serialize_members(participants),
        quick_replies=await serialize_offers(call, party.role, config),
    )


async def _count_unread(call: Call, party: ChatParty, threads: Sequence[ChatThreadRow]) -> dict[int, int]:
    ids = [thread.id for thread in threads]
    return await store.count_unread(call.work, ids, party.role, party.user_id, shared=shares_marks(party.role))


async def load_messages(visit: ChatVisit, request: ListChatMessages) -> ChatMessageList:
    """Return a page of messages, back from the newest or forward."""
    call = visit.call
    key = parse_cursor(request.cursor, tuple[int])[0] if request.cursor else None
    thread = await ChatThreadRow.find_by(call.work, order_id=visit.order_id)
    rows: list[ChatMessageRow] = []
    if thread and request.order == "newest":
        rows = list(await store.list_messages_before(call.work, thread.id, key, request.limit + 1))
    elif thread:
        rows = list(await store.list_messages_after(call.work, thread.id, key or 0, request.limit + 1))
    page = rows[: request.limit]
    participants = await store.list_participants(call.work, thread.id) if thread and page else []
    more = len(rows) > len(page)
    going_on = more or request.order == "oldest"
    return ChatMessageList(
        messages=await serialize_messages(call, visit.party, page, participants),
        next_cursor=(make_cursor(page[-1].id) if page else request.cursor) if going_on else None,
        live_cursor=make_cursor((thread.last_message_id or 0) if thread else 0),
        more=more,
    )


async def load_chats(call: Call, request: ListOrderChats) -> OrderChatList:
    """Return the chats visible to the caller, newest message first."""
    party = calling_party(call)
    rows, total, floor = await _find_threads(call, request, party)
    unread = await _count_unread(call, party, rows)
    if request.unread is not None:
        rows = [row for row in rows if bool(unread.get(row.id)) is request.unread]
        total, rows = len(rows), rows[request.offset : request.offset + request.per_page]
    orders = await get_order_facts(call, [row.order_id for row in rows])
    counts = total_fields(total)
    return OrderChatList(
        **{**counts, "total_is_floor": floor or counts["total_is_floor"]},
        page=request.page,
        per_page=request.per_page,
        unread_total=sum(unread.get(row.id, 0) for row in rows),
        chats=[_summary(call, row, orders[row.order_id], unread) for row in rows if row.order_id in orders],
    )


async def _find_threads(call: Call, request: ListOrderChats, party: ChatParty) -> tuple[list[ChatThreadRow], int, bool]:
    """Return a page of chats, or all searched ones with `unread`, and their number."""
    asked, office = request.order_ids or None, call.principal.account in OFFICE
    if office and request.unread is None:
        page, total = await store.list_newest_threads(
            call.work, user_id=None, order_ids=asked, limit=request.per_page, offset=request.offset
        )
        return list(page), total, total > MAX_COUNT
    by_order = office or asked is not None
    user_id = None if by_order else party.user_id
    found, total = await store.list_newest_threads(call.work, user_id=user_id, order_ids=asked, limit=NEWEST_LOOKED_AT)
    orders = await get_order_facts(call, [row.order_id for row in found])
    seen = [row for row in found if row.order_id in orders and _may_see(call, orders[row.order_id])]
    if request.unread is not None:
        return seen, len(seen), total > len(found)
    return seen[request.offset : request.offset + request.per_page], len(seen), total > len(found)


def _may_see(call: Call, order: OrderFacts) -> bool:
    holder = {
        Account.CUSTOMER: order.customer_id,
        Account.CONTRACTOR: order.contractor_id,
        Account.DRIVER: order.driver_id,
    }
    return call.principal.account in OFFICE or holder.get(call.principal.account) == call.actor


def _summary(call: Call, row: ChatThreadRow, order: OrderFacts, unread: dict[int, int]) -> OrderChatSummary:
    return OrderChatSummary(
        order_id=row.order_id,
        order_ref=order.order_ref,
        tracking_number=order.tracking_number,
        unread=unread.get(row.id, 0),
        message_count=row.message_count,
        last_message_at=call.local_time(row.last_message_at),
        last_message_id=row.last_message_id,
    )


async def load_reports(call: Call, rows: Sequence[ChatReportRow]) -> list[ChatReport]:
    """Return reports with their messages, in a constant number of statements."""
    party = calling_party(call)
    messages = await store.get_messages(call.work, {row.message_id for row in rows})
    participants = await store.list_participants_of_threads(
        call.work, {message.thread_id for message in messages.values()}
    )
    shown = await serialize_messages(call, party, list(messages.values()), participants)
    by_id = {message.id: message for message in shown}
    return [
        ChatReport(
            id=row.id,
            order_id=row.order_id,
            message=by_id[row.message_id],
            reason=ReportReason(row.reason),
            note=row.note,
            reporter=ChatRole(row.reporter_role),
            status=ReportStatus(row.status),
            created_at=call.local_time(row.created_at),
            resolved_at=call.local_time(row.resolved_at),
            resolved_by=row.resolved_by,
        )
        for row in rows
        if row.message_id in by_id
    ]


@register_file_access(PHOTO_SUBJECT, Scope.ORDERS_READ)
async def may_see_photo(call: Call, thread_id: int) -> bool:
    """Return True if the caller may see the order, and thus the photos, of a chat."""
    if call.principal.account is Account.PUBLIC:
        return False
    order_id = await store.get_order_of_thread(call.work, thread_id)
    facts = await get_order_facts(call, [order_id]) if order_id else {}
    return any(_may_see(call, order) for order in facts.values())
