"""Request and response models for keypads, offline codes and broker tickets."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field, SecretStr

from haulier.contexts.lockers.devices.contract import FAULT_MAX, CommandFrame, DeviceFrame, Secret, Sequence
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.client_keys import ClientKey
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import NO_NUL
from haulier.kernel.operations.ids import LockerCodeId
from haulier.kernel.values.moments import Moment

OPENINGS_MAX = 100
"""Maximum number of doors per frame."""


class CodeFrame(DeviceFrame):
    """A code entered or scanned at a locker."""

    code: Annotated[SecretStr, Field(min_length=1, max_length=40)]
    """The code."""


class CodeVerdict(Answer):
    """Result of a code. The same frame returns the same command."""

    result: bool = True
    accepted: bool
    command: Annotated[CommandFrame | None, doc("Door to open.")]
    tries_left: Annotated[int, doc("Number of wrong codes left before the keypad is locked.")]
    rests_until: Annotated[datetime | None, doc("Time until which the keypad accepts no codes.")]


class OfflineCodesFrame(DeviceFrame):
    """Request of a locker for its offline codes."""


class OfflineCode(Answer):
    """Proof of a code and the compartment that it opens."""

    code_id: Annotated[LockerCodeId, doc("ID of the code in the journal.")]
    box: Annotated[int, doc("Number of the compartment in its locker.")]
    purpose: Annotated[str, doc("deposit or collect.", "collect")]
    not_before: Annotated[int, doc("Start of validity in Unix seconds.", 1781100000)]
    not_after: Annotated[int, doc("End of validity in Unix seconds.", 1781186400)]
    proof: Annotated[
        str,
        doc(
            "HMAC-SHA256 in hexadecimal digits over `code_id:box:purpose:not_before:not_after:digest`, where the digest is the"
            " SHA-256 of `prefix` and the code, in hexadecimal digits. The key is the HMAC-SHA256 of `offline_codes` with the"
            " SHA-256 of the device's credential as its key."
        ),
    ]


class OfflineCodes(Answer):
    """Offline codes of a locker. They replace all earlier ones; each code opens once."""

    result: bool = True
    prefix: Annotated[str, doc("Prefix of a code for its digest.", "locker:1:7:")]
    codes: list[OfflineCode]
    tries_max: Annotated[int, doc("Wrong codes before the keypad is locked.")]
    rest_s: Annotated[int, doc("Duration of the lockout in seconds.")]
    renew_after_s: Annotated[int, doc("Seconds after which to sync again. Also sync after each door.")]
    server_time: Annotated[datetime, doc("Server time, to set the device's clock. Without the time, no code is valid.")]


class OfflineOpening(Request):
    """A door that a locker opened offline, or a failed attempt."""

    sequence: Annotated[Sequence, ClientKey()]
    """Number of the `code` frame that got no response, or that could not be sent."""
    code_id: LockerCodeId
    """Value as encoded in the code."""
    box: Annotated[int, Field(ge=1)]
    """Compartment that was opened, as given by the code."""
    purpose: Literal["deposit", "collect"]
    """Value as encoded in the code."""
    opened_at: Moment
    """Time of sending, by the device's clock."""
    outcome: Literal["done", "failed"] = "done"
    """Outcome of the opening."""
    fault: Annotated[str, Field(max_length=FAULT_MAX, pattern=NO_NUL)] | None = Field(
        default=None, examples=["door stuck"]
    )
    """Reason for the failure."""


class OfflineOpeningsFrame(DeviceFrame):
    """Journal of a locker that was offline."""

    sent_at: Moment
    """Time of sending, by the device's clock."""
    openings: list[OfflineOpening] = Field(default=[], max_length=OPENINGS_MAX)
    """Openings in chronological order. Further ones follow in more frames."""
    wrong_codes: int = Field(default=0, ge=0, le=1000)
    """Number of wrong codes since the last valid one."""


class OfflineReceipt(Answer):
    """Result for one door."""

    sequence: int
    status: Annotated[
        str,
        doc(
            "settled; repeated if it was already known; contradicted if the parcel had left the compartment or belonged"
            " elsewhere: the compartment is out of use until staff check it; unknown if the locker has no such parcel.",
            "settled",
        ),
    ]


class OfflineOpeningsReceipt(Answer):
    """Results of a journal. Its entries can be deleted."""

    result: bool = True
    openings: list[OfflineReceipt]


class OpenDeviceChannel(Request):
    """Request of a device for a broker ticket."""

    credential: Secret
    """Credential issued at registration."""


class BrokerTicket(Answer):
    """Broker credentials, valid for a day for the topics of this device only."""

    addresses: Annotated[
        list[str], doc("Addresses of the broker; any of them works.", ["mqtts://broker.example.com:8883"])
    ]
    client_id: Annotated[str, doc("Client identifier that the device must use.")]
    username: str
    password: str
    expires_at: Annotated[datetime, doc("Time when the broker closes the connection. Request a new ticket before.")]


class DeviceTopics(Answer):
    """Topics of a device, without wildcards."""

    state: Annotated[str, doc("Topic for the state of the device and its last will.", "haulier/device/1/7/state")]
    event: Annotated[str, doc("Topic for all other frames of the device.", "haulier/device/1/7/event")]
    command: Annotated[str, doc("Topic with commands for the device.", "haulier/device/1/7/command")]
    answer: Annotated[str, doc("Topic with responses to the device's frames.", "haulier/device/1/7/answer")]


class DeviceChannel(Answer):
    """Broker access of a device."""

    result: bool = True
    topics: DeviceTopics
    ticket: Annotated[
        BrokerTicket | None, doc("Broker ticket. Null without a broker: the device uses other transports.")
    ]
