"""Tasks of a simulation that end when it does."""

import asyncio
from collections.abc import Sequence
from typing import Any

CANCEL_EACH_S = 1.0


async def end_tasks(tasks: Sequence[asyncio.Task[Any]]) -> None:
    """Cancel tasks until they are over, however they end.

    Why again and again: `wait_for` of Python 3.11 loses a cancellation that comes as it ends, and a client that cannot say
    goodbye on a dead socket raises `OSError` in its place. A task that goes on for ever after that would be waited for as long.
    """
    while under_way := [task for task in tasks if not task.done()]:
        for task in under_way:
            task.cancel()
        await asyncio.wait(under_way, timeout=CANCEL_EACH_S)
    await asyncio.gather(*tasks, return_exceptions=True)
