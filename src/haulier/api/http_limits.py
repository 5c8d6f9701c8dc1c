"""Limits for HTTP/1.1 request heads that are large, slow or without a host.

uvicorn limits neither the size of a request head nor the time until it is complete. A connection whose head is not
complete within `HEAD_S` is closed. A head above the limits is answered with 431, and one without `Host` with 400 (RFC
9112, section 3.2).
"""

import json
from asyncio import AbstractEventLoop, TimerHandle, Transport
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

MAX_HEAD_BYTES = 64 * 1024
"""Bytes of the request line and headers."""
MAX_HEADERS = 200
HEAD_S = 10.0
"""Seconds until a request head must be complete, from the connection or its first byte."""
TOO_LARGE = "The request line and headers must not exceed 64 KiB and 200 headers."
NO_HOST = "An HTTP/1.1 request needs exactly one Host header."


class HeadRefused(Exception):
    """Raised while parsing; the parser reports it as an invalid request."""


class LimitedHttpProtocol(HttpToolsProtocol):
    """A connection of uvicorn with a limited request head."""

    loop: AbstractEventLoop
    transport: Transport

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._head_bytes = 0
        self._has_head = False
        self._head_timer: TimerHandle | None = None
        self._refusal: tuple[int, str, str] | None = None

    def connection_made(self, transport: Transport) -> None:
        """Start the timeout for the first request."""
        super().connection_made(transport)
        self._wait_for_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the timeout."""
        self._stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse data; close the connection if an incomplete head is too large."""
        super().data_received(data)
        if self._has_head or self.transport.is_closing():
            return
        self._head_bytes += len(data)
        if self._head_bytes > MAX_HEAD_BYTES:
            self._reject_large_head()
            self.send_400_response(TOO_LARGE)

    def on_message_begin(self) -> None:
        """Start measuring the head of the next request."""
        super().on_message_begin()
        self._has_head = False
        self._head_bytes = 0
        if self._head_timer is None:
            self._wait_for_head()

    def on_header(self, name: bytes, value: bytes) -> None:
        """Count a header. Raises `HeadRefused` above the limit."""
        super().on_header(name, value)
        if len(self.headers) > MAX_HEADERS:
            self._reject_large_head()
            raise HeadRefused

    def on_headers_complete(self) -> None:
        """Process a valid request. Raises `HeadRefused` for an invalid head."""
        self._has_head = True
        self._stop_waiting()
        head = len(self.url) + sum(len(name) + len(value) + 4 for name, value in self.headers)
        if head > MAX_HEAD_BYTES:
            self._reject_large_head()
            raise HeadRefused
        hosts = sum(name == b"host" for name, _ in self.headers)
        parser: Any = self.parser
        if hosts > 1 or (not hosts and parser.get_http_version() == "1.1"):
            self._refusal = (400, "HOST_REQUIRED", NO_HOST)
            raise HeadRefused
        super().on_headers_complete()

    def send_400_response(self, msg: str) -> None:
        """Answer an invalid request and close the connection."""
        self._stop_waiting()
        status, code, message = self._refusal or (400, "INVALID_HTTP_REQUEST", msg)
        body = json.dumps({"result": False, "message": message, "code": code, "errors": []}).encode()
        head = f"HTTP/1.1 {status} {'Bad Request' if status == 400 else 'Request Header Fields Too Large'}\r\n"
        fields = f"content-type: application/json\r\ncontent-length: {len(body)}\r\nconnection: close\r\n\r\n"
        self.transport.write((head + fields).encode() + body)
        self.transport.close()

    def _reject_large_head(self) -> None:
        self._refusal = (431, "REQUEST_HEADERS_TOO_LARGE", TOO_LARGE)

    def _wait_for_head(self) -> None:
        self._head_timer = self.loop.call_later(HEAD_S, self._close_slow_connection)

    def _stop_waiting(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _close_slow_connection(self) -> None:
        self._head_timer = None
        if not self.transport.is_closing():
            self.transport.close()
