"""Clients that send or take so slowly that they only hold something: they are sent away.

A request's body has to be there within `BODY_S`. Each piece of a streamed answer has to be taken within `PIECE_S`: a client
that reads nothing is one that the operating system's buffers, and then ours, have no more room for.
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
"""How long the body of a request may take: at the largest body, 1.6 Mbit/s."""
PIECE_S = 30.0
"""How long a piece of a streamed answer may wait for the client to read."""
log = logging.getLogger("haulier.api")


class ClientTooSlow(Exception):
    """The client did not send or take in time. Not a `TimeoutError`, which code within might take for its own."""


class SlowClientLimit:
    """The application for clients that send and read in time."""

    def __init__(
        self, app: ASGIApp, catalogues: Catalogues, *, body_s: float = BODY_S, piece_s: float = PIECE_S
    ) -> None:
        self._app = app
        self._catalogues = catalogues
        self._body_s = body_s
        self._piece_s = piece_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a connection on. Its answer is 408 when the body does not come, and ends when nobody reads it."""
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
        """The next message of the client. Raises `ClientTooSlow` while its body is not there; a farewell may take its time."""
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
        """A coroutine, which can be begun; what servers hand out is any awaitable."""
        return await self._receive()

    async def send(self, message: Message) -> None:
        """Send a piece of the answer. Raises `ClientTooSlow` when the client has not read enough of the pieces before it."""
        is_start = message["type"] == "http.response.start"
        self.has_answer = self.has_answer or is_start
        if is_start or not message.get("more_body", False):
            await self._send(message)  # what comes in one piece waits for nobody
            return
        try:
            async with asyncio.timeout(self._piece_s):
                await self._send(message)
        except TimeoutError:
            raise ClientTooSlow from None
