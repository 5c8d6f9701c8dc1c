"""The lives of devices and of their commands."""

import hashlib
import re
from datetime import datetime, timedelta
from enum import StrEnum

from haulier.kernel.operations.errors import OperationError, declare_error
from haulier.kernel.values.state_machine import StateMachine

DEVICE_SERIAL_TAKEN = declare_error("device_serial_taken", 409)
DEVICE_NOT_USABLE = declare_error("device_not_usable", 409)
DEVICE_CODE_REFUSED = declare_error("device_code_refused", 401)
DEVICE_UNKNOWN = declare_error("device_unknown", 401)

FIRMWARE_VERSION_TAKEN = declare_error("firmware_version_taken", 409)
FIRMWARE_HASH_REFUSED = declare_error("firmware_hash_refused", 422, fields=("sha256",))
FIRMWARE_WITHDRAWN = declare_error("firmware_withdrawn", 409)
FIRMWARE_ROLLOUT_STEP_REFUSED = declare_error("firmware_rollout_step_refused", 409)
FIRMWARE_NOT_FOR_DEVICE = declare_error("firmware_not_for_device", 409)
FIRMWARE_PAUSED = declare_error("firmware_paused", 409)
RANGE_NOT_SATISFIABLE = declare_error("range_not_satisfiable", 416)

FIRMWARE_MAX_BYTES = 16 * 1024 * 1024
"""The largest firmware file: what a controller with a small flash holds, many times over."""
VERSION_PATTERN = r"^[0-9]{1,6}([.][0-9]{1,6}){0,3}(-[0-9a-z.]{1,20})?$"
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


class FirmwareStatus(StrEnum):
    """Whether a release may be installed."""

    AVAILABLE = "available"
    WITHDRAWN = "withdrawn"


class RolloutStatus(StrEnum):
    """How far a roll-out is."""

    DRAFT = "draft"
    RUNNING = "running"
    PAUSED = "paused"
    """Nobody is told, and nobody may download, until it is resumed."""
    COMPLETED = "completed"
    """Every device that it is for is through, with whatever end."""
    CANCELLED = "cancelled"


class RolloutStep(StrEnum):
    """What happens to a roll-out."""

    START = "start"
    PAUSE = "pause"
    RESUME = "resume"
    RETRY = "retry"
    COMPLETE = "complete"
    CANCEL = "cancel"
    CHANGE = "change"


class UpdateStatus(StrEnum):
    """How far a device is with a release."""

    PENDING = "pending"
    DOWNLOADING = "downloading"
    """The device said that it began."""
    INSTALLED = "installed"
    """The device said that it is done, and reports the version."""
    FAILED = "failed"
    EXPIRED = "expired"
    """The device said nothing in time; it is told again when the roll-out is tried again."""
    CANCELLED = "cancelled"


UNDER_WAY = frozenset({UpdateStatus.PENDING, UpdateStatus.DOWNLOADING})
TOLD_AGAIN = frozenset({UpdateStatus.FAILED, UpdateStatus.EXPIRED})
_R = RolloutStatus


def _rollout_refused(step: RolloutStep, status: RolloutStatus) -> OperationError:
    return FIRMWARE_ROLLOUT_STEP_REFUSED(step=step.value, status=status.value)


ROLLOUT_LIFE = StateMachine(
    {
        RolloutStep.START: {_R.DRAFT: _R.RUNNING},
        RolloutStep.PAUSE: {_R.RUNNING: _R.PAUSED},
        RolloutStep.RESUME: {_R.PAUSED: _R.RUNNING},
        RolloutStep.RETRY: dict.fromkeys((_R.RUNNING, _R.PAUSED, _R.COMPLETED), _R.RUNNING),
        RolloutStep.COMPLETE: {_R.RUNNING: _R.COMPLETED},
        RolloutStep.CANCEL: dict.fromkeys((_R.DRAFT, _R.RUNNING, _R.PAUSED), _R.CANCELLED),
        RolloutStep.CHANGE: {_R.DRAFT: _R.DRAFT, _R.RUNNING: _R.RUNNING, _R.PAUSED: _R.PAUSED},
    },
    created={_R.DRAFT: "create"},
    error=_rollout_refused,
)


def version_key(version: str | None) -> tuple[tuple[int, ...], bool, str] | None:
    """What versions are ordered by: their numbers, then a release after what led to it. None for what is no version."""
    if version is None or not re.fullmatch(VERSION_PATTERN, version):
        return None
    numbers, _, early = version.partition("-")
    parts = [int(part) for part in numbers.split(".")]
    return tuple(parts + [0] * (4 - len(parts))), not early, early


def should_install(running: str | None, version: str, *, allow_downgrade: bool) -> bool:
    """Whether a device that runs one version takes another. One that says nothing we can read of itself does."""
    before, after = version_key(running), version_key(version)
    if running == version or before == after:
        return False
    return before is None or after is None or allow_downgrade or before < after


def in_share(release_id: int, device_id: int, share_pct: int) -> bool:
    """Whether a device is in a share of all: always the same ones of a release, other ones of another."""
    digest = hashlib.sha256(f"{release_id}:{device_id}".encode()).digest()
    return int.from_bytes(digest[:8]) % 100 < share_pct


def has_failed_too_often(installed: int, failed: int, *, max_failure_pct: int, min_failures: int) -> bool:
    """Whether a roll-out pauses by itself."""
    return failed >= min_failures and failed * 100 >= max_failure_pct * (installed + failed)


def read_range(asked: str, size: int) -> tuple[int, int] | None:
    """The first byte of a part and the one after its last (RFC 9110, section 14.1.2); None where all of it is asked for.

    A form that is not understood, or of several ranges, asks for all. Raises `RANGE_NOT_SATISFIABLE`.
    """
    found = re.fullmatch(r"bytes=(\d{0,15})-(\d{0,15})", asked.replace(" ", ""), re.ASCII)
    if found is None or found[0] == "bytes=-":
        return None
    first, last = found[1], found[2]
    if first and last and int(last) < int(first):
        return None
    start = int(first) if first else max(size - int(last), 0)
    end = min(int(last) + 1, size) if first and last else size
    if start >= size or start >= end:
        error = RANGE_NOT_SATISFIABLE(size_bytes=size)
        error.headers = {"Content-Range": f"bytes */{size}"}
        raise error
    return start, end


def life_of(command: DeviceCommand) -> timedelta:
    """For how long a command may be begun."""
    return OPEN_LIFE if command is DeviceCommand.OPEN else COMMAND_LIFE


def is_online(last_seen_at: datetime | None, gone_at: datetime | None, now: datetime) -> bool:
    """Whether a device is there."""
    return last_seen_at is not None and gone_at is None and now - last_seen_at < SILENCE


def mermaid() -> str:
    """The life of a command as a diagram."""
    return COMMAND_LIFE_CYCLE.mermaid()
