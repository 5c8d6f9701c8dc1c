"""Tasks that run beside something and end with it."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Coroutine
from contextlib import asynccontextmanager
from typing import Any

log = logging.getLogger("haulier.tasks")
CANCEL_EACH_S = 5.0


@asynccontextmanager
async def running(work: Coroutine[Any, Any, None], name: str) -> AsyncGenerator[None]:
    """Let work run while the context is open."""
    task = asyncio.create_task(work, name=name)
    try:
        yield
    finally:
        await end_tasks(task)


async def end_tasks(*tasks: asyncio.Task[Any]) -> None:
    """Cancel tasks and wait until they are over. What one failed with before is logged.

    Why again and again: `wait_for` of Python 3.11 loses a cancellation that comes as it ends, and a task that goes on for ever
    would keep a server from stopping. What a task does to end well has `CANCEL_EACH_S` before it is cancelled once more.
    """
    while under_way := [task for task in tasks if not task.done()]:
        for task in under_way:
            task.cancel()
        await asyncio.wait(under_way, timeout=CANCEL_EACH_S)
    for task, outcome in zip(tasks, await asyncio.gather(*tasks, return_exceptions=True), strict=True):
        if isinstance(outcome, Exception):
            log.error("task %s failed", task.get_name(), exc_info=outcome)
