"""What nobody answered in time has expired."""

from haulier.contexts.lockers.devices.actions.commands import EXPIRE_JOB, ExpireCommand, settle_command
from haulier.contexts.lockers.devices.rules import CommandStep
from haulier.kernel.background.jobs import job
from haulier.kernel.job_run import JobRun


@job(EXPIRE_JOB, ExpireCommand)
async def expire_command(run: JobRun, args: ExpireCommand) -> None:
    """Note that a device did not say what became of a command."""
    async with run.call() as call:
        await settle_command(call, args.command_id, CommandStep.EXPIRE)
