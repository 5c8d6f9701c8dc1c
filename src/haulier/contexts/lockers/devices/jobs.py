"""What nobody answered in time has expired; what there is to do is handed to devices at the broker."""

from haulier.contexts.lockers.devices.actions.commands import EXPIRE_JOB, ExpireCommand, settle_command
from haulier.contexts.lockers.devices.actions.pushes import push_to_device
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
