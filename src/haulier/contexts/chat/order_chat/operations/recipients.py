"""Chat operations for recipients verified on the tracking page."""

from base64 import b64encode

from haulier.contexts.chat.order_chat.actions.messages import mark_read, post_content, post_photo, report_message
from haulier.contexts.chat.order_chat.contract.messages import ChatMessageAnswer, ListChatMessages
from haulier.contexts.chat.order_chat.contract.recipients import (
    DeliveryChat,
    DeliveryChatMark,
    GetDeliveryChat,
    MarkDeliveryChatRead,
    OpenDeliveryChatPhoto,
    ReportDeliveryChatMessage,
    SendDeliveryChatMessage,
    SendDeliveryChatPhoto,
)
from haulier.contexts.chat.order_chat.contract.threads import MarkChatRead
from haulier.contexts.chat.order_chat.operations.messages import answer_posted
from haulier.contexts.chat.order_chat.queries.threads import load_chat, load_messages
from haulier.contexts.chat.order_chat.queries.visits import ChatVisit, require_thread
from haulier.contexts.chat.order_chat.rules.parties import ChatParty, ChatRole
from haulier.contexts.chat.order_chat.rules.threads import CHAT_BLOCKED, CHAT_CLOSED, QUICK_REPLY_UNKNOWN
from haulier.contexts.chat.order_chat.store import messages as message_store
from haulier.contexts.documents.public import FILE_BODY_LIMIT_BYTES, get_file_content, get_file_facts
from haulier.contexts.recipients.deliveries.contract import DeliveryAccess, ProofFile
from haulier.contexts.recipients.public import ACCESS_LIMITS, DELIVERY_ACCESS_INVALID, open_access
from haulier.kernel.call import Call, SignedInActor
from haulier.kernel.operations.answers import Done
from haulier.kernel.operations.client_keys import CLIENT_KEY_REUSED
from haulier.kernel.operations.declaration import GraphQL, RateLimit, Rest, reads, writes
from haulier.kernel.operations.enums import Account, Feature
from haulier.kernel.operations.errors import FEATURE_OFF, NOT_FOUND, record_not_found

PATH = "/v1/tracking/deliveries/chat"
PUBLIC = frozenset({Account.PUBLIC})
SEND_LIMITS = (RateLimit(30, 60, ("address",)),)


async def visit_as_recipient(call: Call, access: DeliveryAccess) -> ChatVisit:
    """Return the recipient as a visitor of their delivery's chat.

    Raises `DELIVERY_ACCESS_INVALID`, or `FEATURE_OFF` if chat is disabled.
    """
    own, order = await open_access(call, access)
    if Feature.ORDER_CHAT not in own.business.features - call.app.modules_missing:
        raise FEATURE_OFF(feature=Feature.ORDER_CHAT)
    return ChatVisit(call=own, party=ChatParty(ChatRole.RECIPIENT), order_id=order.id, status=order.status)


def note_actor(call: Call, visit: ChatVisit) -> None:
    """Record the recipient as the actor in the business's audit trail."""
    call.signed_in_as = SignedInActor(visit.call.client_id, None, Account.PUBLIC)
    call.add_audit_subjects("order", visit.order_id)


@reads(
    "get_delivery_chat",
    audience=PUBLIC,
    feature=Feature.ORDER_CHAT,
    limits=ACCESS_LIMITS,
    errors=(DELIVERY_ACCESS_INVALID,),
    doors=(Rest("POST", f"{PATH}/read"), GraphQL("deliveryChat")),
)
async def get_delivery_chat(call: Call, request: GetDeliveryChat) -> DeliveryChat:
    """Get the chat of your delivery.

    Includes a page of messages with the driver and staff.
    """
    visit = await visit_as_recipient(call, request)
    wanted = ListChatMessages.model_construct(
        order_id=visit.order_id, order=request.order, limit=request.limit, cursor=request.cursor
    )
    return DeliveryChat(chat=await load_chat(visit), page=await load_messages(visit, wanted))


@writes(
    "send_delivery_chat_message",
    audience=PUBLIC,
    feature=Feature.ORDER_CHAT,
    limits=SEND_LIMITS,
    errors=(DELIVERY_ACCESS_INVALID, CHAT_CLOSED, CHAT_BLOCKED, QUICK_REPLY_UNKNOWN, CLIENT_KEY_REUSED),
    doors=(Rest("POST", f"{PATH}/messages"), GraphQL("sendDeliveryChatMessage")),
)
async def send_delivery_chat_message(call: Call, request: SendDeliveryChatMessage) -> ChatMessageAnswer:
    """Send a message about your delivery.

    Sends a text, a quick reply or a location to the driver and staff.
    """
    visit = await visit_as_recipient(call, request)
    note_actor(call, visit)
    return await answer_posted(visit, await post_content(visit, request))


@writes(
    "send_delivery_chat_photo",
    audience=PUBLIC,
    feature=Feature.ORDER_CHAT,
    limits=SEND_LIMITS,
    body_limit_bytes=FILE_BODY_LIMIT_BYTES,
    errors=(DELIVERY_ACCESS_INVALID, CHAT_CLOSED, CHAT_BLOCKED, CLIENT_KEY_REUSED),
    doors=(Rest("POST", f"{PATH}/photos"), GraphQL("sendDeliveryChatPhoto")),
)
async def send_delivery_chat_photo(call: Call, request: SendDeliveryChatPhoto) -> ChatMessageAnswer:
    """Send a photo about your delivery.

    The photo is sent to the driver and staff.
    """
    visit = await visit_as_recipient(call, request)
    note_actor(call, visit)
    return await answer_posted(visit, await post_photo(visit, request, request.client_ref))


@writes(
    "mark_delivery_chat_read",
    audience=PUBLIC,
    feature=Feature.ORDER_CHAT,
    limits=ACCESS_LIMITS,
    errors=(DELIVERY_ACCESS_INVALID,),
    doors=(Rest("POST", f"{PATH}/marks"), GraphQL("markDeliveryChatRead")),
)
async def mark_delivery_chat_read(call: Call, request: MarkDeliveryChatRead) -> DeliveryChatMark:
    """Mark your delivery's messages as delivered or read."""
    visit = await visit_as_recipient(call, request)
    note_actor(call, visit)
    said = MarkChatRead.model_construct(
        order_id=visit.order_id, delivered_up_to=request.delivered_up_to, read_up_to=request.read_up_to
    )
    await mark_read(visit, said)
    return DeliveryChatMark(chat=await load_chat(visit))


@writes(
    "report_delivery_chat_message",
    audience=PUBLIC,
    feature=Feature.ORDER_CHAT,
    limits=(RateLimit(30, 3600, ("address",)),),
    errors=(DELIVERY_ACCESS_INVALID, NOT_FOUND),
    doors=(Rest("POST", f"{PATH}/reports"), GraphQL("reportDeliveryChatMessage")),
)
async def report_delivery_chat_message(call: Call, request: ReportDeliveryChatMessage) -> Done:
    """Report a message in your delivery's chat.

    Staff will review it.
    """
    visit = await visit_as_recipient(call, request)
    note_actor(call, visit)
    await report_message(visit, request.message_id, request.reason.value, request.note)
    return Done(message=call.translate("chat_message_reported"))


@reads(
    "get_delivery_chat_photo",
    audience=PUBLIC,
    feature=Feature.ORDER_CHAT,
    limits=ACCESS_LIMITS,
    errors=(DELIVERY_ACCESS_INVALID, NOT_FOUND),
    doors=(Rest("POST", f"{PATH}/photo"), GraphQL("deliveryChatPhoto")),
)
async def get_delivery_chat_photo(call: Call, request: OpenDeliveryChatPhoto) -> ProofFile:
    """Get a photo from your delivery's chat."""
    visit = await visit_as_recipient(call, request)
    thread = await require_thread(visit, request.message_id)
    row = (await message_store.get_messages(visit.call.work, [request.message_id])).get(request.message_id)
    if row is None or row.thread_id != thread.id or row.file_id is None:
        raise record_not_found(message_id=request.message_id)
    facts = await get_file_facts(visit.call, [row.file_id])
    content = await get_file_content(visit.call, row.file_id)
    return ProofFile(media_type=facts[row.file_id].media_type, content=b64encode(content).decode())
