"""Uvicorn's HTTP/1.1 with one write for each answer: its head leaves together with the beginning of its body.

ASGI wants it so (a server must not begin an answer before the first event of its body), but uvicorn sends the head alone. Two
segments instead of one cost a short answer a fifth of its time in the kernel, and wake the client twice. An answer that is
complete in one event, with its length in the head, is put together here; every other one is uvicorn's to send.
"""

from collections.abc import Sequence
from typing import Any

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle

Header = tuple[bytes, bytes]
FRAMING_HEADERS = frozenset({b"connection", b"transfer-encoding"})
HEADER_CHARACTERS = bytes([9, *range(32, 127), *range(128, 256)])
"""What headers are made of (RFC 9110, 5.5). With any other sign among them, a value could end its line and begin another."""


class SingleWriteProtocol(HttpToolsProtocol):
    """One connection."""

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        super()._start_asgi_task(cycle, SingleWriteApp(app, cycle))


class SingleWriteApp:
    """An application whose head waits for the beginning of its body."""

    __slots__ = ("_app", "_cycle", "_head")

    def __init__(self, app: Any, cycle: RequestResponseCycle) -> None:
        self._app = app
        self._cycle = cycle
        self._head: Any = None

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer one request. A head whose body never came leaves, so that uvicorn can tell what is missing."""
        await self._app(scope, receive, self._send)
        if self._head:
            await send(self._head)

    async def _send(self, message: Any) -> None:
        if self._head is None:
            self._head = message
            return
        head, self._head = self._head, False
        if head:
            whole = None if message.get("more_body") else self._complete(head, message.get("body", b""))
            if whole:
                self._finish(whole)
                return
            await self._cycle.send(head)
        await self._cycle.send(message)

    def _complete(self, head: Any, body: bytes) -> bytes | None:
        """The bytes of a complete answer; None where uvicorn has to look after the connection, or to refuse a header."""
        cycle = self._cycle
        if cycle.disconnected or cycle.flow.write_paused or not cycle.keep_alive or cycle.scope["method"] == "HEAD":
            return None
        return encoded_response(head["status"], [*cycle.default_headers, *head.get("headers", ())], body)

    def _finish(self, whole: bytes) -> None:
        cycle = self._cycle
        cycle.response_started = cycle.response_complete = True
        cycle.waiting_for_100_continue = False
        cycle.transport.write(whole)
        cycle.message_event.set()
        cycle.on_response()


def encoded_response(status: int, headers: Sequence[Header], body: bytes) -> bytes | None:
    """An answer as HTTP/1.1 writes it; None for one whose head does not just tell the length of its body."""
    named = dict(headers)
    if named.get(b"content-length") != b"%d" % len(body) or not FRAMING_HEADERS.isdisjoint(named):
        return None
    lines = b"".join([b"%b: %b\r\n" % header for header in headers])
    if lines.translate(None, HEADER_CHARACTERS) != b"\r\n" * len(headers):
        return None
    return b"".join([STATUS_LINE[status], lines, b"\r\n", body])
