"""Visitors of a chat: the caller, their role, and the order."""

from datetime import datetime

from msgspec import Struct

from haulier.contexts.chat.order_chat.rules.parties import ROLE_OF_ACCOUNT, ChatParty, ChatRole
from haulier.contexts.chat.order_chat.rules.quick_replies import ChatConfig, OwnQuickReply
from haulier.contexts.chat.order_chat.rules.threads import ChatState, chat_state
from haulier.contexts.chat.order_chat.store import threads as store
from haulier.contexts.chat.order_chat.store.tables import ChatParticipantRow, ChatThreadRow
from haulier.contexts.orders.delivery_orders.rules.lifecycle import TERMINAL_STATUSES
from haulier.contexts.orders.public import OrderStatus, get_visible_order, list_order_steps
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import record_not_found


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
