"""Deletes device data that is kept no longer: positions and settled device events."""

from datetime import timedelta

from haulier.contexts.driver_app.offline_queue import store
from haulier.contexts.driver_app.positions.actions import DELETE_DEVICE_DATA_JOB, DeleteDeviceData, delete_old_points
from haulier.kernel.background.jobs import job
from haulier.kernel.job_run import JobRun

DEVICE_EVENTS_KEPT = timedelta(days=90)
"""How long the offline queue keeps settled events. A repeat after that finds its stop or route completed already."""


@job(DELETE_DEVICE_DATA_JOB, DeleteDeviceData)
async def delete_device_data(run: JobRun, args: DeleteDeviceData) -> None:
    """Delete the points that are older than the client's policy allows, and the settled events of the offline queue."""
    async with run.call() as call:
        await delete_old_points(call)
        await store.delete_settled_events(call.work, call.now - DEVICE_EVENTS_KEPT)
