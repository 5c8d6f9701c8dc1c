"""Jobs that report missed arrivals on order timelines."""

from datetime import timedelta

from msgspec import Struct

from haulier.contexts.identity.public import find_all_client_ids
from haulier.contexts.warehouse.packages.actions import report_missed
from haulier.contexts.warehouse.scans import store
from haulier.kernel import background
from haulier.kernel.application import Application
from haulier.kernel.background.jobs import job
from haulier.kernel.background.periodic import periodic
from haulier.kernel.job_run import JobRun

MISSED_JOB = "warehouse.missed_arrivals"
AT_ONCE = 200
"""Packages in one transaction."""


class ReportMissedArrivals(Struct, frozen=True):
    """Job that reports missed arrivals."""


@periodic(timedelta(hours=1))
async def check_missed_arrivals(app: Application) -> None:
    """Enqueue the job of each client once an hour, in one process.

    Days end at different hours in different time zones.
    """
    now = app.clock()
    async with app.database.write(None) as work:
        for client_id in await find_all_client_ids(work):
            await background.enqueue_job(
                work, MISSED_JOB, {}, client_id=client_id, run_at=now, idempotency_key=now.strftime("%Y-%m-%dT%H")
            )


@job(MISSED_JOB, ReportMissedArrivals)
async def report_missed_arrivals(run: JobRun, args: ReportMissedArrivals) -> None:
    """Report missed arrivals of the day on order timelines, once.

    A repeated run continues where it stopped.
    """
    while True:
        async with run.call() as call:
            rows = await store.lock_missed_rows(call.work, call.today, AT_ONCE)
            await report_missed(call, {row.number: row.warehouse_id for row in rows})
            await store.set_missed(call.work, [row.id for row in rows], call.now)
        if len(rows) < AT_ONCE:
            return
