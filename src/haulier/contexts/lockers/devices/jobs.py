"""What nobody answered in time has expired; what there is to do is handed to devices; roll-outs go through theirs."""

from haulier.contexts.lockers.devices.actions.commands import EXPIRE_JOB, ExpireCommand, settle_command
from haulier.contexts.lockers.devices.actions.pushes import push_to_device
from haulier.contexts.lockers.devices.actions.rollouts import (
    TELL_JOB,
    WAKE_JOB,
    TellDevices,
    WakeDevices,
    tell_next_devices,
    wake_devices,
)
from haulier.contexts.lockers.devices.actions.tickets import PUSH_JOB, PushToDevice
from haulier.contexts.lockers.devices.rules import CommandStep
from haulier.kernel.background.jobs import job
from haulier.kernel.job_run import JobRun


@job(EXPIRE_JOB, ExpireCommand)
async def expire_command(run: JobRun, args: ExpireCommand) -> None:
    """Note that a device did not say what became of a command."""
    async with run.call() as call:
        await settle_command(call, args.command_id, CommandStep.EXPIRE)


@job(PUSH_JOB, PushToDevice, lane="outside", max_attempts=20)
async def tell_device_at_the_broker(run: JobRun, args: PushToDevice) -> None:
    """Hand a device its commands over the broker, or cut it off there. A broker that is away is tried again."""
    await push_to_device(run, args.device_id)


@job(TELL_JOB, TellDevices)
async def tell_devices_of_rollout(run: JobRun, args: TellDevices) -> None:
    """Tell the next devices of a roll-out what to install. Run twice, it tells each once."""
    async with run.call() as call:
        await tell_next_devices(call, args)


@job(WAKE_JOB, WakeDevices)
async def wake_devices_of_rollout(run: JobRun, args: WakeDevices) -> None:
    """Let devices know that a roll-out goes on."""
    async with run.call() as call:
        await wake_devices(call, args.rollout_id)
