"""The frames of a device: the same on every wire. Over HTTP each is the body of a request or of its answer, and
shows the credential, which a wire that keeps a connection shows once."""

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
    """A device that shows the code that people made for it."""

    code: Secret
    """The code. It works once."""
    serial: Serial
    """What is printed on the device; it must be the one that the code was made for."""
    firmware: Short | None = Field(default=None, examples=["2.4.1"])
    """The version that it runs."""


class DeviceFrame(Request):
    """What every frame of a device begins with."""

    credential: Secret
    """What the device got when it registered."""
    sequence: Sequence
    """Counts the device's frames. The same frame again has the same number."""


class DoorState(Request):
    """What the sensor of a door says."""

    box: int = Field(ge=1, le=100_000)
    """The box's number in its cabinet."""
    open: bool
    """Whether the door is open."""


class StateFrame(DeviceFrame):
    """The heartbeat: how a device is."""

    sent_at: Moment
    """By the device's own clock."""
    firmware: Short | None = Field(default=None, examples=["2.4.1"])
    battery_pct: int | None = Field(default=None, ge=0, le=100)
    network: Short | None = Field(default=None, examples=["lte"])
    temperature_c: float | None = Field(default=None, ge=-100, le=150)
    mains: bool | None = None
    """Whether it has mains power."""
    settings: Settings | None = None
    """Its settings, all of them, when they changed."""
    doors: list[DoorState] = Field(default=[], max_length=DOORS_MAX)
    """Doors that changed since the last frame, or all."""
    session: Literal["begin", "end"] | None = None
    """On a wire that keeps a connection: `begin` in its first frame. `end` is its will, with the number of that first frame:
    the broker says it for a device that is gone."""


class PollFrame(Request):
    """A device asks for commands."""

    credential: Secret
    """What the device got when it registered."""
    sequence: Sequence | None = None
    """Counts the device's frames, so that it knows what an answer answers."""
    wait_s: int = Field(default=0, ge=0, le=WAIT_MAX_S)
    """How long to wait for one where none is there."""


class OutcomeFrame(DeviceFrame):
    """What became of a command."""

    command_id: RecordId
    outcome: Literal["acknowledged", "done", "failed"]
    """`acknowledged` when it is begun, `done` or `failed` when it is over."""
    fault: Annotated[str, Field(max_length=FAULT_MAX, pattern=NO_NUL)] | None = Field(
        default=None, examples=["door stuck"]
    )
    """Why it failed."""


class CommandFrame(Answer):
    """What a device shall do. It does each command once, whatever it gets twice."""

    id: int
    command: Annotated[str, doc("open, reboot, ring, config or update.", "open")]
    box: Annotated[int | None, doc("Of `open`: the box's number in its cabinet.")]
    settings: Annotated[
        dict[str, Any],
        doc(
            "Of `config` the settings; of `update` release_id, version, path, size_bytes and sha256 of the file to install.",
            {"volume": "7"},
        ),
    ]
    answers_frame: Annotated[
        int | None,
        doc("The number of the frame `code` that it comes of: who judged that code itself opens nothing again."),
    ]
    expires_at: Annotated[datetime, doc("It must not be begun after this.")]


class CommandPush(CommandFrame):
    """A command that a device gets without asking."""

    type: Literal["command"] = "command"


class RegisteredDevice(Answer):
    """A device that is registered. The credential is shown here and never again."""

    result: bool = True
    device_id: int
    credential: Annotated[str, doc("It stands in every frame of the device.")]


class StateReceipt(Answer):
    """What we made of a heartbeat."""

    result: bool = True
    stale: Annotated[bool, doc("A later frame came before it, so that it changed nothing.")]
    server_time: Annotated[datetime, doc("To set the device's clock by.")]
    clock_offset_s: Annotated[int, doc("By how many seconds the device's clock is ahead.")]
    commands_waiting: int


class CommandFrames(Answer):
    """The commands that wait, the oldest first."""

    result: bool = True
    commands: list[CommandFrame]


class OutcomeReceipt(Answer):
    """What we made of an outcome."""

    result: bool = True
    command_id: int
    status: Annotated[str, doc("queued, sent, acknowledged, done, failed or expired.", "done")]
    repeated: Annotated[bool, doc("It was known before, or the command had ended already.")]
