"""The frame of a keypad, which is about parcels and therefore not among those of all devices; and the way to the broker."""

from datetime import datetime
from typing import Annotated

from pydantic import Field, SecretStr

from haulier.contexts.lockers.devices.contract.frames import CommandFrame, DeviceFrame, Secret
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request


class CodeFrame(DeviceFrame):
    """What somebody typed or scanned at a cabinet."""

    code: Annotated[SecretStr, Field(min_length=1, max_length=40)]
    """The code."""


class CodeVerdict(Answer):
    """Whether a code opens a door. The same frame again gets the same command."""

    result: bool = True
    accepted: bool
    command: Annotated[CommandFrame | None, doc("The door to open.")]
    tries_left: Annotated[int, doc("How many wrong codes may follow before the keypad rests.")]
    rests_until: Annotated[datetime | None, doc("Until when the keypad takes no code.")]


class OpenDeviceChannel(Request):
    """A device wants to speak MQTT."""

    credential: Secret
    """What the device got when it registered."""


class BrokerTicket(Answer):
    """A name and a password for the broker, for a day. They open the topics of this device alone."""

    addresses: Annotated[list[str], doc("Where the broker is; one is enough.", ["mqtts://broker.example.com:8883"])]
    client_id: Annotated[str, doc("The client identifier with which the device must connect.")]
    username: str
    password: str
    expires_at: Annotated[
        datetime, doc("The broker ends the connection then; the device asks for another ticket before.")
    ]


class DeviceTopics(Answer):
    """The topics of a device, without wildcards."""

    state: Annotated[str, doc("The device publishes how it is, and its will.", "haulier/device/1/7/state")]
    event: Annotated[str, doc("The device publishes all else.", "haulier/device/1/7/event")]
    command: Annotated[str, doc("The device hears what it shall do.", "haulier/device/1/7/command")]
    answer: Annotated[str, doc("The device hears what became of its frames.", "haulier/device/1/7/answer")]


class DeviceChannel(Answer):
    """How a device reaches the broker."""

    result: bool = True
    topics: DeviceTopics
    ticket: Annotated[
        BrokerTicket | None, doc("Null where there is no broker: the device speaks over the other wires.")
    ]
