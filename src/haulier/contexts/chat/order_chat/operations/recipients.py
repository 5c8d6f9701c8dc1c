"""Operations on order chats: recipients."""

from base64 import b64encode

from haulier.contexts.chat.order_chat import actions, store
from haulier.contexts.chat.order_chat.actions import mark_read, open_channel, post_content, post_photo, report_message
from haulier.contexts.chat.order_chat.contract import (
    ChatChannel,
    ChatMessageAnswer,
    DeliveryChat,
    DeliveryChatMark,
    GetDeliveryChat,
    ListChatMessages,
    ListDeliveryPushDevices,
    ListPushDevices,
    MarkChatRead,
    MarkDeliveryChatRead,
    OpenDeliveryChatPhoto,
    OrderChatRef,
    PushDeviceAnswer,
    PushDeviceList,
    RegisterDeliveryPushDevice,
    RegisterPushDevice,
    RemoveDeliveryPushDevice,
    RemovePushDevice,
    ReportDeliveryChatMessage,
    SendDeliveryChatMessage,
    SendDeliveryChatPhoto,
)
from haulier.contexts.chat.order_chat.operations.messages import CHAT_PATH, answer_posted
from haulier.contexts.chat.order_chat.queries import ChatVisit, load_chat, load_messages, require_thread, visit_chat
from haulier.contexts.chat.order_chat.rules import (
    CHAT_BLOCKED,
    CHAT_CLOSED,
    NOBODY,
    PUSH_KIND_OFF,
    QUICK_REPLY_UNKNOWN,
    ChatParty,
    ChatRole,
)
from haulier.contexts.documents.public import FILE_BODY_LIMIT_BYTES, get_file_content, get_file_facts
from haulier.contexts.recipients.deliveries.contract import DeliveryAccess, ProofFile
from haulier.contexts.recipients.public import ACCESS_LIMITS, DELIVERY_ACCESS_INVALID, open_access
from haulier.kernel.call import Call, SignedInActor
from haulier.kernel.operations.answers import Done
from haulier.kernel.operations.client_keys import CLIENT_KEY_REUSED
from haulier.kernel.operations.declaration import GraphQL, RateLimit, Rest, reads, writes
from haulier.kernel.operations.enums import SIGNED_IN, Account, Feature, Scope
from haulier.kernel.operations.errors import FEATURE_OFF, NOT_FOUND, SCOPES_EXCEEDED, record_not_found

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


def record_actor(call: Call, visit: ChatVisit) -> None:
    """Record the recipient as the actor in the business's audit trail."""
    call.signed_in_as = SignedInActor(visit.call.client_id, None, Account.PUBLIC)
    call.add_audit_subjects("order", visit.order_id)


@reads(
    "get_delivery_chat",
    audience=PUBLIC,
    feature=Feature.ORDER_CHAT,
    limits=ACCESS_LIMITS,
    errors=(DELIVERY_ACCESS_INVALID,),
    interfaces=(Rest("POST", f"{PATH}/read"), GraphQL("deliveryChat")),
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
    interfaces=(Rest("POST", f"{PATH}/messages"), GraphQL("sendDeliveryChatMessage")),
)
async def send_delivery_chat_message(call: Call, request: SendDeliveryChatMessage) -> ChatMessageAnswer:
    """Send a message about your delivery.

    Sends a text, a quick reply or a location to the driver and staff.
    """
    visit = await visit_as_recipient(call, request)
    record_actor(call, visit)
    return await answer_posted(visit, await post_content(visit, request))


@writes(
    "send_delivery_chat_photo",
    audience=PUBLIC,
    feature=Feature.ORDER_CHAT,
    limits=SEND_LIMITS,
    body_limit_bytes=FILE_BODY_LIMIT_BYTES,
    errors=(DELIVERY_ACCESS_INVALID, CHAT_CLOSED, CHAT_BLOCKED, CLIENT_KEY_REUSED),
    interfaces=(Rest("POST", f"{PATH}/photos"), GraphQL("sendDeliveryChatPhoto")),
)
async def send_delivery_chat_photo(call: Call, request: SendDeliveryChatPhoto) -> ChatMessageAnswer:
    """Send a photo about your delivery.

    The photo is sent to the driver and staff.
    """
    visit = await visit_as_recipient(call, request)
    record_actor(call, visit)
    return await answer_posted(visit, await post_photo(visit, request, request.client_ref))


@writes(
    "mark_delivery_chat_read",
    audience=PUBLIC,
    feature=Feature.ORDER_CHAT,
    limits=ACCESS_LIMITS,
    errors=(DELIVERY_ACCESS_INVALID,),
    interfaces=(Rest("POST", f"{PATH}/marks"), GraphQL("markDeliveryChatRead")),
)
async def mark_delivery_chat_read(call: Call, request: MarkDeliveryChatRead) -> DeliveryChatMark:
    """Mark your delivery's messages as delivered or read."""
    visit = await visit_as_recipient(call, request)
    record_actor(call, visit)
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
    interfaces=(Rest("POST", f"{PATH}/reports"), GraphQL("reportDeliveryChatMessage")),
)
async def report_delivery_chat_message(call: Call, request: ReportDeliveryChatMessage) -> Done:
    """Report a message in your delivery's chat.

    Staff will review it.
    """
    visit = await visit_as_recipient(call, request)
    record_actor(call, visit)
    await report_message(visit, request.message_id, request.reason.value, request.note)
    return Done(message=call.translate("chat_message_reported"))


@reads(
    "get_delivery_chat_photo",
    audience=PUBLIC,
    feature=Feature.ORDER_CHAT,
    limits=ACCESS_LIMITS,
    errors=(DELIVERY_ACCESS_INVALID, NOT_FOUND),
    interfaces=(Rest("POST", f"{PATH}/photo"), GraphQL("deliveryChatPhoto")),
)
async def get_delivery_chat_photo(call: Call, request: OpenDeliveryChatPhoto) -> ProofFile:
    """Get a photo from your delivery's chat."""
    visit = await visit_as_recipient(call, request)
    thread = await require_thread(visit, request.message_id)
    row = (await store.get_messages(visit.call.work, [request.message_id])).get(request.message_id)
    if row is None or row.thread_id != thread.id or row.file_id is None:
        raise record_not_found(message_id=request.message_id)
    facts = await get_file_facts(visit.call, [row.file_id])
    content = await get_file_content(visit.call, row.file_id)
    return ProofFile(media_type=facts[row.file_id].media_type, content=b64encode(content).decode())


@writes(
    "open_chat_channel",
    audience=SIGNED_IN,
    scopes={Scope.ORDERS_READ},
    feature=Feature.ORDER_CHAT,
    replayable=False,
    limits=(RateLimit(60, 3600, ("user", "order_id")),),
    errors=(NOT_FOUND,),
    interfaces=(Rest("POST", f"{CHAT_PATH}/channel"), GraphQL("openChatChannel")),
)
async def open_chat_channel(call: Call, request: OrderChatRef) -> ChatChannel:
    """Open an order's chat channel.

    Returns a short-lived ticket for the MQTT broker that publishes the messages of the chat. The ticket allows
    listening to this chat's topic only; messages are sent through the API. Callers who lose access to the order are
    disconnected.
    """
    visit = await visit_chat(call, request.order_id)
    call.add_audit_subjects("order", visit.order_id)
    return await open_channel(visit)


@writes(
    "open_delivery_chat_channel",
    audience=PUBLIC,
    feature=Feature.ORDER_CHAT,
    replayable=False,
    limits=(RateLimit(60, 3600, ("address",)),),
    errors=(DELIVERY_ACCESS_INVALID,),
    interfaces=(Rest("POST", f"{PATH}/channel"), GraphQL("openDeliveryChatChannel")),
)
async def open_delivery_chat_channel(call: Call, request: DeliveryAccess) -> ChatChannel:
    """Open your delivery's chat channel.

    Returns a short-lived ticket for the MQTT broker that publishes the messages about the delivery.
    """
    visit = await visit_as_recipient(call, request)
    call.signed_in_as = SignedInActor(visit.call.client_id, None, Account.PUBLIC)
    call.add_audit_subjects("order", visit.order_id)
    return await open_channel(visit)


DEVICES_PATH, DELIVERY_DEVICES_PATH = "/v1/push-devices", f"{PATH}/push-devices"
EVERY_ORDER = 0


@writes(
    "register_push_device",
    audience=SIGNED_IN,
    scopes={Scope.ORDERS_WRITE},
    feature=Feature.ORDER_CHAT,
    limits=(RateLimit(60, 3600, ("user",)),),
    errors=(PUSH_KIND_OFF, SCOPES_EXCEEDED),
    interfaces=(Rest("POST", DEVICES_PATH), GraphQL("registerPushDevice")),
)
async def register_push_device(call: Call, request: RegisterPushDevice) -> PushDeviceAnswer:
    """Register a push device for chat messages.

    The browser or app receives a push (`order_chat_message`) for new messages about the caller's orders. The push
    contains the order and the sender, never the text. A repeated registration updates the same device; apps register
    on every start. No push is sent to a user who is reading or has muted the chat.
    """
    owner = call.actor or NOBODY
    device = await actions.register_device(call, request, user_id=owner, order_id=EVERY_ORDER)
    call.add_audit_subjects("user", owner)
    return PushDeviceAnswer(device=device)


@reads(
    "list_push_devices",
    audience=SIGNED_IN,
    scopes={Scope.ORDERS_READ},
    feature=Feature.ORDER_CHAT,
    interfaces=(Rest("GET", DEVICES_PATH), GraphQL("pushDevices")),
)
async def list_push_devices(call: Call, request: ListPushDevices) -> PushDeviceList:
    """List your push devices.

    Includes the data that a browser needs to register. At most 20 devices are stored.
    """
    return await actions.load_devices(call, user_id=call.actor or NOBODY, order_id=EVERY_ORDER)


@writes(
    "remove_push_device",
    audience=SIGNED_IN,
    scopes={Scope.ORDERS_WRITE},
    feature=Feature.ORDER_CHAT,
    errors=(NOT_FOUND,),
    interfaces=(Rest("DELETE", f"{DEVICES_PATH}/{{device_id}}"), GraphQL("removePushDevice")),
)
async def remove_push_device(call: Call, request: RemovePushDevice) -> Done:
    """Remove one of your push devices.

    A device that unregistered itself is removed on the next push.
    """
    owner = call.actor or NOBODY
    await actions.remove_device(call, request.device_id, user_id=owner, order_id=EVERY_ORDER)
    call.add_audit_subjects("user", owner)
    return Done(message=call.translate("push_device_removed"))


@writes(
    "register_delivery_push_device",
    audience=PUBLIC,
    feature=Feature.ORDER_CHAT,
    limits=(RateLimit(30, 3600, ("address",)),),
    errors=(DELIVERY_ACCESS_INVALID, PUSH_KIND_OFF),
    interfaces=(Rest("POST", DELIVERY_DEVICES_PATH), GraphQL("registerDeliveryPushDevice")),
)
async def register_delivery_push_device(call: Call, request: RegisterDeliveryPushDevice) -> PushDeviceAnswer:
    """Register a recipient's browser for chat pushes.

    The browser receives pushes about this delivery only.
    """
    visit = await visit_as_recipient(call, request)
    record_actor(call, visit)
    device = await actions.register_device(visit.call, request, user_id=NOBODY, order_id=visit.order_id)
    return PushDeviceAnswer(device=device)


@reads(
    "list_delivery_push_devices",
    audience=PUBLIC,
    feature=Feature.ORDER_CHAT,
    limits=ACCESS_LIMITS,
    errors=(DELIVERY_ACCESS_INVALID,),
    interfaces=(Rest("POST", f"{DELIVERY_DEVICES_PATH}/list"), GraphQL("deliveryPushDevices")),
)
async def list_delivery_push_devices(call: Call, request: ListDeliveryPushDevices) -> PushDeviceList:
    """List push devices of your delivery."""
    visit = await visit_as_recipient(call, request)
    return await actions.load_devices(visit.call, user_id=NOBODY, order_id=visit.order_id)


@writes(
    "remove_delivery_push_device",
    audience=PUBLIC,
    feature=Feature.ORDER_CHAT,
    limits=ACCESS_LIMITS,
    errors=(DELIVERY_ACCESS_INVALID, NOT_FOUND),
    interfaces=(Rest("POST", f"{DELIVERY_DEVICES_PATH}/remove"), GraphQL("removeDeliveryPushDevice")),
)
async def remove_delivery_push_device(call: Call, request: RemoveDeliveryPushDevice) -> Done:
    """Remove a push device of your delivery."""
    visit = await visit_as_recipient(call, request)
    record_actor(call, visit)
    await actions.remove_device(visit.call, request.device_id, user_id=NOBODY, order_id=visit.order_id)
    return Done(message=call.translate("push_device_removed"))
