"""Deletes positions that are kept no longer."""

from haulier.contexts.driver_app.positions.actions import DELETE_DEVICE_DATA_JOB, DeleteDeviceData, delete_old_points
from haulier.kernel.background.jobs import job
from haulier.kernel.job_run import JobRun


@job(DELETE_DEVICE_DATA_JOB, DeleteDeviceData)
async def delete_device_data(run: JobRun, args: DeleteDeviceData) -> None:
    """Delete the points that are older than the client's policy allows."""
    async with run.call() as call:
        await delete_old_points(call)
