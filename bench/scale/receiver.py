"""Receiver that counts webhooks."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress

from bench.serve import HOST

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


class WebhookReceiver:
    """Counts messages by their id."""

    def __init__(self) -> None:
        self.heard = Counter[str]()
        self.url = ""

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(asyncio.IncompleteReadError, ConnectionError):  # the sending worker was killed
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            headers = dict(line.lower().split(": ", 1) for line in head.split("\r\n")[1:] if ": " in line)
            await reader.readexactly(int(headers.get("content-length", 0)))
            self.heard[headers["webhook-id"]] += 1
            writer.write(ANSWER)
            await writer.drain()
        writer.close()

    @asynccontextmanager
    async def listening(self) -> AsyncGenerator[None]:
        """Accept webhooks while the context is open."""
        server = await asyncio.start_server(self._answer, HOST, 0)
        self.url = f"http://{HOST}:{server.sockets[0].getsockname()[1]}/"
        async with server:
            yield
