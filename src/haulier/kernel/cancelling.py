"""Cancellation of tasks that is complete when it returns."""

import asyncio
from typing import Any

CANCEL_EACH_S = 5.0


async def cancel_tasks(*tasks: asyncio.Task[Any]) -> list[Any]:
    """Cancel tasks and wait until all have ended.

    Returns their results or exceptions as `asyncio.gather` does.

    Tasks are cancelled repeatedly: `wait_for` in Python 3.11 can lose a cancellation, and a client that fails to say
    goodbye on a dead socket replaces it with `OSError`. Between two cancellations a task has `CANCEL_EACH_S` to clean
    up.
    """
    while under_way := [task for task in tasks if not task.done()]:
        for task in under_way:
            task.cancel()
        await asyncio.wait(under_way, timeout=CANCEL_EACH_S)
    return await asyncio.gather(*tasks, return_exceptions=True)
