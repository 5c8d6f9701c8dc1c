"""Outcomes of firmware installations, from command results and reported versions."""

from haulier.contexts.lockers.devices.rules import (
    UNDER_WAY,
    CommandState,
    RolloutStatus,
    UpdateStatus,
    has_failed_too_often,
)
from haulier.contexts.lockers.devices.store import firmware as store
from haulier.contexts.lockers.devices.store.devices import DeviceCommandRow
from haulier.contexts.lockers.devices.store.firmware_tables import FirmwareRolloutRow, FirmwareUpdateRow
from haulier.contexts.lockers.events import FirmwareRolloutChanged
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import TransactionRetry

FAILURES = "failures"
"""Reason recorded when a roll-out pauses automatically."""
OTHER_VERSION = "reports {version}"
_ENDS = {
    CommandState.ACKNOWLEDGED: UpdateStatus.DOWNLOADING,
    CommandState.DONE: UpdateStatus.INSTALLED,
    CommandState.FAILED: UpdateStatus.FAILED,
    CommandState.EXPIRED: UpdateStatus.EXPIRED,
}


async def follow_command(
    call: Call, command: DeviceCommandRow, reached: CommandState, running: str | None, fault: str | None
) -> None:
    """Apply the outcome of an update command.

    `running` is the version that the device reports.
    """
    row = await store.find_update_of_command(call.work, command.id)
    if row is None or row.status == UpdateStatus.CANCELLED:
        return
    status = _ENDS[reached]
    # A device that reports success but still runs its old version has rolled back.
    if status is UpdateStatus.INSTALLED and running not in (None, row.version):
        status, fault = UpdateStatus.FAILED, OTHER_VERSION.format(version=running)
    await _move(call, row, status, fault)


async def note_version(call: Call, device_id: int, version: str) -> None:
    """Mark installations of a newly reported version as installed."""
    row = await store.find_newest_update(call.work, device_id)
    if row is None or row.version != version or row.status == UpdateStatus.CANCELLED:
        return
    await _move(call, row, UpdateStatus.INSTALLED, None)


async def complete_if_through(call: Call, row: FirmwareRolloutRow) -> None:
    """Complete a roll-out once all of its devices are finished.

    Its row must be locked.
    """
    if row.status != RolloutStatus.RUNNING or row.telling or await store.has_devices_left(call.work, row.id):
        return
    ended = {"status": RolloutStatus.COMPLETED.value, "ended_at": call.now}
    await store.update_rollout(call.work, row.id, ended)
    await call.publish(_changed(row, RolloutStatus.COMPLETED))


async def _move(call: Call, row: FirmwareUpdateRow, status: UpdateStatus, fault: str | None) -> None:
    before = UpdateStatus(row.status)
    if before is status or before is UpdateStatus.INSTALLED:
        return
    over = status not in UNDER_WAY
    if not await store.change_update(call.work, row, status, fault, call.now if over else None):
        raise TransactionRetry
    if not over:
        return
    installed = int(status is UpdateStatus.INSTALLED)
    failed = int(status is UpdateStatus.FAILED) - int(before is UpdateStatus.FAILED)
    await store.count_end(call.work, row.rollout_id, installed=installed, failed=failed)
    rollout = await store.get_rollout_row(call.work, row.rollout_id)
    if rollout is not None:
        await _judge(call, rollout)


async def _judge(call: Call, row: FirmwareRolloutRow) -> None:
    """Pause a roll-out with too many failures, or complete it.

    Counting the outcome has locked its row.
    """
    limits = {"max_failure_pct": row.max_failure_pct, "min_failures": row.min_failures}
    if row.status == RolloutStatus.RUNNING and has_failed_too_often(row.installed, row.failed, **limits):
        paused = {"status": RolloutStatus.PAUSED.value, "paused_at": call.now, "reason": FAILURES}
        await store.update_rollout(call.work, row.id, paused)
        await call.publish(_changed(row, RolloutStatus.PAUSED, FAILURES))
        return
    await complete_if_through(call, row)


def _changed(row: FirmwareRolloutRow, status: RolloutStatus, reason: str = "") -> FirmwareRolloutChanged:
    return FirmwareRolloutChanged(
        firmware_rollout_id=row.id, firmware_release_id=row.release_id, status=status.value, reason=reason
    )
