"""What goes on behind the doors: which handler runs for which kind of job, and what every process does from time to time."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager, suppress

import msgspec

from haulier.kernel.errands import Errand
from haulier.kernel.events import Subscriber
from haulier.kernel.house import House
from haulier.kernel.jobs import Handler, Job, Worker
from haulier.kernel.rounds import Round
from haulier.kernel.run import Run

OUTSIDE = {"outside": 32}
"""Jobs that wait for machines of others have a lane of their own, so that nobody waits behind them."""
ROUND_S = 60.0
"""How often a serving process writes down what it only remembers."""

log = logging.getLogger("haulier.backstage")


@asynccontextmanager
async def background(house: House, grace_s: float) -> AsyncGenerator[None]:
    """Background work while the context is open; on leaving, running jobs get the grace to finish."""
    worker = worker_for(house)
    task = asyncio.create_task(worker.run(), name="worker")
    try:
        yield
    finally:
        await worker.stop(grace_s)
        await task


@asynccontextmanager
async def rounds(house: House, every_s: float = ROUND_S) -> AsyncGenerator[None]:
    """Go the rounds while the context is open, and once more on leaving.

    Every process that serves needs them, also where `haulier worker` does the jobs: what it remembers is in its own memory.
    """
    task = asyncio.create_task(_go_round(house, every_s), name="rounds")
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        await _round(house)


async def _go_round(house: House, every_s: float) -> None:
    """One round after the other: what was remembered, and whatever of the house is due."""
    due = {each.name: house.clock() + each.every for each in house.backstage.rounds}
    while True:
        await asyncio.sleep(every_s)
        await _round(house)
        for each in house.backstage.rounds:
            if due[each.name] <= house.clock():
                due[each.name] = house.clock() + each.every
                await _go(house, each)


async def _round(house: House) -> None:
    """Which tokens were in use, in one statement. A database that is away is no reason to stop."""
    try:
        await house.identity.note_use(house.database, house.clock())
    except Exception:
        log.exception("the use of tokens could not be noted")


async def _go(house: House, each: Round) -> None:
    """One that fails goes again when it is due again."""
    try:
        await each.handler(house)
    except Exception:
        log.exception("the round %s failed", each.name)


def worker_for(house: House, **words: object) -> Worker:
    """A worker that runs every errand of the house and brings its news to every subscriber."""
    return Worker(house.database, handlers(house), house.clock, **{"lanes": OUTSIDE, **words})  # type: ignore[arg-type]


def handlers(house: House) -> Mapping[str, Handler]:
    """A handler for every kind of job that this house can have put into the outbox."""
    found: dict[str, Handler] = {}
    for errand in house.backstage.errands.values():
        found[errand.kind] = _for_errand(house, errand)
    for subscriber in house.backstage.subscribers.values():
        found[f"news:{subscriber.name}"] = _for_subscriber(house, subscriber)
    return found


def _run(house: House, job: Job) -> Run:
    return Run(house, job.client_id, job.id, job.attempts)


def _for_errand(house: House, errand: Errand[msgspec.Struct]) -> Handler:
    async def handle(job: Job) -> None:
        await errand.handler(_run(house, job), msgspec.convert(job.args, errand.args))

    return handle


def _for_subscriber(house: House, subscriber: Subscriber[msgspec.Struct]) -> Handler:  # type: ignore[type-var]
    async def handle(job: Job) -> None:
        event = msgspec.convert(job.args["news"], subscriber.event)
        async with _run(house, job).call() as call:
            await subscriber.handler(call, event)

    return handle
