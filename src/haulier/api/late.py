"""Interfaces built at their first request.

Most servers never load the libraries of some interfaces.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Protocol, TypeVar

from starlette.types import ASGIApp, Receive, Scope, Send

from haulier.garbage import without_garbage_collection

T = TypeVar("T")


class RunningInterface(Protocol):
    """An interface that answers only while `running()` is open."""

    def running(self) -> AbstractAsyncContextManager[None]:
        """Run the interface while the context is open."""
        ...

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        ...


class LateApp:
    """An ASGI app built in a thread at its first request.

    Concurrent requests wait until it is built.
    """

    def __init__(self, make: Callable[[], ASGIApp]) -> None:
        self._make = make
        self._app: ASGIApp | None = None
        self._lock = asyncio.Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if self._app is None:
            async with self._lock:
                self._app = self._app or await _make_in_thread(self._make)
        await self._app(scope, receive, send)


class LateInterface:
    """An interface that starts at its first request and runs until `running()` ends."""

    def __init__(self, make: Callable[[], RunningInterface]) -> None:
        self._make = make
        self._wanted: asyncio.Event | None = None
        self._idle = LateApp(make)  # error responses don't need a running interface

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """Accept requests while the context is open."""
        self._wanted, self._closing = asyncio.Event(), asyncio.Event()
        self._interface: asyncio.Future[RunningInterface] = asyncio.get_running_loop().create_future()
        # Use a separate task: anyio requires that a task group is closed by the task that opened it.
        keeper = asyncio.create_task(self._keep(), name="late-interface")
        try:
            yield
        finally:
            self._closing.set()
            self._wanted.set()
            await keeper

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if self._wanted is None:
            await self._idle(scope, receive, send)
            return
        self._wanted.set()
        interface = await asyncio.shield(self._interface)
        await interface(scope, receive, send)

    async def _keep(self) -> None:
        assert self._wanted
        await self._wanted.wait()
        if self._closing.is_set():
            self._interface.cancel()
            return
        try:
            interface = await _make_in_thread(self._make)
            async with interface.running():
                self._interface.set_result(interface)
                await self._closing.wait()
        except Exception as error:
            if self._interface.done():
                raise
            self._interface.set_exception(error)


async def _make_in_thread(make: Callable[[], T]) -> T:
    with without_garbage_collection(serving=True):
        return await asyncio.to_thread(make)
