"""Operations to read, follow, send and mark messages."""

from haulier.contexts.chat.order_chat.actions.messages import (
    CHAT_CHANNEL,
    PostedMessage,
    mark_read,
    mute,
    post_content,
    post_photo,
)
from haulier.contexts.chat.order_chat.contract.messages import (
    ChatMessageAnswer,
    ChatMessageList,
    ListChatMessages,
    OrderChatRef,
    SendChatMessage,
    SendChatPhoto,
)
from haulier.contexts.chat.order_chat.contract.threads import (
    ListOrderChats,
    MarkChatRead,
    MuteOrderChat,
    OrderChatAnswer,
    OrderChatList,
)
from haulier.contexts.chat.order_chat.queries.threads import load_chat, load_chats, load_messages
from haulier.contexts.chat.order_chat.queries.visits import ChatVisit, visit_chat
from haulier.contexts.chat.order_chat.rules.threads import CHAT_BLOCKED, CHAT_CLOSED, QUICK_REPLY_UNKNOWN
from haulier.contexts.chat.order_chat.serializers import serialize_messages
from haulier.contexts.documents.public import FILE_BODY_LIMIT_BYTES
from haulier.kernel.call import Call
from haulier.kernel.operations.client_keys import CLIENT_KEY_REUSED
from haulier.kernel.operations.declaration import EventStream, GraphQL, RateLimit, Rest, reads, writes
from haulier.kernel.operations.enums import SIGNED_IN, Feature, Scope
from haulier.kernel.operations.errors import NOT_FOUND

CHATS_PATH = "/v1/order-chats"
CHAT_PATH = f"{CHATS_PATH}/{{order_id}}"
SEND_LIMITS = (RateLimit(60, 60, ("user", "order_id")),)
MESSAGES_STREAM = EventStream(
    f"{CHAT_PATH}/stream", CHAT_CHANNEL, "order_id", "messages", {"order": "oldest"}, of_client=True
)


@reads(
    "list_order_chats",
    audience=SIGNED_IN,
    scopes={Scope.ORDERS_READ},
    feature=Feature.ORDER_CHAT,
    doors=(Rest("GET", CHATS_PATH), GraphQL("orderChats")),
)
async def list_order_chats(call: Call, request: ListOrderChats) -> OrderChatList:
    """List order chats.

    Results are ordered by newest message and include unread counts. Staff see all chats. Other users see chats in
    which they were participants, or those of the orders they name. For them, and with `unread`, only the 500 most
    recent chats are searched.
    """
    return await load_chats(call, request)


@reads(
    "get_order_chat",
    audience=SIGNED_IN,
    scopes={Scope.ORDERS_READ},
    feature=Feature.ORDER_CHAT,
    errors=(NOT_FOUND,),
    doors=(Rest("GET", CHAT_PATH), GraphQL("orderChat")),
)
async def get_order_chat(call: Call, request: OrderChatRef) -> OrderChatAnswer:
    """Get the chat of an order.

    Shows if the caller can write and until when, unread messages, read marks and quick replies.
    """
    return OrderChatAnswer(chat=await load_chat(await visit_chat(call, request.order_id)))


@reads(
    "list_chat_messages",
    audience=SIGNED_IN,
    scopes={Scope.ORDERS_READ},
    feature=Feature.ORDER_CHAT,
    errors=(NOT_FOUND,),
    doors=(Rest("GET", f"{CHAT_PATH}/messages", event_stream=MESSAGES_STREAM), GraphQL("chatMessages")),
)
async def list_chat_messages(call: Call, request: ListChatMessages) -> ChatMessageList:
    """List the messages of an order's chat.

    Pages back from the newest message, or forward from a cursor. At `/stream` instead of `/messages`, new messages
    are pushed as server-sent events. A message is never changed, but its marks are, and staff can hide it.
    """
    return await load_messages(await visit_chat(call, request.order_id), request)


@writes(
    "send_chat_message",
    audience=SIGNED_IN,
    scopes={Scope.ORDERS_WRITE},
    feature=Feature.ORDER_CHAT,
    limits=SEND_LIMITS,
    errors=(NOT_FOUND, CHAT_CLOSED, CHAT_BLOCKED, QUICK_REPLY_UNKNOWN, CLIENT_KEY_REUSED),
    doors=(Rest("POST", f"{CHAT_PATH}/messages"), GraphQL("sendChatMessage")),
)
async def send_chat_message(call: Call, request: SendChatMessage) -> ChatMessageAnswer:
    """Send a message in an order's chat.

    Sends a text, a quick reply or a location to all participants. A repeat under the same `client_ref` returns the
    same message. Messages can be sent for some hours after the end of the order.
    """
    visit = await visit_chat(call, request.order_id)
    call.add_audit_subjects("order", visit.order_id)
    return await answer_posted(visit, await post_content(visit, request))


@writes(
    "send_chat_photo",
    audience=SIGNED_IN,
    scopes={Scope.ORDERS_WRITE},
    feature=Feature.ORDER_CHAT,
    limits=SEND_LIMITS,
    body_limit_bytes=FILE_BODY_LIMIT_BYTES,
    errors=(NOT_FOUND, CHAT_CLOSED, CHAT_BLOCKED, CLIENT_KEY_REUSED),
    doors=(Rest("POST", f"{CHAT_PATH}/photos"), GraphQL("sendChatPhoto")),
)
async def send_chat_photo(call: Call, request: SendChatPhoto) -> ChatMessageAnswer:
    """Send a photo in an order's chat.

    Users with access to the order can open it as a file. A repeat under the same `client_ref` returns the same
    message.
    """
    visit = await visit_chat(call, request.order_id)
    call.add_audit_subjects("order", visit.order_id)
    return await answer_posted(visit, await post_photo(visit, request, request.client_ref))


@writes(
    "mark_chat_read",
    audience=SIGNED_IN,
    scopes={Scope.ORDERS_WRITE},
    feature=Feature.ORDER_CHAT,
    errors=(NOT_FOUND,),
    doors=(Rest("PUT", f"{CHAT_PATH}/marks"), GraphQL("markChatRead")),
)
async def mark_chat_read(call: Call, request: MarkChatRead) -> OrderChatAnswer:
    """Mark chat messages as delivered or read.

    Messages read by one dispatcher count as read by all dispatchers. A mark never goes back, and never beyond the
    last message.
    """
    visit = await visit_chat(call, request.order_id)
    await mark_read(visit, request)
    call.add_audit_subjects("order", visit.order_id)
    return OrderChatAnswer(chat=await load_chat(visit))


@writes(
    "mute_order_chat",
    audience=SIGNED_IN,
    scopes={Scope.ORDERS_WRITE},
    feature=Feature.ORDER_CHAT,
    errors=(NOT_FOUND,),
    doors=(Rest("PUT", f"{CHAT_PATH}/mute"), GraphQL("muteOrderChat")),
)
async def mute_order_chat(call: Call, request: MuteOrderChat) -> OrderChatAnswer:
    """Mute the chat of an order.

    No pushes are sent until the given time. Messages still arrive and count as unread.
    """
    visit = await visit_chat(call, request.order_id)
    await mute(visit, request.until)
    call.add_audit_subjects("order", visit.order_id)
    return OrderChatAnswer(chat=await load_chat(visit))


async def answer_posted(visit: ChatVisit, posted: PostedMessage) -> ChatMessageAnswer:
    """Return a message as its sender sees it."""
    (message,) = await serialize_messages(visit.call, visit.party, [posted.row], posted.participants)
    return ChatMessageAnswer(message=message, duplicate=posted.duplicate)
