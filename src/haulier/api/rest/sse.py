"""Live lists: new records of a list as server-sent events (WHATWG HTML, 9.2).

At every notice, the list is read again from the cursor, through the whole pipeline. The stream therefore shows only
what the list would show, ends when the token is revoked, and recovers from a lost notice at the next poll. The id of
the last record of a batch is the cursor, so that a reconnecting browser misses nothing.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Any

from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.types import Receive, Scope, Send

from haulier.api.request_headers import RequestHeaders
from haulier.api.rest.router import Binding
from haulier.kernel.application import Application
from haulier.kernel.data.notices import client_subject
from haulier.kernel.operations import codec
from haulier.kernel.operations.declaration import EventStream
from haulier.kernel.pipeline.result import OperationResult
from haulier.kernel.pipeline.run import handle_request

POLL_INTERVAL_S = 10.0
"""Interval in seconds to read the list without a notice."""
MAX_STREAM_S = 900.0
"""Maximum seconds of a stream. The client reconnects automatically, possibly to another process."""
LINE_END = "\n"
RenderError = Callable[[Binding, OperationResult, Send], Awaitable[None]]
ReadList = Callable[[str | None], Awaitable[OperationResult]]


async def stream_list(
    app: Application,
    headers: RequestHeaders,
    binding: Binding,
    texts: Mapping[str, Any],
    scope: Scope,
    receive: Receive,
    send: Send,
    *,
    render_error: RenderError,
) -> None:
    """Answer a request for a live list, until the client disconnects.

    An error is one JSON body, as for the list.
    """
    rest, operation, _ = binding
    event_stream: EventStream = rest.event_stream  # type: ignore[assignment]

    async def read_list(cursor: str | None) -> OperationResult:
        values = {**texts, **event_stream.fixed, **({"cursor": cursor} if cursor else {})}
        return await handle_request(app, headers.operation_request(operation, "rest", texts=values))

    cursor: str | None = headers.last_event_id or texts.get("cursor")
    first = await read_list(cursor)
    if first.error is not None:
        await render_error(binding, first, send)
        return
    woken = asyncio.Event()
    subject = event_stream.notice_value(texts[event_stream.by])
    if event_stream.of_client:
        subject = client_subject(first.client_id, subject)
    unlisten = await app.database.listen(event_stream.channel, lambda _: woken.set(), subject)
    events = _events(event_stream, read_list, first, cursor, woken)
    try:
        await EventSourceResponse(events, ping=POLL_INTERVAL_S, sep=LINE_END)(scope, receive, send)
    finally:
        unlisten()


async def _events(
    event_stream: EventStream, read_list: ReadList, result: OperationResult, cursor: str | None, woken: asyncio.Event
) -> AsyncIterator[bytes]:
    """Yield batches of new records until an error or the maximum duration."""
    ends = asyncio.get_running_loop().time() + MAX_STREAM_S
    while result.error is None:
        records = getattr(result.answer, event_stream.records)
        cursor = result.answer.next_cursor or cursor  # type: ignore[union-attr]
        if records:
            yield _encoded_batch(records, cursor)
        if asyncio.get_running_loop().time() > ends:
            return
        try:
            async with asyncio.timeout(POLL_INTERVAL_S):
                await woken.wait()
        except TimeoutError:
            pass
        woken.clear()
        result = await read_list(cursor)


def _encoded_batch(records: list[Any], cursor: str | None) -> bytes:
    """Encode each record as a message; the last one has the cursor as its id."""
    ids = [None] * (len(records) - 1) + [cursor]
    messages = (
        ServerSentEvent(codec.encode_json(record).decode(), id=id, sep=LINE_END)
        for record, id in zip(records, ids, strict=True)
    )
    return b"".join(message.encode() for message in messages)
