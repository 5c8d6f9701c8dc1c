"""In-process WebSocket of a device, with connections that can be cut."""

import asyncio
import json
from typing import Any

from tests.support.app import App

PATIENCE_S = 60.0
"""Maximum wait on a slow machine."""
PATH = "/api/v1/device/socket"


class Socket:
    """One connection: received frames in `heard`, and the close code in `closed`."""

    def __init__(self, app: App) -> None:
        self._sent: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.heard: list[dict[str, Any]] = []
        self.closed: int | None = None
        self._changed = asyncio.Event()
        scope = {
            "type": "websocket",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "scheme": "ws",
            "path": PATH,
            "raw_path": PATH.encode(),
            "root_path": "",
            "query_string": b"",
            "headers": [],
            "client": ("127.0.0.1", 1),
            "server": ("test", 80),
            "subprotocols": [],
        }
        self._sent.put_nowait({"type": "websocket.connect"})
        transport: Any = app.http._transport
        self._task = asyncio.create_task(transport.app(scope, self._sent.get, self._take))

    async def _take(self, message: Any) -> None:
        if message["type"] == "websocket.send":
            self.heard.append(json.loads(message["text"]))
        elif message["type"] == "websocket.close":
            self.closed = message["code"]
        self._changed.set()

    def say(self, **frame: Any) -> None:
        """Send a frame."""
        self.send(json.dumps(frame))

    def send(self, text: str) -> None:
        """Send any text."""
        self._sent.put_nowait({"type": "websocket.receive", "text": text})

    async def until(self, there: Any) -> Any:
        """Wait until something is there: what `there(self)` gives, once it is true."""
        async with asyncio.timeout(PATIENCE_S):
            while not (found := there(self)):
                self._changed.clear()
                await self._changed.wait()
        return found

    async def answer(self, sequence: int, count: int = 1) -> Any:
        """Return the response to a frame once a number of them arrived."""
        found = await self.until(
            lambda each: [one for one in each.heard if one["type"] == "answer" and one["sequence"] == sequence][
                count - 1 :
            ]
        )
        return found[0]

    async def commands(self, count: int) -> list[Any]:
        """Return the pushed commands once a number of them arrived."""
        await self.until(lambda each: len(each.pushed) >= count)
        return self.pushed

    @property
    def pushed(self) -> list[Any]:
        """The commands that came by themselves so far."""
        return [one for one in self.heard if one["type"] == "command"]

    async def cut(self) -> None:
        """The line is cut; wait until the server is done with it."""
        self._sent.put_nowait({"type": "websocket.disconnect", "code": 1006})
        await asyncio.wait_for(self._task, PATIENCE_S)


async def greeted(app: App, credential: str) -> Socket:
    """A connection that has shown its credential."""
    socket = Socket(app)
    socket.say(type="hello", credential=credential)
    await socket.until(lambda each: each.heard or each.closed)
    return socket
