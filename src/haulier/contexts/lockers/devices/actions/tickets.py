"""Topics of devices, the tickets that open them, and wake-up notices."""

from datetime import timedelta

from msgspec import Struct

from haulier.contexts.lockers.devices.store import devices as store
from haulier.contexts.messaging.public import (
    Channel,
    IssuedTicket,
    TicketHolder,
    issue_ticket,
    make_topic,
)
from haulier.kernel.call import Call
from haulier.kernel.data.notices import client_subject

PUSH_JOB = "lockers.push_to_device"
DEVICE_NOTICES = store.COMMANDS_CHANNEL
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


async def tell_device(call: Call, device_id: int) -> None:
    """After the commit, notify a device of commands or its revocation."""
    call.work.notify(store.COMMANDS_CHANNEL, client_subject(call.client_id, device_id))
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
