"""Tasks that run alongside a context end with it."""

import asyncio
from contextlib import suppress

import pytest

from haulier.kernel import cancelling
from haulier.kernel.background.tasks import end_tasks


async def test_a_task_that_swallows_a_cancellation_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cancelling, "CANCEL_EACH_S", 0.001)
    begun = asyncio.Event()

    async def deaf_once() -> None:
        with suppress(asyncio.CancelledError):
            begun.set()
            await asyncio.Event().wait()
        await asyncio.Event().wait()

    task = asyncio.create_task(deaf_once())
    await begun.wait()
    await end_tasks(task)
    assert task.cancelled()


async def test_the_error_of_a_failed_task_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    async def fails() -> None:
        raise ValueError("no such line")

    task = asyncio.create_task(fails(), name="a line")
    await asyncio.wait((task,))
    await end_tasks(task)
    assert "task a line failed" in caplog.text
    assert "no such line" in caplog.text
