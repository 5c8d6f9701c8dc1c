"""Deadlines for coroutines.

The timer is only set when the coroutine first waits; most reads never wait.
"""

import asyncio
from collections.abc import Coroutine, Generator
from functools import partial
from types import coroutine as generator_coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class OutOfTime(Exception):
    """Raised when a coroutine exceeds its deadline.

    Not a `TimeoutError`, which the coroutine itself might catch.
    """


async def run_until(ends_s: float, awaited: Coroutine[Any, Any, T]) -> T:
    """Await a coroutine.

    Raises `OutOfTime` if it still waits at `ends_s` (event loop time in seconds).
    """
    try:
        waits_for = awaited.send(None)
    except StopIteration as end:
        return end.value
    clock = asyncio.timeout_at(ends_s)
    try:
        async with clock:
            return await _resume(awaited, waits_for)
    except TimeoutError as error:
        if not clock.expired():
            raise
        raise OutOfTime from error


@generator_coroutine
def _resume(awaited: Coroutine[Any, Any, T], waits_for: Any) -> Generator[Any, Any, T]:
    """Continue a coroutine that has already begun to wait, as `await` would."""
    while True:
        try:
            sent = yield waits_for
        except BaseException as error:
            step = partial(awaited.throw, error)
        else:
            step = partial(awaited.send, sent)
        try:
            waits_for = step()
        except StopIteration as end:
            return end.value
