"""The wires of a simulated cabinet: HTTP with long poll, and what wires that keep a connection have in common."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, Protocol

import msgspec

from haulier.kernel.cancelling import cancel_tasks
from haulier.simulation.client import RequestRefused

Post = Callable[[str, dict[str, Any]], Awaitable[dict[str, Any]]]
"""Sends a body to a path and gives the document of the answer."""
Document = dict[str, Any]
Download = Callable[[str, int], Awaitable[bytes]]
"""Fetches a file from a byte on. Raises `LineLost`, `DownloadHeld`, `DownloadRefused`."""
POLL = "/v1/device/commands"
PATHS = {
    "state": "/v1/device/state",
    "code": "/v1/device/codes",
    "poll": POLL,
    "codes": "/v1/device/offline-codes",
    "openings": "/v1/device/offline-openings",
}
ANSWER_S = 10.0
"""An answer that does not come within so many seconds is taken for lost."""
WAIT_MAX_S = 20
"""The longest that a server lets a poll wait."""
RETRY_S = 0.5
"""How long a cabinet waits before it connects again."""


class LineLost(OSError):
    """The line is down, or an answer was lost on it."""


class DownloadHeld(Exception):
    """The file cannot be had now; the command is given again when it can."""


class DownloadRefused(Exception):
    """The file is not for this device any more."""


class CabinetWire(Protocol):
    """How a cabinet speaks to a server."""

    @property
    def keeps_connection(self) -> bool:
        """Whether commands come without being asked for."""
        ...

    async def ask(self, frame: Document) -> Document:
        """Send a frame and wait for its answer. Raises `LineLost`, and `RequestRefused` for a frame that is refused."""
        ...

    async def commands(self, sequence: int, wait_s: float, *, ask: bool) -> list[Document]:
        """The commands that there are, after some seconds at most; with `ask`, all that wait. Raises `LineLost`."""
        ...

    async def connected(self) -> int:
        """Wait until the line is up. Which connection it is, counted: a new one begins with its first frame."""
        ...

    async def close(self) -> None:
        """Let the line go."""
        ...


class HttpWire:
    """Each frame is a request; commands are asked for, and waited for."""

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
        """Nothing is kept."""


class ConnectedWire(ABC):
    """A wire that keeps a connection: answers are known by the numbers of their frames, and commands come by themselves."""

    keeps_connection = True

    def __init__(self) -> None:
        self._waiting: dict[int, asyncio.Future[Document]] = {}
        self._commands: asyncio.Queue[Document | None] = asyncio.Queue()
        """None tells that the line went down."""
        self._up = asyncio.Event()
        self._connections = 0
        self._task: asyncio.Task[None] | None = None
        self._closed = False

    async def ask(self, frame: Document) -> Document:
        """See `CabinetWire`."""
        await self.connected()
        number = frame["sequence"]
        told = self._waiting[number] = asyncio.get_running_loop().create_future()
        try:
            async with asyncio.timeout(ANSWER_S):
                await self._send(frame["type"], msgspec.json.encode(frame))
                document = await told
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
        if None in found:  # what else came is asked for again
            raise LineLost("the line went down")
        return [each for each in found if each]

    async def connected(self) -> int:
        """See `CabinetWire`. Raises what a server that refuses the device said."""
        if self._task is None:
            self._task = asyncio.create_task(self._stay_connected(), name="cabinet-line")
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
                told.set_exception(LineLost("the line went down"))

    async def _stay_connected(self) -> None:
        while not self._closed:
            with suppress(OSError):
                try:
                    await self._connect_and_hear()
                finally:
                    self._is_down()  # Why at once: whoever asks now waits for the next connection
            await asyncio.sleep(0 if self._closed else RETRY_S)

    @abstractmethod
    async def _connect_and_hear(self) -> None:
        """Connect, call `_is_up`, and give `_heard` what comes, until the line is down. Raises `OSError` where it is."""

    @abstractmethod
    async def _send(self, kind: str, payload: bytes) -> None:
        """Send a frame. Raises `OSError` where the line is down."""
