"""Jobs that release expired holds."""

from haulier.contexts.billing.ledger.actions import EXPIRE_HOLD_JOB, ExpireCreditHold, expire_hold
from haulier.kernel.background.jobs import job
from haulier.kernel.job_run import JobRun


@job(EXPIRE_HOLD_JOB, ExpireCreditHold)
async def release_expired_hold(run: JobRun, args: ExpireCreditHold) -> None:
    """Release the rest of an expired hold."""
    async with run.call() as call:
        await expire_hold(call, args.hold_id)
