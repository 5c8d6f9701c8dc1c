"""Device frames over WebSocket.

The first frame contains the credential. Later frames are answered, and commands are pushed as they arrive.
"""

import asyncio

import msgspec
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from haulier.api.devices.frames import FrameInterface
from haulier.api.devices.pushes import CommandPushes
from haulier.kernel.cancelling import cancel_tasks

PATH = "/api/v1/device/socket"
HELLO = "hello"
HELLO_S = 20.0
"""Seconds that a connection has to authenticate."""
NOT_KNOWN, TOO_LATE, NO_TEXT = 4401, 4408, 1003
"""Close codes for an invalid or revoked credential, a missing first frame, and a message that is not text."""


def socket_route(interface: FrameInterface) -> WebSocketRoute:
    """Return the WebSocket route for devices."""

    async def endpoint(socket: WebSocket) -> None:
        await socket.accept()
        try:
            await _serve(interface, socket)
        except WebSocketDisconnect:
            return

    return WebSocketRoute(PATH, endpoint)


async def _serve(interface: FrameInterface, socket: WebSocket) -> None:
    try:
        async with asyncio.timeout(HELLO_S):
            credential = _credential_of(await socket.receive_text())
    except TimeoutError:
        await socket.close(TOO_LATE)
        return
    except KeyError:
        await socket.close(NO_TEXT)
        return
    whose = await interface.devices.find(interface.app, credential) if credential else None
    if whose is None:
        await socket.close(NOT_KNOWN)
        return
    await _Session(interface, socket, credential, *whose).run()


def _credential_of(text: str) -> str:
    try:
        frame = msgspec.json.decode(text)
    except msgspec.DecodeError:
        return ""
    shown = frame.get("credential") if isinstance(frame, dict) and frame.get("type") == HELLO else None
    return shown if isinstance(shown, str) else ""


class _Session:
    """One connection of a device."""

    def __init__(
        self, interface: FrameInterface, socket: WebSocket, credential: str, client_id: int, device_id: int
    ) -> None:
        self._interface, self._socket, self._credential = interface, socket, credential
        self._pushes = CommandPushes(interface, credential, client_id, device_id)
        self._sending = asyncio.Lock()
        self._first: int | None = None

    async def run(self) -> None:
        """Answer frames and push commands until the connection ends."""
        unlisten = await self._pushes.listen()
        await self._send(b'{"type":"answer","to":"hello","sequence":null,"status":200,"answer":{},"error":null}')
        pushing = asyncio.create_task(self._push(), name="device-socket")
        hearing = asyncio.create_task(self._hear(), name="device-socket")
        try:
            ended, _ = await asyncio.wait((pushing, hearing), return_when=asyncio.FIRST_COMPLETED)
            for task in ended:
                task.result()
        finally:
            unlisten()
            await cancel_tasks(pushing, hearing)
            await self._record_end()

    async def _hear(self) -> None:
        while True:
            try:
                text = await self._socket.receive_text()
            except KeyError:
                await self._end(NO_TEXT)
                return
            said = await self._interface.answer(text.encode(), self._credential)
            await self._send(said.body)
            if said.status == 401:
                await self._end(NOT_KNOWN)
                return
            if self._first is None and said.status == 200:
                self._first = _first_of_session(text)

    async def _push(self) -> None:
        await self._pushes.hand_over(self._send)
        await self._end(NOT_KNOWN)

    async def _record_end(self) -> None:
        """Report the end of the session, as a broker does with the will."""
        if self._first is not None:
            frame = {"type": "state", "sequence": self._first, "session": "end", "sent_at": self._interface.app.clock()}
            await self._interface.answer(msgspec.json.encode(frame), self._credential)

    async def _send(self, body: bytes) -> None:
        async with self._sending:
            await self._socket.send_text(body.decode())

    async def _end(self, code: int) -> None:
        async with self._sending:
            await self._socket.close(code)


def _first_of_session(text: str) -> int | None:
    frame = msgspec.json.decode(text)
    return frame["sequence"] if frame.get("session") == "begin" else None
