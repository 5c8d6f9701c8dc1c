"""Jobs that close due rentals and exchange unusable compartments."""

from haulier.contexts.lockers.resale.actions import (
    LEASE_DUE_JOB,
    LEASED_BOX_JOB,
    ChangedBox,
    DueLease,
    end_time_of_lease,
    on_box_changed,
)
from haulier.contexts.lockers.resale.store import leases as leases_store
from haulier.kernel.background.jobs import job
from haulier.kernel.job_run import JobRun


@job(LEASE_DUE_JOB, DueLease)
async def close_lease_in_time(run: JobRun, args: DueLease) -> None:
    """Expire an unpaid reservation or end a finished term. Idempotent."""
    async with run.call() as call:
        row = await leases_store.get_lease_row(call.work, args.lease_id, lock=True)
        if row is not None:
            await end_time_of_lease(call, row)


@job(LEASED_BOX_JOB, ChangedBox)
async def check_leased_box(run: JobRun, args: ChangedBox) -> None:
    """Exchange an unusable rented compartment or refund its outage. Idempotent."""
    async with run.call() as call:
        await on_box_changed(call, args.box_id)
