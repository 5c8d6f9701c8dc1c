"""Clients that send or read too slowly."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.responses import JSONResponse, StreamingResponse
from starlette.types import Message, Receive, Scope, Send

from haulier.api.slow_clients import SlowClientLimit
from haulier.kernel.i18n.languages import Catalogues

SCOPE: Scope = {"type": "http", "path": "/api/v1/orders", "method": "POST", "headers": [(b"accept-language", b"de")]}
CATALOGUES = Catalogues()
FOR_EVER = asyncio.Event


async def read_all(scope: Scope, receive: Receive, send: Send) -> None:
    """An application that wants the whole body, and answers with its size."""
    size, more = 0, True
    while more:
        message = await receive()
        size, more = size + len(message.get("body", b"")), message.get("more_body", False)
    await JSONResponse({"size": size})(scope, receive, send)


async def exchange(app: Any, receive: Receive, send: Callable[[Message], Awaitable[None]]) -> None:
    async with asyncio.timeout(60):
        await SlowClientLimit(app, CATALOGUES, body_s=0.05, piece_s=0.05)(SCOPE, receive, send)


def receive_of(*messages: Message) -> Receive:
    """Return a receive function that yields these messages, then waits forever."""
    waiting = list(messages)

    async def receive() -> Message:
        if waiting:
            return waiting.pop(0)
        await FOR_EVER().wait()
        raise AssertionError

    return receive


async def test_a_missing_body_returns_408_in_the_callers_language() -> None:
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    await exchange(read_all, receive_of({"type": "http.request", "body": b"{", "more_body": True}), send)
    assert sent[0]["status"] == 408
    assert (b"connection", b"close") in sent[0]["headers"]
    said = json.loads(sent[1]["body"])
    assert (said["code"], "nicht innerhalb" in said["message"]) == ("REQUEST_TOO_SLOW", True)


async def test_a_timely_request_is_answered_and_its_stream_can_last() -> None:
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async def listen(scope: Scope, receive: Receive, send: Send) -> None:
        assert (await receive())["body"] == b"{}"
        waiting = asyncio.create_task(receive())
        assert not (await asyncio.wait([waiting], timeout=0.2))[0]
        waiting.cancel()
        await JSONResponse({})(scope, receive, send)

    await exchange(listen, receive_of({"type": "http.request", "body": b"{}"}), send)
    assert sent[0]["status"] == 200


async def test_an_unread_stream_ends_and_releases_its_resources() -> None:
    let_go = asyncio.Event()

    async def pieces() -> Any:
        while True:
            yield b"data"

    async def send(message: Message) -> None:
        if message["type"] == "http.response.body":
            await FOR_EVER().wait()

    async def stream(scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await StreamingResponse(pieces())(scope, receive, send)
        finally:
            let_go.set()

    await exchange(stream, receive_of({"type": "http.request", "body": b""}), send)
    assert let_go.is_set()
