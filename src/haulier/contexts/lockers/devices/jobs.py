"""Jobs that expire commands, push them to devices and advance roll-outs."""

from haulier.contexts.lockers.devices.actions.commands import (
    EXPIRE_JOB,
    ExpireCommand,
    complete_command,
    push_to_device,
)
from haulier.contexts.lockers.devices.actions.credentials import PUSH_JOB, PushToDevice
from haulier.contexts.lockers.devices.actions.firmware import (
    TELL_JOB,
    WAKE_JOB,
    TellDevices,
    WakeDevices,
    notify_devices,
    notify_next_devices,
)
from haulier.contexts.lockers.devices.rules import CommandStep
from haulier.kernel.background.jobs import job
from haulier.kernel.job_run import JobRun


@job(EXPIRE_JOB, ExpireCommand)
async def expire_command(run: JobRun, args: ExpireCommand) -> None:
    """Mark a command as expired if the device did not respond."""
    async with run.call() as call:
        await complete_command(call, args.command_id, CommandStep.EXPIRE)


@job(PUSH_JOB, PushToDevice, queue="outside", max_attempts=20)
async def push_to_broker(run: JobRun, args: PushToDevice) -> None:
    """Push the commands of a device over the broker, or disconnect it.

    Retried while the broker is unavailable.
    """
    await push_to_device(run, args.device_id)


@job(TELL_JOB, TellDevices)
async def notify_rollout_devices(run: JobRun, args: TellDevices) -> None:
    """Notify the next devices of a roll-out.

    Running it twice notifies each device once.
    """
    async with run.call() as call:
        await notify_next_devices(call, args)


@job(WAKE_JOB, WakeDevices)
async def resume_rollout_devices(run: JobRun, args: WakeDevices) -> None:
    """Wake the devices of a resumed roll-out."""
    async with run.call() as call:
        await notify_devices(call, args.rollout_id)
