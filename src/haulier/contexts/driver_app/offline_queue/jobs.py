"""Device events that are kept no longer."""

from datetime import timedelta

from haulier.contexts.driver_app.offline_queue import store as queue
from haulier.contexts.driver_app.policy.store import load_rider_policy
from haulier.contexts.driver_app.positions import store as positions
from haulier.contexts.driver_app.positions.actions import DELETE_DEVICE_DATA_JOB, DeleteDeviceData
from haulier.kernel.background.jobs import job
from haulier.kernel.job_run import JobRun

DEVICE_EVENTS_KEPT = timedelta(days=90)
"""For so long the offline queue remembers what a device told: a repeat after that finds the deed itself done."""


@job(DELETE_DEVICE_DATA_JOB, DeleteDeviceData)
async def delete_device_data(run: JobRun, args: DeleteDeviceData) -> None:
    """Delete the points that are older than the client's rules say, and what the offline queue no longer needs."""
    async with run.call() as call:
        before = call.now - timedelta(days=(await load_rider_policy(call.work)).positions_kept_days)
        await positions.delete_points_before(call.work, before)
        await queue.delete_settled_events(call.work, call.now - DEVICE_EVENTS_KEPT)
