"""Deadlines of coroutines."""

import asyncio

import pytest

from haulier.kernel.deadlines import OutOfTime, run_until


def soon(seconds: float = 0.02) -> float:
    return asyncio.get_running_loop().time() + seconds


async def test_code_without_waiting_finishes_after_any_time() -> None:
    async def answer() -> int:
        return 1

    assert await run_until(soon(-1), answer()) == 1


async def test_code_that_waits_continues_in_the_same_task() -> None:
    async def wait_thrice() -> tuple[int, bool]:
        for _ in range(3):
            await asyncio.sleep(0)
        return await asyncio.create_task(asyncio.sleep(0.001, 2)), asyncio.current_task() is task

    task = asyncio.current_task()
    assert await run_until(soon(10), wait_thrice()) == (2, True)


async def test_code_still_waiting_at_the_deadline_is_cancelled_and_can_clean_up() -> None:
    tidied = False

    async def wait_for_ever() -> None:
        nonlocal tidied
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            tidied = True

    with pytest.raises(OutOfTime):
        await run_until(soon(), wait_for_ever())
    assert tidied


async def test_errors_before_and_after_a_wait_are_passed_through() -> None:
    async def fail(*, waits: bool) -> None:
        if waits:
            await asyncio.sleep(0)
        raise TimeoutError("of its own")

    for waits in (False, True):
        with pytest.raises(TimeoutError, match="of its own"):
            await run_until(soon(10), fail(waits=waits))


async def test_an_outside_cancellation_is_not_reported_as_a_timeout() -> None:
    async def undeterred() -> str:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return "cancelled"
        return "woken"

    for awaited, outcome in ((asyncio.sleep(60), None), (undeterred(), "cancelled")):
        waiting = asyncio.create_task(run_until(soon(10), awaited))
        await asyncio.sleep(0)
        waiting.cancel()
        if outcome:
            assert await waiting == outcome
        else:
            with pytest.raises(asyncio.CancelledError):
                await waiting
