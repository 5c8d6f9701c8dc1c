"""Commands pushed to connected devices, once per connection."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import msgspec

from haulier.api.devices.frames import FrameInterface, FrameReply
from haulier.kernel.data.notices import client_subject

POLL = "poll"
LOOK_AGAIN_S = 30.0
"""Polling interval in seconds, because a notice is lost if its sender fails."""


class CommandPushes:
    """The commands of one connection.

    A device that polls receives every unfinished command again.
    """

    def __init__(self, interface: FrameInterface, credential: str, client_id: int, device_id: int) -> None:
        self._interface, self._credential = interface, credential
        self._subject = client_subject(client_id, device_id)
        self._woken = asyncio.Event()
        self._handed: set[int] = set()

    async def listen(self) -> Callable[[], None]:
        """Subscribe to notices; returns the function that unsubscribes."""
        interface = self._interface
        return await interface.app.database.listen(
            interface.devices.notices, lambda _: self._woken.set(), self._subject
        )

    async def hand_over(self, send: Callable[[bytes], Awaitable[None]]) -> None:
        """Send new commands; returns when the credential is no longer valid."""
        while True:
            self._woken.clear()  # clear first, so that a notice during the query is not lost
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
