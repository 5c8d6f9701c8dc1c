"""Server-sent events for pages (WHATWG HTML, 9.2) with the state of what they show.

The state is read at every notice of the database and at every poll, in the name of the reader; it is sent when it differs from
what was sent before. So a lost notice costs one poll, and a session that ended ends the stream
(docs/decisions/interfaces.md). A state that many readers see alike is read and encoded once for all of them; whether
each may still read it is asked each time (docs/decisions/performance.md).
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
    """One read: how many notices had come when it began, when that was, and what it gives."""

    notices: int
    began: float
    state: "asyncio.Future[bytes | None]"


class SharedState:
    """A state that its readers see alike."""

    def __init__(self) -> None:
        self._notices = 0
        self._read: _StateRead | None = None

    def outdate(self) -> None:
        """What was read until now is old."""
        self._notices += 1

    async def current(self, read: Callable[[], Awaitable[bytes | None]]) -> bytes | None:
        """The state, read by whoever asks first after a notice; None where the reader may not see it."""
        now, last = asyncio.get_running_loop().time(), self._read
        if last is None or last.notices != self._notices or now - last.began > POLL_INTERVAL_S * POLLS_SHARED:
            last = self._read = _StateRead(self._notices, now, asyncio.ensure_future(read()))
            return await asyncio.shield(last.state)
        state = await asyncio.shield(last.state)  # a reader who leaves must not take what the others read along
        return await read() if state is None else state  # it may have ended for the first one alone


_SHARED: WeakValueDictionary[tuple[Hashable, ...], SharedState] = WeakValueDictionary()
"""The shared states of this process, each as long as somebody reads it."""


class Heard(NamedTuple):
    """A subject of notices that a stream listens to. `part` is what of the state they alone make old."""

    channel: str
    subject: str
    part: SharedState | None = None


def shared_state(app: Application, by: Hashable) -> SharedState:
    """A state, or a part of one, that those share for whom `by` is equal, for as long as any of them holds it."""
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
    """A stream of states, until the reader leaves or `state` gives None. `subject` is what notices on the channel name; those
    that `also` names bring it, too.

    `shared_by` is what the state depends on besides its subject: readers for whom it is equal get what one of them read, as
    long as `may_read` says so of each. A first state that begins with `known` is not sent: the page shows it already. Between
    two messages there are at least `pause_s` seconds.
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
