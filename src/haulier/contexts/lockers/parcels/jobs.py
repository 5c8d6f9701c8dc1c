"""When the time of a parcel is over: a box that was not used is free again, and a code works no more."""

from haulier.contexts.lockers.parcels import store
from haulier.contexts.lockers.parcels.actions.steps import DUE_JOB, DueParcel, take_step
from haulier.contexts.lockers.parcels.rules import LockerStatus, LockerStep
from haulier.kernel.background.jobs import job
from haulier.kernel.job_run import JobRun

LAPSED = "lapsed"


@job(DUE_JOB, DueParcel)
async def end_time_of_parcel(run: JobRun, args: DueParcel) -> None:
    """Give up a reservation that nobody used, or note that a parcel was not taken out in time. Run twice, it does so once."""
    async with run.call() as call:
        row = await store.get_parcel_row(call.work, args.parcel_id, lock=True)
        if row is None or row.until > call.now:
            return
        if row.status == LockerStatus.RESERVED:
            await take_step(call, row, LockerStep.CANCEL, reason=LAPSED)
        elif row.status == LockerStatus.DEPOSITED:
            await take_step(call, row, LockerStep.EXPIRE)
