"""The topics of a device, the tickets that open them, and the word that there is something for it."""

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
"""The last levels of the topics that a device publishes to, and of those that it listens to."""


class PushToDevice(Struct, frozen=True):
    """The device that has something to do, or may speak no more."""

    device_id: int


def device_topic(channel: Channel, client_id: int, device_id: int, level: str) -> str:
    """A topic of a device: `{prefix}/device/{client}/{device}/{level}`."""
    return make_topic(channel.prefix, "device", client_id, device_id, level)


async def tell_device(call: Call, device_id: int) -> None:
    """After the commit, let a device know that there is something to do, or that it was cut off, on whatever wire it is."""
    call.work.notify(store.COMMANDS_CHANNEL, client_subject(call.client_id, device_id))
    if call.adapter(Channel).configured:
        await call.enqueue(PUSH_JOB, PushToDevice(device_id))


async def open_device_ticket(call: Call, device_id: int) -> IssuedTicket:
    """A ticket for the broker that opens the topics of this device alone. Earlier ones end, and their connections with them."""
    channel = call.adapter(Channel)
    topics = {level: device_topic(channel, call.client_id, device_id, level) for level in (*SAID, *HEARD)}
    # Why a number: the newest ticket is the one that counts.
    holder = TicketHolder(about=TICKETS_ABOUT, about_id=device_id, holder=str(int(call.now.timestamp() * 1_000_000)))
    said, heard = [topics[level] for level in SAID], [topics[level] for level in HEARD]
    issued = await issue_ticket(call, holder, publish=said, subscribe=heard, lifetime=TICKET_LIFE)
    await call.enqueue(PUSH_JOB, PushToDevice(device_id))
    return issued
