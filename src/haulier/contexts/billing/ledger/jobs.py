"""Holds end by themselves when their time is over."""

from haulier.contexts.billing.ledger.actions.holds import EXPIRE_HOLD_JOB, ExpireCreditHold, expire_hold
from haulier.kernel.background.jobs import job
from haulier.kernel.job_run import JobRun


@job(EXPIRE_HOLD_JOB, ExpireCreditHold)
async def give_back_expired_hold(run: JobRun, args: ExpireCreditHold) -> None:
    """Give back what is still held."""
    async with run.call() as call:
        await expire_hold(call, args.hold_id)
