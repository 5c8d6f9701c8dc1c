"""Frames exchanged with devices, the same over every transport.

Over HTTP each frame is the body of a request or its response and carries the credential. Persistent connections present
the credential once.
"""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field, SecretStr

from haulier.contexts.lockers.devices.contract.devices import FAULT_MAX, Serial, Settings
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import ID_MAX, NO_NUL, RecordId
from haulier.kernel.values.moments import Moment

WAIT_MAX_S = 20
DOORS_MAX = 500

Secret = Annotated[SecretStr, Field(min_length=8, max_length=200)]
Sequence = Annotated[int, Field(ge=1, le=ID_MAX)]
Short = Annotated[str, Field(min_length=1, max_length=60, pattern=NO_NUL)]


class RegisterDevice(Request):
    """Registration of a device with its code."""

    code: Secret
    """Registration code. It works once."""
    serial: Serial
    """Serial number printed on the device. It must match the registration code."""
    firmware: Short | None = Field(default=None, examples=["2.4.1"])
    """Installed firmware version."""


class DeviceFrame(Request):
    """Fields that start every frame of a device."""

    credential: Secret
    """Credential issued at registration."""
    sequence: Sequence
    """Sequence number of the frame. A repeated frame has the same number."""


class DoorState(Request):
    """State of a door sensor."""

    box: int = Field(ge=1, le=100_000)
    """Number of the compartment in its locker."""
    open: bool
    """If true, the door is open."""


class StateFrame(DeviceFrame):
    """Heartbeat with the state of a device."""

    sent_at: Moment
    """Time of sending, by the device's clock."""
    firmware: Short | None = Field(default=None, examples=["2.4.1"])
    battery_pct: int | None = Field(default=None, ge=0, le=100)
    network: Short | None = Field(default=None, examples=["lte"])
    temperature_c: float | None = Field(default=None, ge=-100, le=150)
    mains: bool | None = None
    """If true, the device has mains power."""
    settings: Settings | None = None
    """All settings of the device, sent when they change."""
    doors: list[DoorState] = Field(default=[], max_length=DOORS_MAX)
    """Doors that changed since the last frame, or all doors."""
    session: Literal["begin", "end"] | None = None
    """Persistent connections: `begin` in the first frame; `end` in the last will, with the number of the first frame."""


class PollFrame(Request):
    """Request of a device for its commands."""

    credential: Secret
    """Credential issued at registration."""
    sequence: Sequence | None = None
    """Sequence number of the frame, to match responses with requests."""
    wait_s: int = Field(default=0, ge=0, le=WAIT_MAX_S)
    """Seconds to wait for a command if none is available."""


class OutcomeFrame(DeviceFrame):
    """Outcome of a command."""

    command_id: RecordId
    outcome: Literal["acknowledged", "done", "failed"]
    """Outcome: `acknowledged` when the command starts, then `done` or `failed`."""
    fault: Annotated[str, Field(max_length=FAULT_MAX, pattern=NO_NUL)] | None = Field(
        default=None, examples=["door stuck"]
    )
    """Reason for the failure."""


class CommandFrame(Answer):
    """Command for a device. Commands may be delivered twice and must be executed once."""

    id: int
    command: Annotated[str, doc("open, reboot, ring, config or update.", "open")]
    box: Annotated[int | None, doc("For `open`: number of the compartment in its locker.")]
    settings: Annotated[
        dict[str, Any],
        doc(
            "For `config`: the settings. For `update`: release_id, version, path, size_bytes and sha256 of the file.",
            {"volume": "7"},
        ),
    ]
    answers_frame: Annotated[
        int | None,
        doc(
            "Number of the `code` frame that caused the command. A device that verified the code itself opens no door again."
        ),
    ]
    expires_at: Annotated[datetime, doc("Time by which the command must be started.")]


class CommandPush(CommandFrame):
    """A command pushed to a device."""

    type: Literal["command"] = "command"


class RegisteredDevice(Answer):
    """A registered device. The credential is shown only once."""

    result: bool = True
    device_id: int
    credential: Annotated[str, doc("Credential to send in every frame of the device.")]


class StateReceipt(Answer):
    """Response to a heartbeat."""

    result: bool = True
    stale: Annotated[bool, doc("If true, a later frame arrived first and this one changed nothing.")]
    server_time: Annotated[datetime, doc("Server time, to set the device's clock.")]
    clock_offset_s: Annotated[int, doc("Seconds by which the device's clock is ahead of the server.")]
    commands_waiting: int


class CommandFrames(Answer):
    """Waiting commands, oldest first."""

    result: bool = True
    commands: list[CommandFrame]


class OutcomeReceipt(Answer):
    """Response to the outcome of a command."""

    result: bool = True
    command_id: int
    status: Annotated[str, doc("queued, sent, acknowledged, done, failed or expired.", "done")]
    repeated: Annotated[bool, doc("If true, the outcome was already known or the command had already ended.")]
