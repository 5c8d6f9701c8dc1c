"""Waiting times of background lanes, and detection of lanes without a worker."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Collection
from contextlib import asynccontextmanager
from datetime import datetime, timedelta

from msgspec import Struct
from prometheus_client import Gauge
from sqlalchemy import bindparam, func, select

from haulier.kernel.application import Application
from haulier.kernel.background.job_console import count_jobs
from haulier.kernel.background.job_table import DEFAULT_QUEUE, IS_READY, IS_RUNNING, job_table
from haulier.kernel.background.periodic import periodic
from haulier.kernel.background.tasks import running
from haulier.kernel.data.unit_of_work import UnitOfWork

UNSERVED_AFTER = timedelta(minutes=5)
"""Age of the oldest waiting job at which an idle lane counts as unserved."""
MEASURE_EVERY_S = 60.0
MAX_COUNTED = 10_000
log = logging.getLogger("haulier.jobs")
waiting_gauge = Gauge(
    "haulier_lane_waiting_seconds",
    "Age of the oldest due job of a lane in seconds; 0 if no job waits.",
    ["lane"],
    multiprocess_mode="mostrecent",
)
jobs_gauge = Gauge(
    "haulier_jobs", "Unfinished and dead jobs.", ["lane", "kind", "state"], multiprocess_mode="mostrecent"
)
oldest_gauge = Gauge(
    "haulier_jobs_oldest_seconds",
    "Age of the oldest job since it was due, in seconds.",
    ["lane", "kind", "state"],
    multiprocess_mode="mostrecent",
)
_measured = set[tuple[str, str, str]]()
_waits = (job_table.c.lane == bindparam("lane_name"), IS_READY, job_table.c.run_at <= bindparam("now"))
_oldest = select(job_table.c.run_at).where(*_waits).order_by(job_table.c.run_at).limit(1)
_count = select(func.count()).select_from(select(job_table.c.id).where(*_waits).limit(MAX_COUNTED + 1).subquery())
_running = select(job_table.c.id).where(job_table.c.lane == bindparam("lane_name"), IS_RUNNING).limit(1)


class UnservedQueue(Struct, frozen=True):
    """A lane in which jobs wait and none runs."""

    lane: str
    jobs: int
    """Number of waiting jobs, counted up to `MAX_COUNTED` + 1."""
    since: datetime


async def list_unserved_queues(work: UnitOfWork, lanes: Collection[str], now: datetime) -> list[UnservedQueue]:
    """Return the lanes whose jobs no worker takes."""
    unserved = list[UnservedQueue]()
    for lane, since in (await _oldest_waiting(work, lanes, now)).items():
        if since is None or now - since < UNSERVED_AFTER or await work.first(_running, lane_name=lane):
            continue
        unserved.append(UnservedQueue(lane, await work.value(_count, lane_name=lane, now=now), since))
    return unserved


async def _oldest_waiting(work: UnitOfWork, lanes: Collection[str], now: datetime) -> dict[str, datetime | None]:
    """Return the due time of each lane's oldest waiting job. Uses an index."""
    return {lane: await work.value(_oldest, lane_name=lane, now=now) for lane in sorted(lanes)}


def _queue_names(app: Application) -> set[str]:
    return {DEFAULT_QUEUE, *(job_type.queue for job_type in app.background.job_types.values())}


async def measure_waiting(app: Application) -> None:
    """Set the gauges of jobs. Every serving process exports its own values."""
    now = app.clock()
    async with app.database.read(None) as work:
        oldest = await _oldest_waiting(work, _queue_names(app), now)
        counts = {(each.lane, each.kind, each.state): each for each in await count_jobs(work)}
    for labels in _measured - counts.keys():
        jobs_gauge.labels(*labels).set(0)
        oldest_gauge.labels(*labels).set(0)
    for labels, count in counts.items():
        jobs_gauge.labels(*labels).set(count.jobs)
        oldest_gauge.labels(*labels).set(max(0.0, (now - count.oldest).total_seconds()))
    _measured.update(counts)
    for lane, since in oldest.items():
        waiting_gauge.labels(lane).set((now - since).total_seconds() if since else 0)


@asynccontextmanager
async def measure_jobs(app: Application) -> AsyncGenerator[None]:
    """Measure jobs once a minute, in a process without periodic tasks."""
    async with running(_measure_on(app), name="job-metrics"):
        yield


async def _measure_on(app: Application) -> None:
    while True:
        try:
            await measure_waiting(app)
        except Exception:
            log.warning("could not measure jobs", exc_info=True)
        await asyncio.sleep(MEASURE_EVERY_S)


@periodic(UNSERVED_AFTER)
async def warn_of_unserved_queues(app: Application) -> None:
    """Log each lane that no worker serves."""
    now = app.clock()
    async with app.database.read(None) as work:
        unserved = await list_unserved_queues(work, _queue_names(app), now)
    for each in unserved:
        jobs = f"more than {MAX_COUNTED}" if each.jobs > MAX_COUNTED else each.jobs
        log.warning(
            "no worker serves the lane %r: %s jobs wait, the oldest since %s", each.lane, jobs, each.since.isoformat()
        )
