"""Tasks that are cancelled are over afterwards."""

import asyncio
from typing import Any

CANCEL_EACH_S = 5.0


async def cancel_tasks(*tasks: asyncio.Task[Any]) -> list[Any]:
    """Cancel tasks until they are over, however they end. Returns how: what `gather` tells of each.

    Why again and again: `wait_for` of Python 3.11 loses a cancellation that comes as it ends, and a client that cannot say
    goodbye on a dead socket raises `OSError` in its place. A task that goes on for ever after that would be waited for as long.
    What a task does to end well has `CANCEL_EACH_S` before it is cancelled once more.
    """
    while under_way := [task for task in tasks if not task.done()]:
        for task in under_way:
            task.cancel()
        await asyncio.wait(under_way, timeout=CANCEL_EACH_S)
    return await asyncio.gather(*tasks, return_exceptions=True)
