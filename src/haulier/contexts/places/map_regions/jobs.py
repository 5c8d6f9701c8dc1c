"""Background installation and removal of map regions.

The installer leaves marks after each step, so a job that is killed continues where it stopped.
"""

import asyncio
import logging
from contextlib import suppress
from pathlib import Path
from typing import Any

from msgspec import Struct

from haulier.contexts.places.map_regions.rules import RegionAction, RegionTaskState, fault_document
from haulier.contexts.places.map_regions.store import MapRegionTaskRow
from haulier.contexts.places.ports import RegionFault, RegionInstalls, RegionOperators, RegionOutcome, RegionProgress
from haulier.kernel.background.jobs import job
from haulier.kernel.job_run import JobRun

REGION_JOB, REGION_QUEUE = "places.region_task", "regions"
MAX_TASK_ATTEMPTS = 5
RECORD_EVERY_S = 1.0
BUSY = "busy"
RETRIED = frozenset({"disk_full", "no_space", BUSY, "build_failed", "failed"})
"""Faults after which an uploaded file is kept for another attempt."""
log = logging.getLogger("haulier.regions")


class RunRegionTask(Struct, frozen=True):
    """Reference to a task."""

    task_id: int


class RegionTaskCancelled(Exception):
    """Raised to end an installation whose task was cancelled, or whose worker stops."""


class RegionTaskProgress:
    """Progress of a task.

    Receives it from the builders in their thread, and writes it once a second.
    """

    def __init__(self, run: JobRun, task_id: int) -> None:
        self._run, self._task_id = run, task_id
        self._state = self._written = RegionProgress(step="checking")
        self.ended = False

    def hear(self, state: RegionProgress) -> None:
        """Note the current step. Raises `RegionTaskCancelled` if the task was cancelled."""
        if self.ended:
            raise RegionTaskCancelled
        self._state = state

    async def record_forever(self) -> None:
        """Write the progress until cancelled, and end the builders of a cancelled task."""
        while not self.ended:
            await asyncio.sleep(RECORD_EVERY_S)
            async with self._run.call() as call:
                row = await MapRegionTaskRow.lock(call.work, self._task_id)
                self.ended = row is None or row.finished_at is not None
                if not self.ended and self._state != self._written:
                    self._written = self._state
                    await MapRegionTaskRow.update(call.work, self._task_id, _progress_values(self._written))


def _progress_values(state: RegionProgress) -> dict[str, Any]:
    percent = None if state.percent is None else round(state.percent)
    return {"step": state.step, "percent": percent, "objects": state.count}


@job(REGION_JOB, RunRegionTask, queue=REGION_QUEUE, max_attempts=MAX_TASK_ATTEMPTS)
async def run_region_task(run: JobRun, args: RunRegionTask) -> None:
    """Install or remove a region. Ended and cancelled tasks are skipped."""
    async with run.call() as call:
        row = await MapRegionTaskRow.lock(call.work, args.task_id)
        if row is None or row.finished_at is not None:
            return
        await MapRegionTaskRow.update(call.work, row.id, {"state": RegionTaskState.RUNNING.value})
    progress = RegionTaskProgress(run, row.id)
    recorder = asyncio.create_task(progress.record_forever(), name=f"region-task-{row.id}")
    fault, outcome = None, None
    try:
        outcome = await _perform(run, row, progress)
    except RegionTaskCancelled:
        return
    except RegionFault as refused:
        if refused.code == BUSY and run.attempt < MAX_TASK_ATTEMPTS:
            raise  # the builders of a stopped worker end in a moment
        fault = refused
    except Exception:
        if run.attempt < MAX_TASK_ATTEMPTS:
            raise
        log.exception("the task %s of the map region %s failed", row.id, row.region)
        fault = RegionFault("the task failed", "failed")
    finally:
        progress.ended = True
        recorder.cancel()
        with suppress(asyncio.CancelledError):
            await recorder
    await _finish(run, row, fault, outcome)


async def _perform(run: JobRun, row: MapRegionTaskRow, progress: RegionTaskProgress) -> RegionOutcome | None:
    installs = run.app.adapter(RegionInstalls)
    if row.action == RegionAction.REMOVE:
        await installs.remove(row.region)
        return None

    async def countries() -> frozenset[str]:
        return await run.app.adapter(RegionOperators).business_countries(run.app.database)

    source = Path(row.source) if row.source else None
    return await installs.install(
        row.region, source, title=row.title, progress=progress.hear, countries=countries, now=run.app.clock()
    )


async def _finish(run: JobRun, row: MapRegionTaskRow, fault: RegionFault | None, outcome: RegionOutcome | None) -> None:
    """Store the result, and delete an upload that is not needed again."""
    remarks = [{"code": each.code, "params": each.params} for each in outcome.remarks] if outcome else []
    if outcome and outcome.unchanged:
        remarks.append({"code": "unchanged", "params": {}})
    state = RegionTaskState.FAILED if fault else RegionTaskState.DONE
    async with run.call() as call:
        locked = await MapRegionTaskRow.lock(call.work, row.id)
        if locked is None or locked.finished_at is not None:
            return
        values = {"state": state.value, "fault": fault and fault_document(fault), "remarks": remarks}
        await MapRegionTaskRow.update(call.work, row.id, {**values, "finished_at": call.now})
    if row.source and (fault is None or fault.code not in RETRIED):
        await asyncio.to_thread(run.app.adapter(RegionInstalls).discard_upload, Path(row.source))
