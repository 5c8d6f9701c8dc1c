"""The lives of devices and of their commands."""

from datetime import datetime, timedelta
from enum import StrEnum

from haulier.kernel.operations.errors import OperationError, declare_error
from haulier.kernel.values.state_machine import StateMachine

DEVICE_SERIAL_TAKEN = declare_error("device_serial_taken", 409)
DEVICE_NOT_USABLE = declare_error("device_not_usable", 409)
DEVICE_CODE_REFUSED = declare_error("device_code_refused", 401)
DEVICE_UNKNOWN = declare_error("device_unknown", 401)

CODE, CREDENTIAL = "code", "credential"
"""The purposes of a device's keys: it registers with the one, once, and shows the other from then on."""
CODE_LIFE = timedelta(hours=24)
OPEN_LIFE = timedelta(seconds=30)
"""A door is opened so soon or not at all: who asked for it stands in front of it."""
COMMAND_LIFE = timedelta(hours=24)
SAMPLE_EVERY = timedelta(minutes=10)
"""What a device says of itself is kept so often; its row has what it said last."""
SILENCE = timedelta(minutes=2)
"""A device that was not heard of for so long is not there: four heartbeats."""


class DeviceState(StrEnum):
    """Whether a device may speak to us."""

    NEW = "new"
    """It was never registered."""
    ACTIVE = "active"
    REVOKED = "revoked"
    """Its credential was taken away; with a new code it registers again."""
    DECOMMISSIONED = "decommissioned"


class DeviceCommand(StrEnum):
    """What a device can be asked to do."""

    OPEN = "open"
    REBOOT = "reboot"
    RING = "ring"
    CONFIG = "config"
    UPDATE = "update"


class DoorPurpose(StrEnum):
    """Why a door is opened."""

    DEPOSIT = "deposit"
    COLLECT = "collect"
    RETRIEVE = "retrieve"
    INSPECT = "inspect"
    """People of the office look; what is in the box stays whose it is."""


class CommandState(StrEnum):
    """How far a command is."""

    QUEUED = "queued"
    SENT = "sent"
    """The device may have it."""
    ACKNOWLEDGED = "acknowledged"
    """The device has it and began."""
    DONE = "done"
    FAILED = "failed"
    EXPIRED = "expired"
    """The device said nothing in time. What it says later is still written down: a door that opened did open."""


class CommandStep(StrEnum):
    """What happens to a command."""

    SEND = "send"
    ACKNOWLEDGE = "acknowledged"
    FINISH = "done"
    FAIL = "failed"
    EXPIRE = "expire"


_S = CommandState
_WAITING = (_S.QUEUED, _S.SENT, _S.ACKNOWLEDGED)
WAITING = frozenset(_WAITING)
"""States of a command that is not over."""
OVER = frozenset({_S.DONE, _S.FAILED, _S.EXPIRED})


def _refused(step: CommandStep, state: CommandState) -> OperationError:
    return DEVICE_NOT_USABLE(status=state.value)


COMMAND_LIFE_CYCLE = StateMachine(
    {
        CommandStep.SEND: {_S.QUEUED: _S.SENT, _S.SENT: _S.SENT},
        CommandStep.ACKNOWLEDGE: {_S.QUEUED: _S.ACKNOWLEDGED, _S.SENT: _S.ACKNOWLEDGED},
        CommandStep.FINISH: dict.fromkeys((*_WAITING, _S.EXPIRED), _S.DONE),
        CommandStep.FAIL: dict.fromkeys((*_WAITING, _S.EXPIRED), _S.FAILED),
        CommandStep.EXPIRE: dict.fromkeys(_WAITING, _S.EXPIRED),
    },
    created={_S.QUEUED: "request"},
    error=_refused,
)


def life_of(command: DeviceCommand) -> timedelta:
    """For how long a command may be begun."""
    return OPEN_LIFE if command is DeviceCommand.OPEN else COMMAND_LIFE


def is_online(last_seen_at: datetime | None, gone_at: datetime | None, now: datetime) -> bool:
    """Whether a device is there."""
    return last_seen_at is not None and gone_at is None and now - last_seen_at < SILENCE


def mermaid() -> str:
    """The life of a command as a diagram."""
    return COMMAND_LIFE_CYCLE.mermaid()
