"""Time limits for clients that send or read too slowly.

A request body must arrive within `BODY_S`. Each chunk of a streamed answer must be accepted within `PIECE_S`. Sending
blocks only if a client reads so little that the buffers of the system and the server are full.
"""

import asyncio
import logging

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from haulier.api.request_headers import RequestHeaders
from haulier.api.send_answer import send_answer
from haulier.kernel.deadlines import OutOfTime, run_until
from haulier.kernel.i18n.languages import Catalogues, negotiate_language
from haulier.kernel.operations import codec
from haulier.kernel.operations.error_rendering import render_error
from haulier.kernel.operations.errors import REQUEST_TOO_SLOW

BODY_S = 60.0
"""Seconds for a request body. The largest body requires 1.6 Mbit/s."""
PIECE_S = 30.0
"""Seconds that a chunk of a streamed answer can wait for the client."""
log = logging.getLogger("haulier.api")


class ClientTooSlow(Exception):
    """The client exceeded a time limit.

    Not a `TimeoutError`, so that inner code does not handle it as its own.
    """


class SlowClientLimit:
    """Middleware that disconnects clients that send or read too slowly."""

    def __init__(
        self, app: ASGIApp, catalogues: Catalogues, *, body_s: float = BODY_S, piece_s: float = PIECE_S
    ) -> None:
        self._app = app
        self._catalogues = catalogues
        self._body_s = body_s
        self._piece_s = piece_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Forward a connection with time limits.

        Answers 408 if the body is late, and ends the answer if the client stops reading.
        """
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        exchange = _Exchange(receive, send, self._body_s, self._piece_s)
        try:
            await self._app(scope, exchange.receive, exchange.send)
        except ClientTooSlow:
            self._send_away(scope)
            if not exchange.has_answer:
                await self._answer_too_slow(scope, send)
        except BaseExceptionGroup as group:
            if group.split(ClientTooSlow)[1] is not None:
                raise
            self._send_away(scope)

    def _send_away(self, scope: Scope) -> None:
        log.info("a client was too slow at %s", scope.get("path"))

    async def _answer_too_slow(self, scope: Scope, send: Send) -> None:
        headers = RequestHeaders.of(scope)
        language = negotiate_language(headers.accept_language)
        error = REQUEST_TOO_SLOW(limit_s=round(self._body_s))
        body = codec.encode_json(render_error(error, self._catalogues, language, headers.request_id))
        named = [
            (b"content-type", b"application/json"),
            (b"content-length", b"%d" % len(body)),
            (b"connection", b"close"),
        ]
        await send_answer(send, REQUEST_TOO_SLOW.status, named, body)


class _Exchange:
    """One request and its answer."""

    def __init__(self, receive: Receive, send: Send, body_s: float, piece_s: float) -> None:
        self._receive = receive
        self._send = send
        self._piece_s = piece_s
        self._body_s = body_s
        self._body_ends_s: float | None = None
        self._has_body = False
        self.has_answer = False

    async def receive(self) -> Message:
        """Return the next message. Raises `ClientTooSlow` if the body is late.

        There is no limit for the disconnect message after the body.
        """
        if self._has_body:
            return await self._receive()
        if self._body_ends_s is None:
            self._body_ends_s = asyncio.get_running_loop().time() + self._body_s
        try:
            message = await run_until(self._body_ends_s, self._next_message())
        except OutOfTime:
            raise ClientTooSlow from None
        self._has_body = not message.get("more_body", False)
        return message

    async def _next_message(self) -> Message:
        """Wrap the server's awaitable in a coroutine, as `run_until` requires."""
        return await self._receive()

    async def send(self, message: Message) -> None:
        """Send a chunk. Raises `ClientTooSlow` if the client does not read in time."""
        is_start = message["type"] == "http.response.start"
        self.has_answer = self.has_answer or is_start
        if is_start or not message.get("more_body", False):
            await self._send(message)  # complete answers and final chunks have no limit
            return
        try:
            async with asyncio.timeout(self._piece_s):
                await self._send(message)
        except TimeoutError:
            raise ClientTooSlow from None
