"""Operations for push devices of users and recipients."""

from haulier.contexts.chat.order_chat.actions import devices
from haulier.contexts.chat.order_chat.contract.devices import (
    ListDeliveryPushDevices,
    ListPushDevices,
    PushDeviceAnswer,
    PushDeviceList,
    RegisterDeliveryPushDevice,
    RegisterPushDevice,
    RemoveDeliveryPushDevice,
    RemovePushDevice,
)
from haulier.contexts.chat.order_chat.operations.recipients import PATH, PUBLIC, note_actor, visit_as_recipient
from haulier.contexts.chat.order_chat.rules.devices import PUSH_KIND_OFF
from haulier.contexts.chat.order_chat.rules.parties import NOBODY
from haulier.contexts.recipients.public import ACCESS_LIMITS, DELIVERY_ACCESS_INVALID
from haulier.kernel.call import Call
from haulier.kernel.operations.answers import Done
from haulier.kernel.operations.declaration import GraphQL, RateLimit, Rest, reads, writes
from haulier.kernel.operations.enums import SIGNED_IN, Feature, Scope
from haulier.kernel.operations.errors import NOT_FOUND, SCOPES_EXCEEDED

DEVICES_PATH, DELIVERY_DEVICES_PATH = "/v1/push-devices", f"{PATH}/push-devices"
EVERY_ORDER = 0


@writes(
    "register_push_device",
    audience=SIGNED_IN,
    scopes={Scope.ORDERS_WRITE},
    feature=Feature.ORDER_CHAT,
    limits=(RateLimit(60, 3600, ("user",)),),
    errors=(PUSH_KIND_OFF, SCOPES_EXCEEDED),
    doors=(Rest("POST", DEVICES_PATH), GraphQL("registerPushDevice")),
)
async def register_push_device(call: Call, request: RegisterPushDevice) -> PushDeviceAnswer:
    """Register a push device for chat messages.

    The browser or app receives a push (`order_chat_message`) for new messages about the caller's orders. The push
    contains the order and the sender, never the text. A repeated registration updates the same device; apps register
    on every start. No push is sent to a user who is reading or has muted the chat.
    """
    owner = call.actor or NOBODY
    device = await devices.register_device(call, request, user_id=owner, order_id=EVERY_ORDER)
    call.add_audit_subjects("user", owner)
    return PushDeviceAnswer(device=device)


@reads(
    "list_push_devices",
    audience=SIGNED_IN,
    scopes={Scope.ORDERS_READ},
    feature=Feature.ORDER_CHAT,
    doors=(Rest("GET", DEVICES_PATH), GraphQL("pushDevices")),
)
async def list_push_devices(call: Call, request: ListPushDevices) -> PushDeviceList:
    """List your push devices.

    Includes the data that a browser needs to register. At most 20 devices are stored.
    """
    return await devices.load_devices(call, user_id=call.actor or NOBODY, order_id=EVERY_ORDER)


@writes(
    "remove_push_device",
    audience=SIGNED_IN,
    scopes={Scope.ORDERS_WRITE},
    feature=Feature.ORDER_CHAT,
    errors=(NOT_FOUND,),
    doors=(Rest("DELETE", f"{DEVICES_PATH}/{{device_id}}"), GraphQL("removePushDevice")),
)
async def remove_push_device(call: Call, request: RemovePushDevice) -> Done:
    """Remove one of your push devices.

    A device that unregistered itself is removed on the next push.
    """
    owner = call.actor or NOBODY
    await devices.remove_device(call, request.device_id, user_id=owner, order_id=EVERY_ORDER)
    call.add_audit_subjects("user", owner)
    return Done(message=call.translate("push_device_removed"))


@writes(
    "register_delivery_push_device",
    audience=PUBLIC,
    feature=Feature.ORDER_CHAT,
    limits=(RateLimit(30, 3600, ("address",)),),
    errors=(DELIVERY_ACCESS_INVALID, PUSH_KIND_OFF),
    doors=(Rest("POST", DELIVERY_DEVICES_PATH), GraphQL("registerDeliveryPushDevice")),
)
async def register_delivery_push_device(call: Call, request: RegisterDeliveryPushDevice) -> PushDeviceAnswer:
    """Register a recipient's browser for chat pushes.

    The browser receives pushes about this delivery only.
    """
    visit = await visit_as_recipient(call, request)
    note_actor(call, visit)
    device = await devices.register_device(visit.call, request, user_id=NOBODY, order_id=visit.order_id)
    return PushDeviceAnswer(device=device)


@reads(
    "list_delivery_push_devices",
    audience=PUBLIC,
    feature=Feature.ORDER_CHAT,
    limits=ACCESS_LIMITS,
    errors=(DELIVERY_ACCESS_INVALID,),
    doors=(Rest("POST", f"{DELIVERY_DEVICES_PATH}/list"), GraphQL("deliveryPushDevices")),
)
async def list_delivery_push_devices(call: Call, request: ListDeliveryPushDevices) -> PushDeviceList:
    """List push devices of your delivery."""
    visit = await visit_as_recipient(call, request)
    return await devices.load_devices(visit.call, user_id=NOBODY, order_id=visit.order_id)


@writes(
    "remove_delivery_push_device",
    audience=PUBLIC,
    feature=Feature.ORDER_CHAT,
    limits=ACCESS_LIMITS,
    errors=(DELIVERY_ACCESS_INVALID, NOT_FOUND),
    doors=(Rest("POST", f"{DELIVERY_DEVICES_PATH}/remove"), GraphQL("removeDeliveryPushDevice")),
)
async def remove_delivery_push_device(call: Call, request: RemoveDeliveryPushDevice) -> Done:
    """Remove a push device of your delivery."""
    visit = await visit_as_recipient(call, request)
    note_actor(call, visit)
    await devices.remove_device(visit.call, request.device_id, user_id=NOBODY, order_id=visit.order_id)
    return Done(message=call.translate("push_device_removed"))
