"""Uvicorn's HTTP/1.1 with one write for each answer: its head leaves together with the beginning of its body.

ASGI wants it so (a server must not begin an answer before the first event of its body), but uvicorn sends the head alone. Two
segments instead of one cost a short answer a fifth of its time in the kernel, and wake the client twice.
"""

import asyncio
from typing import Any, cast

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol


class Joined:
    """A transport that keeps the head of an answer until the next write, or until the answer is complete."""

    def __init__(self, transport: asyncio.Transport, protocol: HttpToolsProtocol) -> None:
        self._transport = transport
        self._protocol = protocol
        self._head: bytes | None = None
        """None before the head, empty once it has left."""
        self._write = transport.write
        self.is_closing = transport.is_closing

    def write(self, data: bytes) -> None:
        """Write, with the head in front of what follows it."""
        if self._head:
            self._write(self._head + data)
            self._head = b""
        elif self._head is None and self._protocol.cycle and self._protocol.cycle.response_started:
            self._head = data
        else:
            self._write(data)

    def complete(self) -> None:
        """The answer is complete: what was kept leaves, and the next answer begins with its head."""
        if self._head:
            self._write(self._head)
        self._head = None

    def close(self) -> None:
        """Close, after what was kept has left."""
        self.complete()
        self._transport.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)


class Answering(HttpToolsProtocol):
    """One connection."""

    def connection_made(self, transport: asyncio.Transport) -> None:
        """Put the joining in front of the transport."""
        self._joined = Joined(transport, self)
        super().connection_made(cast(asyncio.Transport, self._joined))

    def on_response_complete(self) -> None:
        """Let go of an answer without a body."""
        self._joined.complete()
        super().on_response_complete()
