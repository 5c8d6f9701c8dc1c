"""Server-sent events for pages (WHATWG HTML, 9.2) with the state that they show.

The state is read at every database notice and at every poll, on behalf of the reader, and sent when it differs from the
last one. A lost notice costs one poll, and the end of a session ends the stream (docs/decisions/interfaces.md). A state
shared by many readers is read and encoded once; each reader's permission is checked every time
(docs/decisions/performance.md).
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable, Sequence
from contextlib import ExitStack
from functools import partial
from typing import NamedTuple
from weakref import WeakValueDictionary

from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.responses import Response

from haulier.kernel.application import Application

POLL_INTERVAL_S = 10.0
"""Seconds between reads without a notice."""
POLLS_SHARED = 0.1
"""Readers who poll within this part of the interval share what was read."""
MAX_STREAM_S = 900.0
"""A stream ends after so long; browsers come back by themselves, perhaps to another process."""
LINE_END = "\n"
MESSAGE_HEAD = len(b"data: {")
"""Size of the message before its state."""
CurrentState = Callable[[], Awaitable[str | None]]
MayRead = Callable[[], Awaitable[bool]]


class _StateRead(NamedTuple):
    """One read: number of notices at its start, time and result."""

    notices: int
    began: float
    state: "asyncio.Future[bytes | None]"


class SharedState:
    """A state that its readers see alike."""

    def __init__(self) -> None:
        self._notices = 0
        self._read: _StateRead | None = None

    def outdate(self) -> None:
        """Mark the state as outdated."""
        self._notices += 1

    async def current(self, read: Callable[[], Awaitable[bytes | None]]) -> bytes | None:
        """Return the state, read by the first reader after a notice.

        None without permission.
        """
        now, last = asyncio.get_running_loop().time(), self._read
        if last is None or last.notices != self._notices or now - last.began > POLL_INTERVAL_S * POLLS_SHARED:
            last = self._read = _StateRead(self._notices, now, asyncio.ensure_future(read()))
            return await asyncio.shield(last.state)
        state = await asyncio.shield(last.state)  # a reader who leaves must not take what the others read along
        return await read() if state is None else state  # it may have ended for the first one alone


_SHARED: WeakValueDictionary[tuple[Hashable, ...], SharedState] = WeakValueDictionary()
"""Shared states of this process, while they have readers."""


class Heard(NamedTuple):
    """A subject of notices. `part` is the part of the state that they outdate."""

    channel: str
    subject: str
    part: SharedState | None = None


def shared_state(app: Application, by: Hashable) -> SharedState:
    """Return a state, or part of one, shared by readers with equal `by`."""
    return _SHARED.setdefault((app.database, by), SharedState())


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
    also: Sequence[Heard] = (),
) -> Response:
    """Stream states until the reader leaves or `state` returns None.

    `subject` is the subject of notices on the channel; `also` names further ones. `shared_by` is what the state depends
    on besides its subject: readers with equal values share reads, while `may_read` allows each. A first state that
    begins with `known` is skipped, as the page shows it. Messages are at least `pause_s` seconds apart.
    """
    shared = SharedState() if shared_by is None else shared_state(app, (channel, subject, shared_by))

    async def next_message() -> bytes | None:
        return await shared.current(partial(_encoded_message, state)) if may_read is None or await may_read() else None

    heard = (Heard(channel, subject), *also)
    messages = _messages(app, heard, shared, next_message, known.encode(), pause_s)
    return EventSourceResponse(messages, ping=POLL_INTERVAL_S, sep=LINE_END)


async def _messages(
    app: Application,
    heard: Sequence[Heard],
    shared: SharedState,
    next_message: Callable[[], Awaitable[bytes | None]],
    known: bytes,
    pause_s: float,
) -> AsyncIterator[bytes]:
    woken = asyncio.Event()

    def wake(part: SharedState | None) -> None:
        if part is not None:
            part.outdate()
        shared.outdate()
        woken.set()

    with ExitStack() as listening:
        for each in heard:
            listening.callback(
                await app.database.listen(each.channel, lambda _, part=each.part: wake(part), each.subject)
            )
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


async def _encoded_message(state: CurrentState) -> bytes | None:
    current = await state()
    return None if current is None else ServerSentEvent(current, sep=LINE_END).encode()
