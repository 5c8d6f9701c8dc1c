"""A client that reads server-sent events."""

import asyncio
import json
from typing import Any

PATIENCE_S = 60


class Stream:
    """One open connection of a client that reads server-sent events."""

    def __init__(self) -> None:
        self.parts: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.leaves = asyncio.Event()

    async def receive(self) -> dict[str, Any]:
        """What the server waits for: that the client disconnects."""
        await self.leaves.wait()
        return {"type": "http.disconnect"}

    async def send(self, part: dict[str, Any]) -> None:
        """Take a part of the response."""
        await self.parts.put(part)

    async def part(self) -> dict[str, Any]:
        """The next part of the response."""
        return await asyncio.wait_for(self.parts.get(), PATIENCE_S)

    async def told(self) -> tuple[list[str], str | None]:
        """The status codes of the next batch of events, and the id to continue with."""
        while True:
            lines = (await self.part())["body"].decode().splitlines()
            codes = [json.loads(line[6:])["status_code"] for line in lines if line.startswith("data: ")]
            if codes:
                return codes, next((line[4:] for line in lines if line.startswith("id: ")), None)
