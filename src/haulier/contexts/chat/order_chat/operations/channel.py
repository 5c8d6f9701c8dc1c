"""Operations for following a chat through the broker."""

from haulier.contexts.chat.order_chat.actions.channel import open_channel
from haulier.contexts.chat.order_chat.contract.channel import ChatChannel
from haulier.contexts.chat.order_chat.contract.messages import OrderChatRef
from haulier.contexts.chat.order_chat.operations.messages import CHAT_PATH
from haulier.contexts.chat.order_chat.operations.recipients import PATH, PUBLIC, visit_as_recipient
from haulier.contexts.chat.order_chat.queries.visits import visit_chat
from haulier.contexts.recipients.deliveries.contract import DeliveryAccess
from haulier.contexts.recipients.public import DELIVERY_ACCESS_INVALID
from haulier.kernel.call import Call, SignedInActor
from haulier.kernel.operations.declaration import GraphQL, RateLimit, Rest, writes
from haulier.kernel.operations.enums import SIGNED_IN, Account, Feature, Scope
from haulier.kernel.operations.errors import NOT_FOUND


@writes(
    "open_chat_channel",
    audience=SIGNED_IN,
    scopes={Scope.ORDERS_READ},
    feature=Feature.ORDER_CHAT,
    replayable=False,
    limits=(RateLimit(60, 3600, ("user", "order_id")),),
    errors=(NOT_FOUND,),
    doors=(Rest("POST", f"{CHAT_PATH}/channel"), GraphQL("openChatChannel")),
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
    doors=(Rest("POST", f"{PATH}/channel"), GraphQL("openDeliveryChatChannel")),
)
async def open_delivery_chat_channel(call: Call, request: DeliveryAccess) -> ChatChannel:
    """Open your delivery's chat channel.

    Returns a short-lived ticket for the MQTT broker that publishes the messages about the delivery.
    """
    visit = await visit_as_recipient(call, request)
    call.signed_in_as = SignedInActor(visit.call.client_id, None, Account.PUBLIC)
    call.add_audit_subjects("order", visit.order_id)
    return await open_channel(visit)
