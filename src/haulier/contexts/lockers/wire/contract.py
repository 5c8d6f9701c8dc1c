"""The frame of a keypad, which is about parcels and therefore not among those of all devices; and the way to the broker."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field, SecretStr

from haulier.contexts.lockers.devices.contract.devices import FAULT_MAX
from haulier.contexts.lockers.devices.contract.frames import CommandFrame, DeviceFrame, Secret, Sequence
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.client_keys import ClientKey
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import NO_NUL, RecordId
from haulier.kernel.values.moments import Moment

OPENINGS_MAX = 100
"""The doors in one frame."""


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


class OfflineCodesFrame(DeviceFrame):
    """A cabinet asks what it may judge by itself while it cannot ask."""


class OfflineCode(Answer):
    """What a code opens, and how it is known without knowing it."""

    code_id: Annotated[int, doc("What the journal calls it.")]
    box: Annotated[int, doc("Number of the compartment in its locker.")]
    purpose: Annotated[str, doc("deposit or collect.", "collect")]
    not_before: Annotated[int, doc("It opens nothing before, in Unix seconds.", 1781100000)]
    not_after: Annotated[int, doc("It opens nothing later, in Unix seconds.", 1781186400)]
    proof: Annotated[
        str,
        doc(
            "HMAC-SHA256 in hexadecimal digits over `code_id:box:purpose:not_before:not_after:digest`, where the digest is the"
            " SHA-256 of `prefix` and the code, in hexadecimal digits. The key is the HMAC-SHA256 of `offline_codes` with the"
            " SHA-256 of the device's credential as its key."
        ),
    ]


class OfflineCodes(Answer):
    """What a cabinet may judge by itself. It replaces all that it knew; each code opens once."""

    result: bool = True
    prefix: Annotated[str, doc("What stands before a code when its digest is made.", "locker:1:7:")]
    codes: list[OfflineCode]
    tries_max: Annotated[int, doc("After so many wrong codes the keypad rests.")]
    rest_s: Annotated[int, doc("It rests for so many seconds.")]
    renew_after_s: Annotated[int, doc("Ask again after so many seconds, and after each door.")]
    server_time: Annotated[datetime, doc("To set the device's clock by; without the time it opens nothing.")]


class OfflineOpening(Request):
    """A door that a cabinet opened by itself, or could not."""

    sequence: Annotated[Sequence, ClientKey()]
    """The number of the frame `code` that could not be asked; the same if it was sent without an answer."""
    code_id: RecordId
    """As the codes had it."""
    box: Annotated[int, Field(ge=1)]
    """As the codes had it: the box that was opened."""
    purpose: Literal["deposit", "collect"]
    """As the codes had it."""
    opened_at: Moment
    """Time of sending, by the device's clock."""
    outcome: Literal["done", "failed"] = "done"
    """Whether the door opened."""
    fault: Annotated[str, Field(max_length=FAULT_MAX, pattern=NO_NUL)] | None = Field(
        default=None, examples=["door stuck"]
    )
    """Why it did not."""


class OfflineOpeningsFrame(DeviceFrame):
    """The journal of a cabinet that could not ask."""

    sent_at: Moment
    """Time of sending, by the device's clock."""
    openings: list[OfflineOpening] = Field(default=[], max_length=OPENINGS_MAX)
    """Its doors, the first first; more of them in further frames."""
    wrong_codes: int = Field(default=0, ge=0, le=1000)
    """How many wrong codes were typed since the last right one."""


class OfflineReceipt(Answer):
    """What we made of one door."""

    sequence: int
    status: Annotated[
        str,
        doc(
            "settled; repeated where it was known; contradicted where the parcel had left the box, or was not to be put into"
            " it: the box is out of use until somebody has looked; unknown where it is no parcel of this cabinet.",
            "settled",
        ),
    ]


class OfflineOpeningsReceipt(Answer):
    """What we made of a journal. What is in it can be forgotten."""

    result: bool = True
    openings: list[OfflineReceipt]


class OpenDeviceChannel(Request):
    """A device wants to speak MQTT."""

    credential: Secret
    """Credential issued at registration."""


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
