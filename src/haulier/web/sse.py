"""Server-sent events for pages (WHATWG HTML, 9.2) with the state of what they show.

The state is read at every notice of the database and at every poll, in the name of the reader; it is sent when it differs from
what was sent before. So a lost notice costs one poll, and a session that ended ends the stream (decision 0008).
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.responses import Response

from haulier.kernel.application import Application

POLL_INTERVAL_S = 10.0
"""How often the state is read where no notice comes."""
MAX_STREAM_S = 900.0
"""A stream ends after so long; browsers come back by themselves, perhaps to another process."""
LINE_END = "\n"
CurrentState = Callable[[], Awaitable[str | None]]


async def stream_states(app: Application, channel: str, subject: str, state: CurrentState) -> Response:
    """A stream of states, until the reader leaves or `state` gives None. `subject` is what notices on the channel name."""
    return EventSourceResponse(_states(app, channel, subject, state), ping=POLL_INTERVAL_S, sep=LINE_END)


async def _states(app: Application, channel: str, subject: str, state: CurrentState) -> AsyncIterator[ServerSentEvent]:
    woken = asyncio.Event()
    unlisten = await app.database.listen(channel, lambda _: woken.set(), subject)
    try:
        ends, previous = asyncio.get_running_loop().time() + MAX_STREAM_S, None
        while asyncio.get_running_loop().time() < ends:
            woken.clear()
            current = await state()
            if current is None:
                return
            if current != previous:
                yield ServerSentEvent(current, sep=LINE_END)
            previous = current
            try:
                async with asyncio.timeout(POLL_INTERVAL_S):
                    await woken.wait()
            except TimeoutError:
                continue
    finally:
        unlisten()
