"""Registration of devices, and push notifications about new messages."""

import logging
from typing import Any

from msgspec import Struct

from haulier.contexts.chat.order_chat.actions.channel import READ_BY
from haulier.contexts.chat.order_chat.contract.devices import PushDevice, PushDeviceList, PushDeviceWords
from haulier.contexts.chat.order_chat.rules.devices import (
    DEVICES_MAX,
    PUSH_AFTER,
    PUSH_KIND_OFF,
    is_woken,
    parties_to_wake,
)
from haulier.contexts.chat.order_chat.rules.parties import NOBODY, ChatParty, ChatRole
from haulier.contexts.chat.order_chat.store import devices as store
from haulier.contexts.chat.order_chat.store import messages as message_store
from haulier.contexts.chat.order_chat.store import threads as thread_store
from haulier.contexts.chat.order_chat.store.tables import ChatMessageRow, PushDeviceRow
from haulier.contexts.chat.ports import PhonePusher, PushGone, PushKind, PushNote, PushRefused, PushTarget
from haulier.contexts.identity.public import get_set_up_columns, get_users_by_id, list_entitled
from haulier.contexts.orders.public import OrderFacts, get_order_facts
from haulier.kernel.call import Call, call_as_system
from haulier.kernel.job_run import JobRun
from haulier.kernel.operations.enums import Feature
from haulier.kernel.operations.errors import record_not_found
from haulier.kernel.operations.records import record
from haulier.kernel.pipeline.reach import require_can_call
from haulier.kernel.values.ids import hash_token

WAKE_JOB, DEVICE_JOB = "order_chats.wake", "order_chats.wake_device"
log = logging.getLogger("haulier.chat")


class WakeForMessage(Struct, frozen=True, kw_only=True):
    """New message to notify devices about."""

    message_id: int


class WakeDevice(Struct, frozen=True, kw_only=True):
    """Device to notify about a message."""

    message_id: int
    device_id: int


async def register_device(call: Call, said: PushDeviceWords, *, user_id: int, order_id: int) -> PushDevice:
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
    row = await store.put_device(call.work, values)
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


async def wake_later(call: Call, message_id: int) -> None:
    """Schedule notifications about a message after the commit, if push is available."""
    if call.adapter(PhonePusher).kinds:
        await call.enqueue(WAKE_JOB, WakeForMessage(message_id=message_id), run_at=call.now + PUSH_AFTER)


async def wake_for_message(call: Call, message_id: int) -> None:
    """Enqueue a separate job for each device, so that one failure is retried alone."""
    waking = await _load_waking(call, message_id)
    if waking is None:
        return
    people = {party.user_id for party in waking.parties}
    rows = await store.list_devices_for(call.work, people - {NOBODY}, waking.order.id)
    for row in rows:
        if is_woken(row.user_id, waking.parties):
            await call.enqueue(DEVICE_JOB, WakeDevice(message_id=message_id, device_id=row.id))


class _Waking(Struct, frozen=True, kw_only=True):
    """Message, its order, and the parties still to notify."""

    message: ChatMessageRow
    order: OrderFacts
    parties: set[ChatParty]


async def _load_waking(call: Call, message_id: int) -> _Waking | None:
    row = (await message_store.get_messages(call.work, [message_id])).get(message_id)
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
    places = list(await thread_store.list_participants(call.work, row.thread_id))
    sender = ChatParty(ChatRole(row.sender_role), row.sender_user_id)
    parties = parties_to_wake(sender, message_id, holders, places, call.now)
    users = await get_users_by_id(call, {party.user_id for party in parties} - {NOBODY})
    active = {user.id for user in users.values() if user.active} | {NOBODY}
    return _Waking(message=row, order=order, parties={party for party in parties if party.user_id in active})


async def wake_device(run: JobRun, args: WakeDevice) -> None:
    """Notify a device, unless its owner has read the message, muted it or lost access.

    A device that has unregistered is removed. Raises `OSError` if its push service is unavailable.
    """
    async with run.app.database.read(run.client_id) as work:
        call = await call_as_system(run.app, run.client_id, work)
        device = await PushDeviceRow.get(work, args.device_id)
        waking = await _load_waking(call, args.message_id) if device else None
        entitled = device is not None and await _is_entitled(call, device)
    if device is not None and not entitled:
        await _forget(run, device)
        return
    if device is None or waking is None or not is_woken(device.user_id, waking.parties):
        return
    target = PushTarget(kind=PushKind(device.kind), address=device.address, p256dh=device.p256dh, auth=device.auth)
    try:
        await run.app.adapter(PhonePusher).push(target, _note(call, device, waking))
    except PushGone as gone:
        if gone.since is None or device.seen_at <= gone.since:
            await _forget(run, device)
    except PushRefused as error:
        log.warning("a device is not told of a message: %s", error)


async def _is_entitled(call: Call, device: PushDeviceRow) -> bool:
    """Return True if the user or token that registered a device could read chats now."""
    if device.user_id == NOBODY:
        return True
    return bool(await list_entitled(call, {(device.user_id, device.set_up_with)}, READ_BY))


async def _forget(run: JobRun, device: PushDeviceRow) -> None:
    async with run.app.database.write(run.client_id) as work:
        again = await PushDeviceRow.get(work, device.id)
        if again and again.seen_at == device.seen_at:
            await store.delete_devices(work, [device.id])


def _note(call: Call, device: PushDeviceRow, waking: _Waking) -> PushNote:
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
