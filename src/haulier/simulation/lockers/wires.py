"""Connections of a simulated locker.

This module has HTTP with long polling and the base of persistent connections.
"""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, Protocol

import msgspec

from haulier.kernel.cancelling import cancel_tasks
from haulier.simulation.client import RequestRefused

Post = Callable[[str, dict[str, Any]], Awaitable[dict[str, Any]]]
"""Sends a body to a path and returns the answer's document."""
Document = dict[str, Any]
Download = Callable[[str, int], Awaitable[bytes]]
"""Downloads a file from an offset. Raises `LineLost`, `DownloadHeld`, `DownloadRefused`."""
POLL = "/v1/device/commands"
PATHS = {
    "state": "/v1/device/state",
    "code": "/v1/device/codes",
    "poll": POLL,
    "codes": "/v1/device/offline-codes",
    "openings": "/v1/device/offline-openings",
}
ANSWER_S = 10.0
"""Seconds after which an answer counts as lost."""
WAIT_MAX_S = 20
"""Maximum duration of a long poll."""
RETRY_S = 0.5
"""Pause before a reconnect."""


class LineLost(OSError):
    """Raised when the connection or an answer is lost."""


class DownloadHeld(Exception):
    """Raised when a file is temporarily unavailable. The command is repeated later."""


class DownloadRefused(Exception):
    """Raised when a file is no longer meant for this device."""


class CabinetWire(Protocol):
    """A locker's connection to a server."""

    @property
    def keeps_connection(self) -> bool:
        """True if commands arrive without polling."""
        ...

    async def ask(self, frame: Document) -> Document:
        """Send a frame and return its answer.

        Raises `LineLost`, and `RequestRefused` for a refused frame.
        """
        ...

    async def commands(self, sequence: int, wait_s: float, *, ask: bool) -> list[Document]:
        """Return commands after at most `wait_s`; with `ask`, all pending ones.

        Raises `LineLost`.
        """
        ...

    async def connected(self) -> int:
        """Wait for the connection and return its number.

        A new one begins with its first frame.
        """
        ...

    async def close(self) -> None:
        """Close the connection."""
        ...


class HttpWire:
    """A connection with a request per frame and polling for commands."""

    keeps_connection = False

    def __init__(self, post: Post, credential: str) -> None:
        self._post, self._credential = post, credential

    async def ask(self, frame: Document) -> Document:
        """See `CabinetWire`."""
        body = {"credential": self._credential, **frame}
        kind = body.pop("type")
        path = f"{POLL}/{body.pop('command_id')}/outcome" if kind == "outcome" else PATHS[kind]
        return await self._post(path, body)

    async def commands(self, sequence: int, wait_s: float, *, ask: bool) -> list[Document]:
        """See `CabinetWire`."""
        del ask
        frame: Document = {"type": "poll", "sequence": sequence, "wait_s": int(min(wait_s, WAIT_MAX_S))}
        return (await self.ask(frame))["commands"]

    async def connected(self) -> int:
        """See `CabinetWire`."""
        return 0

    async def close(self) -> None:
        """Do nothing."""


class ConnectedWire(ABC):
    """A persistent connection.

    Answers are matched by frame number, and commands are pushed.
    """

    keeps_connection = True

    def __init__(self) -> None:
        self._waiting: dict[int, asyncio.Future[Document]] = {}
        self._commands: asyncio.Queue[Document | None] = asyncio.Queue()
        """None marks a lost connection."""
        self._up = asyncio.Event()
        self._connections = 0
        self._task: asyncio.Task[None] | None = None
        self._closed = False

    async def ask(self, frame: Document) -> Document:
        """See `CabinetWire`."""
        await self.connected()
        number = frame["sequence"]
        answered = self._waiting[number] = asyncio.get_running_loop().create_future()
        try:
            async with asyncio.timeout(ANSWER_S):
                await self._send(frame["type"], msgspec.json.encode(frame))
                document = await answered
        except TimeoutError:
            raise LineLost("no answer came") from None
        finally:
            self._waiting.pop(number, None)
        if document["error"]:
            raise RequestRefused.by(document["error"], frame["type"])
        return document["answer"]

    async def commands(self, sequence: int, wait_s: float, *, ask: bool) -> list[Document]:
        """See `CabinetWire`."""
        if ask:
            return (await self.ask({"type": "poll", "sequence": sequence}))["commands"]
        found: list[Document | None] = []
        with suppress(TimeoutError):
            async with asyncio.timeout(wait_s):
                found.append(await self._commands.get())
        while not self._commands.empty():
            found.append(self._commands.get_nowait())
        if None in found:  # other commands are requested again
            raise LineLost("the connection was lost")
        return [each for each in found if each]

    async def connected(self) -> int:
        """Wait for the connection and return its number.

        Raises the error of a server that refuses the device.
        """
        if self._task is None:
            self._task = asyncio.create_task(self._maintain_connection(), name="cabinet-line")
        up = asyncio.ensure_future(self._up.wait())
        try:
            await asyncio.wait((up, self._task), return_when=asyncio.FIRST_COMPLETED)
        finally:
            up.cancel()
        if self._task.done():
            self._task.result()
        return self._connections

    async def close(self) -> None:
        """See `CabinetWire`."""
        self._closed = True
        if self._task:
            await cancel_tasks(self._task)

    def _heard(self, payload: str | bytes) -> None:
        document: Document = msgspec.json.decode(payload)
        if document["type"] == "command":
            self._commands.put_nowait(document)
        elif (told := self._waiting.get(document["sequence"])) and not told.done():
            told.set_result(document)

    def _is_up(self) -> None:
        self._connections += 1
        self._up.set()

    def _is_down(self) -> None:
        if self._up.is_set():
            self._commands.put_nowait(None)
        self._up.clear()
        for told in self._waiting.values():
            if not told.done():
                told.set_exception(LineLost("the connection was lost"))

    async def _maintain_connection(self) -> None:
        while not self._closed:
            with suppress(OSError):
                try:
                    await self._connect_and_receive()
                finally:
                    self._is_down()  # immediately, so that callers wait for the next connection
            await asyncio.sleep(0 if self._closed else RETRY_S)

    @abstractmethod
    async def _connect_and_receive(self) -> None:
        """Connect, call `_is_up`, and pass messages to `_heard`.

        Raises `OSError` when the connection is lost.
        """

    @abstractmethod
    async def _send(self, kind: str, payload: bytes) -> None:
        """Send a frame. Raises `OSError` if the connection is lost."""
