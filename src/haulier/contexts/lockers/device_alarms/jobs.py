"""Jobs that monitor all devices each minute."""

from haulier.contexts.identity.public import find_all_client_ids
from haulier.contexts.lockers.device_alarms.actions import begin_watch, end_alarms, has_work, raise_alarms
from haulier.contexts.lockers.device_alarms.rules import WATCH_EVERY, WATCH_JOB, WatchDevices
from haulier.kernel import background
from haulier.kernel.application import Application
from haulier.kernel.background.jobs import job
from haulier.kernel.background.periodic import periodic
from haulier.kernel.job_run import JobRun


@periodic(WATCH_EVERY)
async def check_devices(app: Application) -> None:
    """Enqueue the monitoring of each client with devices, once a minute."""
    now = app.clock()
    async with app.database.read(None) as work:
        clients = await find_all_client_ids(work)
    for client_id in clients:
        async with app.database.read(client_id) as work:
            watches = await has_work(work)
        if watches:
            async with app.database.write(client_id) as work:
                key = now.strftime("%Y-%m-%dT%H:%M")
                await background.enqueue_job(work, WATCH_JOB, {}, client_id=client_id, run_at=now, idempotency_key=key)


@job(WATCH_JOB, WatchDevices)
async def watch_devices(run: JobRun, args: WatchDevices) -> None:
    """End finished alarms and raise due ones.

    A repeated run continues where it stopped.
    """
    async with run.call() as call:
        terms, before = await begin_watch(call)
    after: int | None = 0
    while after is not None:
        async with run.call() as call:
            after = await end_alarms(call, terms, after)
    after = 0
    while after is not None:
        async with run.call() as call:
            after = await raise_alarms(call, terms, before, after)
