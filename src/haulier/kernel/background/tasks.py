"""Tasks that run alongside a context and end with it."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Coroutine
from contextlib import asynccontextmanager
from typing import Any

from haulier.kernel.cancelling import cancel_tasks

log = logging.getLogger("haulier.tasks")


@asynccontextmanager
async def running(work: Coroutine[Any, Any, None], name: str) -> AsyncGenerator[None]:
    """Run a coroutine while the context is open."""
    task = asyncio.create_task(work, name=name)
    try:
        yield
    finally:
        await end_tasks(task)


async def end_tasks(*tasks: asyncio.Task[Any]) -> None:
    """Cancel tasks, wait until they have ended, and log their errors."""
    for task, outcome in zip(tasks, await cancel_tasks(*tasks), strict=True):
        if isinstance(outcome, Exception):
            log.error("task %s failed", task.get_name(), exc_info=outcome)
