"""Pages that are told when they have grown old: server-sent events (WHATWG HTML, 9.2) with the state of what they show.

The state is asked at every notice of the database and at every beat, in the name of the reader; it is sent when it differs
from what was sent before. So a lost notice costs a beat, and a session that ended ends the stream. Decision 0008 has the why.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

from starlette.responses import Response, StreamingResponse

from haulier.kernel.house import House

BEAT_S = 10.0
"""How often the state is asked, and the line kept open, where nobody gives notice."""
LIFE_S = 900.0
"""A stream ends after so long; browsers come back by themselves, perhaps to another process."""
HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
State = Callable[[], Awaitable[str | None]]


async def follow(house: House, channel: str, about: str, state: State) -> Response:
    """A stream of states, until the reader leaves or `state` gives None. `about` is what notices on the channel name."""
    woken = asyncio.Event()

    def hear(payload: str) -> None:
        if payload == about:
            woken.set()

    unlisten = await house.database.listen(channel, hear)

    async def told() -> AsyncIterator[bytes]:
        try:
            async for message in _messages(state, woken):
                yield message
        finally:
            unlisten()

    return StreamingResponse(told(), media_type="text/event-stream", headers=HEADERS)


async def _messages(state: State, woken: asyncio.Event) -> AsyncIterator[bytes]:
    ends, before = asyncio.get_running_loop().time() + LIFE_S, None
    while asyncio.get_running_loop().time() < ends:
        woken.clear()
        now = await state()
        if now is None:
            return
        yield b": still here\n\n" if now == before else f"data: {now}\n\n".encode()
        before = now
        try:
            async with asyncio.timeout(BEAT_S):
                await woken.wait()
        except TimeoutError:
            continue
