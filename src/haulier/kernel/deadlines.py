"""Deadlines that cost nothing until something waits: the clock is set by the first wait, and most reads have none."""

import asyncio
from collections.abc import Coroutine, Generator
from functools import partial
from types import coroutine as generator_coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class OutOfTime(Exception):
    """What was awaited did not end in time. Not a `TimeoutError`, which code within might take for its own."""


async def run_until(ends_s: float, awaited: Coroutine[Any, Any, T]) -> T:
    """What a coroutine returns. Raises `OutOfTime` where it still waits at a time of the running event loop, in seconds."""
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
    """Go on with a coroutine that has begun to wait, as `await` does."""
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
