"""Jobs: background work that survives a restart.

`@job("batch.create", Args)` declares the handler of a job kind. `call.enqueue(kind, args)` adds a job to the outbox
within the caller's transaction. Handlers run at least once and must be safe to repeat.
"""

from collections.abc import Awaitable, Callable
from typing import Any, Generic, TypeVar

from msgspec import Struct

from haulier.kernel.background.job_table import DEFAULT_QUEUE

A = TypeVar("A", bound=Struct)
JobFunction = Callable[[Any, A], Awaitable[None]]


class JobType(Struct, Generic[A], frozen=True):
    """A kind of job: name, argument type, lane and number of attempts."""

    kind: str
    args: type[A]
    handler: JobFunction[A]
    queue: str = DEFAULT_QUEUE
    max_attempts: int = 8


def job(
    kind: str, args: type[A], *, queue: str = DEFAULT_QUEUE, max_attempts: int = 8
) -> Callable[[JobFunction[A]], JobType[A]]:
    """Declare the handler `async (run, args)` of a job kind.

    `run` is a `haulier.kernel.job_run.JobRun`.
    """

    def declare(handler: JobFunction[A]) -> JobType[A]:
        return JobType(kind, args, handler, queue, max_attempts)

    return declare
