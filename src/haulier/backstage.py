"""The worker's side of the house: which handler runs for which kind of job."""

from collections.abc import Mapping

import msgspec

from haulier.kernel.errands import Errand
from haulier.kernel.events import Subscriber
from haulier.kernel.house import House
from haulier.kernel.jobs import Handler, Job, Worker
from haulier.kernel.run import Run


def worker_for(house: House, **words: object) -> Worker:
    """A worker that runs every errand of the house and brings its news to every subscriber."""
    return Worker(house.database, handlers(house), house.clock, **words)  # type: ignore[arg-type]


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
