"""Lanes: bounded queues that run items with the same key in order.

Items with other keys run in parallel.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Generic, TypeVar

from haulier.kernel.background.tasks import end_tasks

T = TypeVar("T")
QUEUES, WAITING = 32, 100
"""Number of lanes that run in parallel, and of items that may wait in each before `put` blocks."""
STOP_S = 10.0
"""Seconds for which waiting items are still processed on a stop."""
log = logging.getLogger("haulier.tasks")


class KeyedQueues(Generic[T]):
    """Processes items in order within the lane of their key."""

    def __init__(self, do: Callable[[T], Awaitable[None]], *, lanes: int = QUEUES, waiting: int = WAITING) -> None:
        self._do = do
        self._queues: list[asyncio.Queue[T]] = [asyncio.Queue(waiting) for _ in range(lanes)]
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        """Start processing."""
        self._tasks = [asyncio.create_task(self._work(queue), name="lane") for queue in self._queues]

    async def put(self, key: object, thing: T) -> None:
        """Add an item to the lane of a key; waits while that lane is full."""
        await self._queues[hash(key) % len(self._queues)].put(thing)

    async def stop(self, grace_s: float = STOP_S) -> None:
        """Process the waiting items for a while, then stop."""
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
                log.exception("an item in a lane failed")
            finally:
                queue.task_done()
