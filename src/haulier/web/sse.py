"""Pages that are told when they have grown old: server-sent events (WHATWG HTML, 9.2) with the state of what they show.

The state is asked at every notice of the database and at every beat, in the name of the reader; it is sent when it differs
from what was sent before. So a lost notice costs a beat, and a session that ended ends the stream. Decision 0008 has the why.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

from starlette.responses import Response, StreamingResponse

from haulier.kernel.application import Application

POLL_INTERVAL_S = 10.0
"""How often the state is asked, and the line kept open, where nobody gives notice."""
MAX_STREAM_S = 900.0
"""A stream ends after so long; browsers come back by themselves, perhaps to another process."""
SSE_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
CurrentState = Callable[[], Awaitable[str | None]]


async def stream_states(app: Application, channel: str, about: str, state: CurrentState) -> Response:
    """A stream of states, until the reader leaves or `state` gives None. `about` is what notices on the channel name."""
    woken = asyncio.Event()

    def hear(payload: str) -> None:
        if payload == about:
            woken.set()

    unlisten = await app.database.listen(channel, hear)

    async def told() -> AsyncIterator[bytes]:
        try:
            async for message in _encoded_events(state, woken):
                yield message
        finally:
            unlisten()

    return StreamingResponse(told(), media_type="text/event-stream", headers=SSE_HEADERS)


async def _encoded_events(state: CurrentState, woken: asyncio.Event) -> AsyncIterator[bytes]:
    ends, before = asyncio.get_running_loop().time() + MAX_STREAM_S, None
    while asyncio.get_running_loop().time() < ends:
        woken.clear()
        now = await state()
        if now is None:
            return
        yield b": still here\n\n" if now == before else f"data: {now}\n\n".encode()
        before = now
        try:
            async with asyncio.timeout(POLL_INTERVAL_S):
                await woken.wait()
        except TimeoutError:
            continue
