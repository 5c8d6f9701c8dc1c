"""Life cycles of devices, commands and firmware roll-outs."""

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
"""Largest firmware file, far above the flash size of small controllers."""
VERSION_PATTERN = r"^[0-9]{1,6}([.][0-9]{1,6}){0,3}(-[0-9a-z.]{1,20})?$"
CODE, CREDENTIAL = "code", "credential"
"""Purposes of a device's keys: one-time registration, and authentication afterwards."""
CODE_LIFE = timedelta(hours=24)
OPEN_LIFE = timedelta(seconds=30)
"""Time in which a door must open: the user is standing in front of it."""
COMMAND_LIFE = timedelta(hours=24)
SAMPLE_EVERY = timedelta(minutes=10)
"""Interval at which telemetry is stored. The device's row has the latest values."""
SILENCE = timedelta(minutes=2)
"""Silence after which a device counts as offline: four heartbeats."""


class DeviceState(StrEnum):
    """Access state of a device."""

    NEW = "new"
    """Never registered."""
    ACTIVE = "active"
    REVOKED = "revoked"
    """Credential revoked. The device registers again with a new code."""
    DECOMMISSIONED = "decommissioned"


class DeviceCommand(StrEnum):
    """Kind of command for a device."""

    OPEN = "open"
    REBOOT = "reboot"
    RING = "ring"
    CONFIG = "config"
    UPDATE = "update"


class DoorPurpose(StrEnum):
    """Purpose of opening a door."""

    DEPOSIT = "deposit"
    COLLECT = "collect"
    RETRIEVE = "retrieve"
    INSPECT = "inspect"
    """Staff inspect the compartment; its content stays assigned."""


class CommandState(StrEnum):
    """State of a command."""

    QUEUED = "queued"
    SENT = "sent"
    """The device may have received it."""
    ACKNOWLEDGED = "acknowledged"
    """The device has received and started it."""
    DONE = "done"
    FAILED = "failed"
    EXPIRED = "expired"
    """The device did not respond in time. Later outcomes are still recorded, since a door may have opened."""


class CommandStep(StrEnum):
    """Step in the life of a command."""

    SEND = "send"
    ACKNOWLEDGE = "acknowledged"
    FINISH = "done"
    FAIL = "failed"
    EXPIRE = "expire"


_S = CommandState
_WAITING = (_S.QUEUED, _S.SENT, _S.ACKNOWLEDGED)
WAITING = frozenset(_WAITING)
"""States of an open command."""
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
    """Availability of a release."""

    AVAILABLE = "available"
    WITHDRAWN = "withdrawn"


class RolloutStatus(StrEnum):
    """Status of a roll-out."""

    DRAFT = "draft"
    RUNNING = "running"
    PAUSED = "paused"
    """No device is notified and downloads are blocked until it is resumed."""
    COMPLETED = "completed"
    """All of its devices have finished, with any outcome."""
    CANCELLED = "cancelled"


class RolloutStep(StrEnum):
    """Step in the life of a roll-out."""

    START = "start"
    PAUSE = "pause"
    RESUME = "resume"
    RETRY = "retry"
    COMPLETE = "complete"
    CANCEL = "cancel"
    CHANGE = "change"


class UpdateStatus(StrEnum):
    """Status of an installation."""

    PENDING = "pending"
    DOWNLOADING = "downloading"
    """The device has started the download."""
    INSTALLED = "installed"
    """The device reports success and the new version."""
    FAILED = "failed"
    EXPIRED = "expired"
    """The device did not respond in time. A retry notifies it again."""
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
    """Return the sort key of a version: its numbers, then releases after pre-releases.

    None if invalid.
    """
    if version is None or not re.fullmatch(VERSION_PATTERN, version):
        return None
    numbers, _, early = version.partition("-")
    parts = [int(part) for part in numbers.split(".")]
    return tuple(parts + [0] * (4 - len(parts))), not early, early


def should_install(running: str | None, version: str, *, allow_downgrade: bool) -> bool:
    """Return True if a device should install a version.

    Devices with an unreadable version should.
    """
    before, after = version_key(running), version_key(version)
    if running == version or before == after:
        return False
    return before is None or after is None or allow_downgrade or before < after


def in_share(release_id: int, device_id: int, share_pct: int) -> bool:
    """Return True if a device is in a share.

    The selection is stable per release and differs between releases.
    """
    digest = hashlib.sha256(f"{release_id}:{device_id}".encode()).digest()
    return int.from_bytes(digest[:8]) % 100 < share_pct


def has_failed_too_often(installed: int, failed: int, *, max_failure_pct: int, min_failures: int) -> bool:
    """Return True if a roll-out must pause automatically."""
    return failed >= min_failures and failed * 100 >= max_failure_pct * (installed + failed)


def read_range(asked: str, size: int) -> tuple[int, int] | None:
    """Return the bounds of a range (RFC 9110, 14.1.2), or None for the whole file.

    Unknown units and multiple ranges select the whole file. Raises `RANGE_NOT_SATISFIABLE`.
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
    """Return how long a command may be started."""
    return OPEN_LIFE if command is DeviceCommand.OPEN else COMMAND_LIFE


def is_online(last_seen_at: datetime | None, gone_at: datetime | None, now: datetime) -> bool:
    """Return True if a device is online."""
    return last_seen_at is not None and gone_at is None and now - last_seen_at < SILENCE


def mermaid() -> str:
    """Render the life of a command as a Mermaid diagram."""
    return COMMAND_LIFE_CYCLE.mermaid()
