"""Live lists: new records pushed as server-sent events (WHATWG HTML, 9.2), from the same operation that lists them.

Nothing is pushed that a list would not show: at every notice the list is asked again, from the cursor on, through the whole
pipeline. So a token that is revoked ends the stream, and a notice that gets lost is made up for at the next beat. The id of
the last record of a batch is the cursor: a client that comes back with it, as browsers do, misses nothing.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any

from starlette.types import Receive, Send

from haulier.doors.request_headers import RequestHeaders
from haulier.doors.rest.router import Binding
from haulier.kernel.application import Application
from haulier.kernel.operations import codec
from haulier.kernel.operations.declaration import EventStream
from haulier.kernel.pipeline.result import OperationResult
from haulier.kernel.pipeline.run import handle_request

POLL_INTERVAL_S = 10.0
"""How often the list is asked, and the line kept open, where nobody gives notice."""
MAX_STREAM_S = 900.0
"""A stream ends after so long; the client comes back by itself, perhaps to another process."""
SSE_HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
]
RenderError = Callable[[Binding, OperationResult, Send], Awaitable[None]]


async def stream_list(
    app: Application,
    headers: RequestHeaders,
    binding: Binding,
    texts: Mapping[str, Any],
    receive: Receive,
    send: Send,
    *,
    render_error: RenderError,
) -> None:
    """Answer a request for a live list, until the client leaves. Refused like the list itself, as one JSON body."""
    rest, operation, _ = binding
    event_stream: EventStream = rest.event_stream  # type: ignore[assignment]
    cursor: str | None = headers.last_event_id or texts.get("cursor")

    async def ask() -> OperationResult:
        said = {**texts, **event_stream.fixed, **({"cursor": cursor} if cursor else {})}
        return await handle_request(app, headers.operation_request(operation, "rest", texts=said))

    outcome = await ask()
    if outcome.error is not None:
        await render_error(binding, outcome, send)
        return
    woken = asyncio.Event()
    unlisten = await app.database.listen(event_stream.channel, _wake_on_notice(texts[event_stream.by], woken))
    gone = asyncio.create_task(_wait_for_disconnect(receive))
    loop = asyncio.get_running_loop()
    ends = loop.time() + MAX_STREAM_S
    try:
        await send({"type": "http.response.start", "status": 200, "headers": SSE_HEADERS})
        while outcome.error is None:
            records, after = getattr(outcome.answer, event_stream.records), outcome.answer.next_cursor  # type: ignore[union-attr]
            cursor = after or cursor
            await send({"type": "http.response.body", "body": _encoded_events(records, cursor), "more_body": True})
            if loop.time() > ends or not await _wait_for_notice(woken, gone):
                break
            outcome = await ask()
        await send({"type": "http.response.body", "body": b""})
    finally:
        unlisten()
        gone.cancel()


def _wake_on_notice(value: str, woken: asyncio.Event) -> Callable[[str], None]:
    def hear(payload: str) -> None:
        if payload == "*" or value in payload.split(" "):
            woken.set()

    return hear


async def _wait_for_notice(woken: asyncio.Event, gone: "asyncio.Task[None]") -> bool:
    """Wait for a notice or a beat. False when the client has left."""
    waiting = asyncio.create_task(woken.wait())
    await asyncio.wait({waiting, gone}, timeout=POLL_INTERVAL_S, return_when=asyncio.FIRST_COMPLETED)
    waiting.cancel()
    woken.clear()
    return not gone.done()


async def _wait_for_disconnect(receive: Receive) -> None:
    with suppress(Exception):
        while (await receive())["type"] != "http.disconnect":
            pass


def _encoded_events(records: list[Any], cursor: str | None) -> bytes:
    """Each record as a message; a comment keeps the line open where there is none."""
    if not records:
        return b": still here\n\n"
    told = [b"data: " + codec.encode_json(record) for record in records]
    if cursor:
        told[-1] = b"id: " + cursor.encode() + b"\n" + told[-1]
    return b"\n\n".join(told) + b"\n\n"
