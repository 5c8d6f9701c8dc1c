"""What a device that keeps a connection gets without asking: each command once a connection, as soon as there is one."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import msgspec

from haulier.api.devices.frames import FrameInterface, FrameReply
from haulier.kernel.data.notices import client_subject

POLL = "poll"
LOOK_AGAIN_S = 30.0
"""Notices may be lost with their sender, so commands are looked for so often."""


class CommandPushes:
    """The commands of one connection. A device that asks gets again whatever it has not said the end of."""

    def __init__(self, interface: FrameInterface, credential: str, client_id: int, device_id: int) -> None:
        self._interface, self._credential = interface, credential
        self._subject = client_subject(client_id, device_id)
        self._woken = asyncio.Event()
        self._handed: set[int] = set()

    async def listen(self) -> Callable[[], None]:
        """Hear from now on that there is something to do. Call what it returns when the connection has ended."""
        interface = self._interface
        return await interface.app.database.listen(
            interface.devices.notices, lambda _: self._woken.set(), self._subject
        )

    async def hand_over(self, send: Callable[[bytes], Awaitable[None]]) -> None:
        """Send what there is to do, again and again; return once the credential opens nothing any more."""
        while True:
            self._woken.clear()  # Why first: a notice that comes while the database is asked must not be lost
            said = await self._interface.answer(msgspec.json.encode({"type": POLL}), self._credential)
            if said.status == 401:
                return
            for command in _commands_of(said):
                if command["id"] not in self._handed:
                    self._handed.add(command["id"])
                    await send(msgspec.json.encode({"type": "command", **command}))
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_AGAIN_S):
                    await self._woken.wait()


def _commands_of(said: FrameReply) -> list[dict[str, Any]]:
    document = msgspec.json.decode(said.body)
    return document["answer"]["commands"] if said.status == 200 else []
