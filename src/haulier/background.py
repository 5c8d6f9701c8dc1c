"""Background work: job handlers, streams and periodic tasks."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import datetime

import msgspec

from haulier.adapters.key_ring import KeyRing
from haulier.adapters.solver_runner import searches_at_once
from haulier.kernel.application import Application
from haulier.kernel.background import ClaimedJob, JobHandler, Worker
from haulier.kernel.background.events import Subscriber
from haulier.kernel.background.job_table import DEFAULT_QUEUE
from haulier.kernel.background.jobs import JobType
from haulier.kernel.background.periodic import PeriodicTask, claim_round
from haulier.kernel.background.stream_writer import StreamWriter
from haulier.kernel.background.streams import STREAM_QUEUE, FactStream, StreamItem, StreamMessage
from haulier.kernel.background.tasks import running
from haulier.kernel.call import call_as_system
from haulier.kernel.data.unit_of_work import TransactionRetry
from haulier.kernel.job_run import JobRun
from haulier.kernel.pipeline.run import MAX_ATTEMPTS
from haulier.kernel.queue_watch import measure_waiting
from haulier.settings import InvalidSetting

QUEUES: Mapping[str, int] = {
    "default": 16,
    "outside": 32,
    "batches": 4,
    "builds": searches_at_once(),
    "plan_searches": searches_at_once(),
    "pictures": 1,
    "regions": 1,
    STREAM_QUEUE: 1,
}
"""Default number of parallel jobs per lane. Each lane isolates one kind of work: interactive jobs, calls to other
servers, bulk orders, CPU-bound searches and pictures, and streams."""
PERIODIC_INTERVAL_S = 60.0
"""Interval at which a serving process stores its counts and checks for due periodic tasks."""

log = logging.getLogger("haulier.background")


@asynccontextmanager
async def background_worker(app: Application, grace_s: float, queues: str | None = None) -> AsyncGenerator[Worker]:
    """Run background work while the context is open.

    On exit, running jobs get `grace_s` to finish.

    `queues` has the form of the setting. Raises `InvalidSetting` for an unknown lane.
    """
    served = dict(parse_queues(app, queues))
    stream_writer = make_stream_writer(app, served.pop(STREAM_QUEUE, 0))
    worker = make_worker(app, queues=served)
    tasks = [asyncio.create_task(worker.run(), name="worker"), asyncio.create_task(stream_writer.run(), name="streams")]
    try:
        yield worker
    finally:
        stream_writer.stop()
        await worker.stop(grace_s)
        await asyncio.gather(*tasks)


@asynccontextmanager
async def periodic_tasks(app: Application, every_s: float = PERIODIC_INTERVAL_S) -> AsyncGenerator[None]:
    """Run periodic tasks while the context is open.

    Records token use again on exit.

    Every serving process needs this, even next to `haulier worker`, because it holds counts in memory. Each round of
    a task is run by one process.
    """
    try:
        async with running(_run_periodic_tasks(app, every_s), name="periodic-tasks"):
            yield
    finally:
        if not app.in_maintenance:
            await _record_token_use(app)


async def _run_periodic_tasks(app: Application, every_s: float) -> None:
    """Run the periodic loop.

    Each round records token use, measures waiting jobs and runs due tasks in sequence. In maintenance there is none.
    """
    due = {task.name: app.clock() + task.every for task in app.background.periodic_tasks}
    while True:
        await asyncio.sleep(every_s)
        if app.in_maintenance:
            continue
        await _record_token_use(app)
        await _measure_waiting(app)
        for task in app.background.periodic_tasks:
            now = app.clock()
            if due[task.name] <= now:
                due[task.name] = now + task.every
                await run_periodic_task(app, task, now)


async def _record_token_use(app: Application) -> None:
    """Record which tokens were used, in one statement. Errors do not stop the loop."""
    try:
        await app.identity.record_token_use(app.database, app.clock())
    except Exception:
        log.exception("could not record token use")


async def _measure_waiting(app: Application) -> None:
    """Measure how long jobs wait. Errors do not stop the loop."""
    try:
        await measure_waiting(app)
    except Exception:
        log.exception("could not measure waiting jobs")


async def run_periodic_task(app: Application, task: PeriodicTask, now: datetime) -> None:
    """Run a periodic task unless another process does.

    Errors are logged, and it runs again when due.
    """
    try:
        async with app.database.write(None) as work:
            is_ours = await claim_round(work, task, now)
        if is_ours:
            await task.handler(app)
    except Exception:
        log.exception("the periodic task %s failed", task.name)


def parse_queues(app: Application, text: str | None) -> Mapping[str, int]:
    """Return the slots of all lanes, or of those in a text such as `builds=2,default`.

    Raises `InvalidSetting` for an unknown or repeated lane.
    """
    if text is None:
        return QUEUES
    known = {*QUEUES, *(job_type.queue for job_type in app.background.job_types.values())}
    queues: dict[str, int] = {}
    for entry in text.split(","):
        queue, _, slots = entry.partition("=")
        if queue not in known or queue in queues:
            raise InvalidSetting(
                f"setting 'lanes': {queue!r} is repeated or unknown. Lanes are {', '.join(sorted(known))}."
            )
        queues[queue] = int(slots) if slots else QUEUES.get(queue, QUEUES[DEFAULT_QUEUE])
    return queues


def _job_queues() -> Mapping[str, int]:
    return {queue: slots for queue, slots in QUEUES.items() if queue != STREAM_QUEUE}


def make_worker(app: Application, **options: object) -> Worker:
    """Return a worker for all kinds of jobs and subscribers.

    It claims none while the keys of the installation are unavailable.
    """
    ring = app.find_adapter(KeyRing)
    usual = {"queues": _job_queues(), "may_claim": lambda: ring is None or ring.fault is None}
    return Worker(app.database, make_job_handlers(app), app.clock, **{**usual, **options})  # type: ignore[arg-type]


def make_stream_writer(app: Application, tasks: int) -> StreamWriter:
    """Return a writer of stream messages with a number of tasks.

    It has no tasks if there is no broker.
    """

    async def write(kind: str, client_id: int, messages: Sequence[StreamMessage]) -> None:
        stream_type = app.background.stream_types[kind]
        items = [StreamItem(message.at, msgspec.convert(message.args, stream_type.args)) for message in messages]
        for attempt in range(MAX_ATTEMPTS):
            try:
                async with app.database.write(client_id) as work:
                    await stream_type.handler(await call_as_system(app, client_id, work), items)
                return
            except TransactionRetry:
                if attempt == MAX_ATTEMPTS - 1:
                    raise

    stream, kinds = app.adapter(FactStream), app.background.stream_types
    at_once = {kind: stream_type.at_once for kind, stream_type in kinds.items()}
    return StreamWriter(stream, write, tasks if stream.keeps else 0, at_once)


def make_job_handlers(app: Application) -> Mapping[str, JobHandler]:
    """Return a handler for every kind of job of this application."""
    handlers: dict[str, JobHandler] = {}
    for job_type in app.background.job_types.values():
        handlers[job_type.kind] = _handler_for_job(app, job_type)
    for subscriber in app.background.subscribers.values():
        handlers[f"news:{subscriber.name}"] = _handler_for_subscriber(app, subscriber)
    return handlers


async def _job_run(app: Application, job: ClaimedJob) -> JobRun:
    return JobRun(await app.of_client(job.client_id), job.client_id, job.id, job.attempts)


def _handler_for_job(app: Application, job_type: JobType[msgspec.Struct]) -> JobHandler:
    async def handle(job: ClaimedJob) -> None:
        await job_type.handler(await _job_run(app, job), msgspec.convert(job.args, job_type.args))

    return handle


def _handler_for_subscriber(app: Application, subscriber: Subscriber[msgspec.Struct]) -> JobHandler:  # type: ignore[type-var]
    async def handle(job: ClaimedJob) -> None:
        event = msgspec.convert(job.args["news"], subscriber.event)
        async with (await _job_run(app, job)).call() as call:
            await subscriber.handler(call, event)

    return handle
