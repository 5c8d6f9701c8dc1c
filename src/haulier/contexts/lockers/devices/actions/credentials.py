"""Writes of devices for other families: credentials.

They replace the device's credential in frames of a verified connection. Only this server issues them, and none leaves
it. Each frame checks that the device may still connect.

Only digests of both are stored.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from msgspec import Struct
from msgspec.structs import replace
from pydantic import SecretStr

from haulier.contexts.lockers.devices.rules import (
    CODE,
    CODE_LIFE,
    CREDENTIAL,
    DEVICE_CODE_REFUSED,
    DEVICE_NOT_USABLE,
    DEVICE_UNKNOWN,
    DeviceState,
)
from haulier.contexts.lockers.devices.store import devices as devices_store
from haulier.contexts.lockers.devices.store.devices import DeviceKeyRow, DeviceRow, HeardDeviceRow
from haulier.contexts.messaging.public import (
    Channel,
    IssuedTicket,
    TicketHolder,
    issue_ticket,
    make_topic,
)
from haulier.kernel.call import Call, SignedInActor
from haulier.kernel.data.notices import client_subject
from haulier.kernel.operations.enums import Account
from haulier.kernel.principal import Principal
from haulier.kernel.values.ids import hash_token, make_opaque_token
from haulier.kernel.values.sealing import SealedKind, seal, unseal

_MARK = "hlwire_"


def make_pass(client_id: int, device_id: int) -> str:
    """Return the pass that replaces the credential in frames of a device's connection."""
    return _MARK + seal(SealedKind.DEVICE_PASS, f"{client_id}_{device_id}".encode())


def read_pass(shown: str) -> tuple[int, int] | None:
    """Return the client and the device of a pass, or None for other text."""
    content = unseal(SealedKind.DEVICE_PASS, shown.removeprefix(_MARK)) if shown.startswith(_MARK) else None
    if content is None:
        return None
    client_id, device_id = content.split(b"_")
    return int(client_id), int(device_id)


PUSH_JOB = "lockers.push_to_device"
DEVICE_NOTICES = devices_store.COMMANDS_CHANNEL
TICKETS_ABOUT = "device"
TICKET_LIFE = timedelta(hours=24)
SAID, HEARD = ("state", "event"), ("command", "answer")
"""Last levels of the topics that a device publishes to, and of those that it subscribes to."""


class PushToDevice(Struct, frozen=True):
    """Job for a device that has commands or was revoked."""

    device_id: int


def device_topic(channel: Channel, client_id: int, device_id: int, level: str) -> str:
    """Return a topic of a device: `{prefix}/device/{client}/{device}/{level}`."""
    return make_topic(channel.prefix, "device", client_id, device_id, level)


async def notify_device(call: Call, device_id: int) -> None:
    """After the commit, notify a device of commands or its revocation."""
    call.work.notify(devices_store.COMMANDS_CHANNEL, client_subject(call.client_id, device_id))
    if call.adapter(Channel).configured:
        await call.enqueue(PUSH_JOB, PushToDevice(device_id))


async def open_device_ticket(call: Call, device_id: int) -> IssuedTicket:
    """Issue a broker ticket for the topics of this device alone.

    Earlier tickets and their connections end.
    """
    channel = call.adapter(Channel)
    topics = {level: device_topic(channel, call.client_id, device_id, level) for level in (*SAID, *HEARD)}
    # The number identifies the newest ticket, the only valid one.
    holder = TicketHolder(about=TICKETS_ABOUT, about_id=device_id, holder=str(int(call.now.timestamp() * 1_000_000)))
    said, heard = [topics[level] for level in SAID], [topics[level] for level in HEARD]
    issued = await issue_ticket(call, holder, publish=said, subscribe=heard, lifetime=TICKET_LIFE)
    await call.enqueue(PUSH_JOB, PushToDevice(device_id))
    return issued


_ITSELF = "a device that showed its code or credential acts for its own client"


async def issue_code(call: Call, device: DeviceRow) -> tuple[str, datetime]:
    """Issue a registration code and revoke earlier keys.

    Raises `DEVICE_NOT_USABLE` if the device is decommissioned.
    """
    if device.status == DeviceState.DECOMMISSIONED:
        raise DEVICE_NOT_USABLE(status=device.status)
    await devices_store.end_keys(call.work, device.id, call.now)
    expires_at = call.now + CODE_LIFE
    code = make_opaque_token("hldevcode")
    await _store_key(call, device.id, CODE, code, expires_at)
    return code, expires_at


async def revoke_keys(call: Call, device: DeviceRow, state: DeviceState) -> None:
    """Revoke the code and the credential of a device."""
    await devices_store.end_keys(call.work, device.id, call.now)
    await DeviceRow.update(call.work, device.id, {"status": state.value, "session_sequence": None})
    await notify_device(call, device.id)


async def register_by_code(
    call: Call, code: SecretStr, serial: str, firmware: str | None = None
) -> tuple[Call, DeviceRow, str]:
    """Register a device by its code.

    Returns a call on behalf of the device, the device, and its new credential. Raises `DEVICE_CODE_REFUSED`.
    """
    key = await devices_store.find_key(call.work, hash_token(code.get_secret_value()), lock=True)
    if key is None or key.purpose != CODE or key.ended_at or (key.expires_at and key.expires_at <= call.now):
        raise DEVICE_CODE_REFUSED()
    own = await _act_for(call, key.client_id)
    device = await DeviceRow.lock(own.work, key.device_id)
    if device is None or device.serial != serial or device.status == DeviceState.DECOMMISSIONED:
        raise DEVICE_CODE_REFUSED()
    await devices_store.end_keys(own.work, device.id, call.now)
    credential = make_opaque_token("hldevice")
    await _store_key(own, device.id, CREDENTIAL, credential, None)
    began: dict[str, Any] = {
        "status": DeviceState.ACTIVE.value,
        "registered_at": call.now,
        "last_seen_at": call.now,
        "last_sequence": 0,
        "code_sequence": 0,
        "session_sequence": None,
        "gone_at": None,
    }
    if firmware:
        began |= {"firmware": firmware, "telemetry": {**device.telemetry, "firmware": firmware}}
    await DeviceRow.update(own.work, device.id, began)
    return own, device, credential


async def act_as_device(call: Call, credential: SecretStr, *, lock: bool = False) -> tuple[Call, DeviceRow]:
    """Return a call on behalf of the device with this credential.

    Raises `DEVICE_UNKNOWN`.
    """
    client_id, device_id = await _find_device_ids(call, credential)
    own = await _act_for(call, client_id)
    device = await (DeviceRow.lock if lock else DeviceRow.get)(own.work, device_id)
    if device is None or device.status != DeviceState.ACTIVE:
        raise DEVICE_UNKNOWN()
    return own, device


async def record_contact(call: Call, credential: SecretStr) -> tuple[Call, HeardDeviceRow]:
    """Return a call and the device for a heartbeat, without a lock.

    Raises `DEVICE_UNKNOWN`.
    """
    client_id, device_id = await _find_device_ids(call, credential)
    own = replace(call, work=call.work.for_tenant(client_id, _ITSELF))
    device = await devices_store.get_heard_device(own.work, device_id, call.now)
    if device is None or device.status != DeviceState.ACTIVE:
        raise DEVICE_UNKNOWN()
    return own, device


async def _find_device_ids(call: Call, credential: SecretStr) -> tuple[int, int]:
    """Return the client and the device of a credential or connection pass.

    Raises `DEVICE_UNKNOWN`.
    """
    shown = credential.get_secret_value()
    if proven := read_pass(shown):
        return proven
    key = await devices_store.find_key(call.work, hash_token(shown))
    if key is None or key.purpose != CREDENTIAL or key.ended_at:
        raise DEVICE_UNKNOWN()
    return key.client_id, key.device_id


async def _act_for(call: Call, client_id: int) -> Call:
    business = await call.app.identity.business(call.work, client_id)
    call.signed_in_as = SignedInActor(client_id, None, Account.PUBLIC)
    work = call.work.for_tenant(client_id, _ITSELF)
    principal = Principal(Account.PUBLIC, business=business)
    return replace(call, app=call.app.of_business(business), principal=principal, work=work)


async def _store_key(call: Call, device_id: int, purpose: str, secret: str, expires_at: datetime | None) -> None:
    values = {"device_id": device_id, "purpose": purpose, "key_sha256": hash_token(secret)}
    await DeviceKeyRow.insert(
        call.work, **{**values, "expires_at": expires_at, "ended_at": None, "created_at": call.now}
    )


async def record_codes(call: Call, device_id: int, values: Mapping[str, Any]) -> None:
    """Record the number of wrong codes and the time until which the keypad is locked."""
    await DeviceRow.update(call.work, device_id, values)
