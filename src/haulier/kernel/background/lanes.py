"""Lanes: what has one key is done one after another, what has others beside it, and only so many things wait."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Generic, TypeVar

from haulier.kernel.background.tasks import end_tasks

T = TypeVar("T")
LANES, WAITING = 32, 100
"""So many things are done at once, and so many wait in each lane; then whoever hands them over waits."""
STOP_S = 10.0
"""For how long what waits is still done at a stop."""
log = logging.getLogger("haulier.tasks")


class Lanes(Generic[T]):
    """Takes things to do in order, each in the lane of its key."""

    def __init__(self, do: Callable[[T], Awaitable[None]], *, lanes: int = LANES, waiting: int = WAITING) -> None:
        self._do = do
        self._queues: list[asyncio.Queue[T]] = [asyncio.Queue(waiting) for _ in range(lanes)]
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        """Begin to work."""
        self._tasks = [asyncio.create_task(self._work(queue), name="lane") for queue in self._queues]

    async def put(self, key: object, thing: T) -> None:
        """Put something into the lane of a key; waits while that lane is full."""
        await self._queues[hash(key) % len(self._queues)].put(thing)

    async def stop(self, grace_s: float = STOP_S) -> None:
        """Do what waits, for a while; then stop."""
        with suppress(TimeoutError):
            async with asyncio.timeout(grace_s):
                await asyncio.gather(*(queue.join() for queue in self._queues))
        await end_tasks(*self._tasks)

    async def _work(self, queue: asyncio.Queue[T]) -> None:
        while True:
            thing = await queue.get()
            try:
                await self._do(thing)
            except Exception:
                log.exception("something that waited in a lane could not be done")
            finally:
                queue.task_done()
