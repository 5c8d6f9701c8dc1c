"""Jobs for the end of a parcel's period."""

from haulier.contexts.lockers.parcels import store
from haulier.contexts.lockers.parcels.actions.steps import DUE_JOB, DueParcel, apply_step
from haulier.contexts.lockers.parcels.rules import LockerStatus, LockerStep
from haulier.kernel.background.jobs import job
from haulier.kernel.job_run import JobRun

LAPSED = "lapsed"


@job(DUE_JOB, DueParcel)
async def end_time_of_parcel(run: JobRun, args: DueParcel) -> None:
    """Release an unused reservation or expire an uncollected parcel. Idempotent."""
    async with run.call() as call:
        row = await store.get_parcel_row(call.work, args.parcel_id, lock=True)
        if row is None or row.until > call.now:
            return
        if row.status == LockerStatus.RESERVED:
            await apply_step(call, row, LockerStep.CANCEL, reason=LAPSED)
        elif row.status == LockerStatus.DEPOSITED:
            await apply_step(call, row, LockerStep.EXPIRE)
