"""Background work: which handler runs for which kind of job, and what every process does from time to time."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import datetime

import msgspec

from haulier.adapters.solver_runner import searches_at_once
from haulier.kernel.application import Application
from haulier.kernel.background import ClaimedJob, JobHandler, Worker
from haulier.kernel.background.events import Subscriber
from haulier.kernel.background.job_table import DEFAULT_LANE
from haulier.kernel.background.jobs import JobType
from haulier.kernel.background.periodic import PeriodicTask, claim_round
from haulier.kernel.background.stream_writer import StreamWriter
from haulier.kernel.background.streams import STREAM_LANE, FactStream, StreamItem, StreamMessage
from haulier.kernel.background.tasks import running
from haulier.kernel.call import call_as_system
from haulier.kernel.data.unit_of_work import TransactionRetry
from haulier.kernel.job_run import JobRun
from haulier.kernel.lane_watch import measure_waiting
from haulier.kernel.pipeline.run import MAX_ATTEMPTS
from haulier.settings import InvalidSetting

LANES: Mapping[str, int] = {
    "default": 16,
    "outside": 32,
    "batches": 4,
    "builds": searches_at_once(),
    "plan_searches": searches_at_once(),
    "pictures": 1,
    STREAM_LANE: 1,
}
"""How many jobs of each lane a worker runs at once unless it is told otherwise: what is waited for, what waits for machines of
others, lists of thousands of orders, searches for routes and
for packing and load plans, which need processors, pictures that are read, as do they, and what
streams bring. Nobody waits behind
another lane."""
PERIODIC_INTERVAL_S = 60.0
"""How often a serving process writes down what it only remembers, and looks which periodic tasks are due."""

log = logging.getLogger("haulier.background")


@asynccontextmanager
async def background_worker(app: Application, grace_s: float, lanes: str | None = None) -> AsyncGenerator[None]:
    """Background work while the context is open; on leaving, running jobs get the grace to finish.

    `lanes` says which, as the setting of that name does. Raises `InvalidSetting` for a lane that does not exist.
    """
    served = dict(parse_lanes(app, lanes))
    stream_writer = make_stream_writer(app, served.pop(STREAM_LANE, 0))
    worker = make_worker(app, lanes=served)
    tasks = [asyncio.create_task(worker.run(), name="worker"), asyncio.create_task(stream_writer.run(), name="streams")]
    try:
        yield
    finally:
        stream_writer.stop()
        await worker.stop(grace_s)
        await asyncio.gather(*tasks)


@asynccontextmanager
async def periodic_tasks(app: Application, every_s: float = PERIODIC_INTERVAL_S) -> AsyncGenerator[None]:
    """Run the periodic tasks while the context is open, and record token use once more on leaving.

    Every process that serves needs this, also where `haulier worker` does the jobs: what it remembers is in its own memory.
    Of the tasks each round is one process's.
    """
    try:
        async with running(_run_periodic_tasks(app, every_s), name="periodic-tasks"):
            yield
    finally:
        await _record_token_use(app)


async def _run_periodic_tasks(app: Application, every_s: float) -> None:
    """Record token use and measure how long jobs wait, then run the tasks that are due, one after the other; for ever."""
    due = {task.name: app.clock() + task.every for task in app.background.periodic_tasks}
    while True:
        await asyncio.sleep(every_s)
        await _record_token_use(app)
        await _measure_waiting(app)
        for task in app.background.periodic_tasks:
            now = app.clock()
            if due[task.name] <= now:
                due[task.name] = now + task.every
                await run_periodic_task(app, task, now)


async def _record_token_use(app: Application) -> None:
    """Write down which tokens were in use, in one statement. A database that is away does not stop the loop."""
    try:
        await app.identity.record_token_use(app.database, app.clock())
    except Exception:
        log.exception("the use of tokens could not be noted")


async def _measure_waiting(app: Application) -> None:
    """Measure how long jobs wait. A database that is away does not stop the loop."""
    try:
        await measure_waiting(app)
    except Exception:
        log.exception("how long jobs wait could not be measured")


async def run_periodic_task(app: Application, task: PeriodicTask, now: datetime) -> None:
    """Run one periodic task, unless another process does. An error is logged; the task runs again when it is next due."""
    try:
        async with app.database.write(None) as work:
            is_ours = await claim_round(work, task, now)
        if is_ours:
            await task.handler(app)
    except Exception:
        log.exception("the periodic task %s failed", task.name)


def parse_lanes(app: Application, text: str | None) -> Mapping[str, int]:
    """The slots of each lane: all lanes, unless a text such as `builds=2,default` names some.

    Raises `InvalidSetting` for a lane that no kind of job runs in, and for one that is named twice.
    """
    if text is None:
        return LANES
    known = {*LANES, *(job_type.lane for job_type in app.background.job_types.values())}
    lanes: dict[str, int] = {}
    for entry in text.split(","):
        lane, _, slots = entry.partition("=")
        if lane not in known or lane in lanes:
            raise InvalidSetting(
                f"setting 'lanes': {lane!r} is named twice or no lane; lanes are {', '.join(sorted(known))}"
            )
        lanes[lane] = int(slots) if slots else LANES.get(lane, LANES[DEFAULT_LANE])
    return lanes


def _job_lanes() -> Mapping[str, int]:
    return {lane: slots for lane, slots in LANES.items() if lane != STREAM_LANE}


def make_worker(app: Application, **options: object) -> Worker:
    """A worker that runs every kind of job and calls every subscriber."""
    return Worker(app.database, make_job_handlers(app), app.clock, **{"lanes": _job_lanes(), **options})  # type: ignore[arg-type]


def make_stream_writer(app: Application, tasks: int) -> StreamWriter:
    """What writes the messages of streams, in so many tasks; in none where no broker keeps any."""

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
    """A handler for every kind of job that this application can have enqueued."""
    handlers: dict[str, JobHandler] = {}
    for job_type in app.background.job_types.values():
        handlers[job_type.kind] = _handler_for_job(app, job_type)
    for subscriber in app.background.subscribers.values():
        handlers[f"news:{subscriber.name}"] = _handler_for_subscriber(app, subscriber)
    return handlers


def _job_run(app: Application, job: ClaimedJob) -> JobRun:
    return JobRun(app, job.client_id, job.id, job.attempts)


def _handler_for_job(app: Application, job_type: JobType[msgspec.Struct]) -> JobHandler:
    async def handle(job: ClaimedJob) -> None:
        await job_type.handler(_job_run(app, job), msgspec.convert(job.args, job_type.args))

    return handle


def _handler_for_subscriber(app: Application, subscriber: Subscriber[msgspec.Struct]) -> JobHandler:  # type: ignore[type-var]
    async def handle(job: ClaimedJob) -> None:
        event = msgspec.convert(job.args["news"], subscriber.event)
        async with _job_run(app, job).call() as call:
            await subscriber.handler(call, event)

    return handle
