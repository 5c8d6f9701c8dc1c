"""Server-sent events for pages (WHATWG HTML, 9.2) with the state of what they show.

The state is read at every notice of the database and at every poll, in the name of the reader; it is sent when it differs from
what was sent before. So a lost notice costs one poll, and a session that ended ends the stream (decision 0008). A state that
many readers see alike is read and encoded once for all of them; whether each may still read it is asked each time (0042).
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable
from typing import NamedTuple
from weakref import WeakValueDictionary

from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.responses import Response

from haulier.kernel.application import Application

POLL_INTERVAL_S = 10.0
"""How often the state is read where no notice comes."""
POLLS_SHARED = 0.1
"""Readers who poll within this part of the interval share what was read."""
MAX_STREAM_S = 900.0
"""A stream ends after so long; browsers come back by themselves, perhaps to another process."""
LINE_END = "\n"
MESSAGE_HEAD = len(b"data: {")
"""So much stands in a message before its state."""
CurrentState = Callable[[], Awaitable[str | None]]
MayRead = Callable[[], Awaitable[bool]]


class _StateRead(NamedTuple):
    """One read: how many notices had come when it began, when that was, and the message that it gives."""

    notices: int
    began: float
    message: "asyncio.Future[bytes | None]"


class SharedState:
    """A state that its readers see alike."""

    def __init__(self) -> None:
        self._notices = 0
        self._read: _StateRead | None = None

    def outdate(self) -> None:
        """What was read until now is old."""
        self._notices += 1

    async def message(self, state: CurrentState) -> bytes | None:
        """The state as a message, read by whoever asks first after a notice; None where the reader may not see it."""
        now, read = asyncio.get_running_loop().time(), self._read
        if read is None or read.notices != self._notices or now - read.began > POLL_INTERVAL_S * POLLS_SHARED:
            read = self._read = _StateRead(self._notices, now, asyncio.ensure_future(_encoded_message(state)))
            return await asyncio.shield(read.message)
        message = await asyncio.shield(read.message)  # a reader who leaves must not take the others' message along
        return (
            await _encoded_message(state) if message is None else message
        )  # it may have ended for the first one alone


_SHARED: WeakValueDictionary[tuple[Hashable, ...], SharedState] = WeakValueDictionary()
"""The shared states of this process, each as long as somebody reads it."""


async def stream_states(
    app: Application,
    channel: str,
    subject: str,
    state: CurrentState,
    *,
    shared_by: Hashable = None,
    may_read: MayRead | None = None,
    known: str = "",
    pause_s: float = 0.0,
) -> Response:
    """A stream of states, until the reader leaves or `state` gives None. `subject` is what notices on the channel name.

    `shared_by` is what the state depends on besides its subject: readers for whom it is equal get what one of them read, as
    long as `may_read` says so of each. A first state that begins with `known` is not sent: the page shows it already. Between
    two messages there are at least `pause_s` seconds.
    """
    shared = SharedState()
    if shared_by is not None:
        shared = _SHARED.setdefault((app.database, channel, subject, shared_by), shared)

    async def next_message() -> bytes | None:
        return await shared.message(state) if may_read is None or await may_read() else None

    messages = _messages(app, channel, subject, shared, next_message, known.encode(), pause_s)
    return EventSourceResponse(messages, ping=POLL_INTERVAL_S, sep=LINE_END)


async def _messages(
    app: Application,
    channel: str,
    subject: str,
    shared: SharedState,
    next_message: Callable[[], Awaitable[bytes | None]],
    known: bytes,
    pause_s: float,
) -> AsyncIterator[bytes]:
    woken = asyncio.Event()

    def on_notice(_: str) -> None:
        shared.outdate()
        woken.set()

    unlisten = await app.database.listen(channel, on_notice, subject)
    try:
        ends, previous = asyncio.get_running_loop().time() + MAX_STREAM_S, None
        while asyncio.get_running_loop().time() < ends:
            woken.clear()
            current = await next_message()
            if current is None:
                return
            shown_already = previous is None and known and known in current[: len(known) + MESSAGE_HEAD]
            if current != previous and not shown_already:
                yield current
                await asyncio.sleep(pause_s)
            previous = current
            try:
                async with asyncio.timeout(POLL_INTERVAL_S):
                    await woken.wait()
            except TimeoutError:
                continue
    finally:
        unlisten()


async def _encoded_message(state: CurrentState) -> bytes | None:
    current = await state()
    return None if current is None else ServerSentEvent(current, sep=LINE_END).encode()
