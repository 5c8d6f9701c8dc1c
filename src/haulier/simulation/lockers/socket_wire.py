"""WebSocket connection of a simulated locker."""

import msgspec
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, WebSocketException

from haulier.simulation.client import RequestRefused
from haulier.simulation.lockers.wires import ConnectedWire, LineLost

PATH = "/v1/device/socket"
NOT_KNOWN = 4401


class SocketWire(ConnectedWire):
    """An open WebSocket. `base` is the HTTP URL of the server's /api."""

    def __init__(self, base: str, credential: str) -> None:
        super().__init__()
        self._address = "ws" + base.removeprefix("http").rstrip("/") + PATH
        self._credential = credential
        self._socket: ClientConnection | None = None

    async def _connect_and_receive(self) -> None:
        try:
            async with connect(self._address, proxy=None) as socket:
                await socket.send(msgspec.json.encode({"type": "hello", "credential": self._credential}).decode())
                self._heard(await socket.recv())
                self._socket = socket
                self._is_up()
                async for payload in socket:
                    self._heard(payload)
        except ConnectionClosed as error:
            if error.rcvd and error.rcvd.code == NOT_KNOWN:
                raise RequestRefused("the server does not know this device") from error
            raise LineLost(str(error)) from error
        except WebSocketException as error:
            raise LineLost(str(error)) from error
        finally:
            self._socket = None

    async def _send(self, kind: str, payload: bytes) -> None:
        del kind
        if self._socket is None:
            raise LineLost("the connection is lost")
        try:
            await self._socket.send(payload.decode())
        except ConnectionClosed as error:
            raise LineLost(str(error)) from error
