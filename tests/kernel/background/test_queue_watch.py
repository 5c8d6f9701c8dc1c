"""Lanes without a worker are reported."""

import asyncio
import logging

import pytest
from prometheus_client import REGISTRY
from sqlalchemy import select, update
from tests.support.app import START, App

from haulier.background import periodic_tasks, run_periodic_task
from haulier.kernel.background import enqueue_job, job_table
from haulier.kernel.queue_watch import measure_waiting, warn_of_unserved_queues


async def enqueue(app: App, lane: str, count: int = 1) -> None:
    async with app.database.write(None) as work:
        for _ in range(count):
            await enqueue_job(work, "test", {}, client_id=None, run_at=app.clock.now, lane=lane)


async def warned(app: App, caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return the log messages of one round."""
    caplog.clear()
    with caplog.at_level(logging.WARNING, "haulier.jobs"):
        await warn_of_unserved_queues.handler(app.application)
    return [record.getMessage() for record in caplog.records if record.name == "haulier.jobs"]


async def test_a_lane_with_old_jobs_and_none_running_gives_a_warning(
    app: App, caplog: pytest.LogCaptureFixture
) -> None:
    await enqueue(app, "builds", 3)
    assert await warned(app, caplog) == []
    app.clock.forward(minutes=5)
    await enqueue(app, "batches")
    assert await warned(app, caplog) == [
        f"no worker serves the lane 'builds': 3 jobs wait, the oldest since {START.isoformat()}"
    ]
    async with app.database.write(None) as work:
        first = await work.value(select(job_table.c.id).where(job_table.c.lane == "builds").limit(1))
        await work.run(update(job_table).where(job_table.c.id == first).values(state="running"))
    assert await warned(app, caplog) == []


async def test_one_node_warns_per_round(app: App, caplog: pytest.LogCaptureFixture) -> None:
    assert warn_of_unserved_queues in app.application.background.periodic_tasks
    await enqueue(app, "outside")
    app.clock.forward(minutes=6)
    with caplog.at_level(logging.WARNING, "haulier.jobs"):
        for _ in range(2):
            await run_periodic_task(app.application, warn_of_unserved_queues, app.clock.now)
    assert len([record for record in caplog.records if record.name == "haulier.jobs"]) == 1


async def test_metrics_report_the_age_of_the_oldest_job_per_lane(app: App) -> None:
    await enqueue(app, "builds")
    app.clock.forward(minutes=2)
    await enqueue(app, "builds")
    await measure_waiting(app.application)
    assert {lane: waits(lane) for lane in ("builds", "default")} == {"builds": 120, "default": 0}
    app.clock.forward(minutes=1)
    async with periodic_tasks(app.application, every_s=0.01), asyncio.timeout(60):
        while waits("builds") != 180:  # noqa: ASYNC110 - a round runs in another task
            await asyncio.sleep(0.01)


def waits(lane: str) -> float | None:
    return REGISTRY.get_sample_value("haulier_lane_waiting_seconds", {"lane": lane})
