"""Devices that are woken when somebody writes: of people with an account, and of recipients."""

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
    """Have a browser or an app of one's own woken (`order_chat_message`) when somebody writes about one's orders.

    It is told which order and who wrote, never what. Registered again, it is the same device; apps register whenever they are
    opened. Whoever is reading, or has muted the chat, is not woken.
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
    """List one's own devices that are woken, and what a browser needs to register: at most 20."""
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
    """Wake a device of one's own no more. One that has withdrawn by itself is removed when it is next woken."""
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
    """Have a browser of the recipient's woken when somebody writes about this delivery."""
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
    """The devices that are woken when somebody writes about one's own delivery."""
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
    """Wake a device no more when somebody writes about one's own delivery."""
    visit = await visit_as_recipient(call, request)
    note_actor(call, visit)
    await devices.remove_device(visit.call, request.device_id, user_id=NOBODY, order_id=visit.order_id)
    return Done(message=call.translate("push_device_removed"))
