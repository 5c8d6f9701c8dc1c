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
        """Wait for the client to disconnect."""
        await self.leaves.wait()
        return {"type": "http.disconnect"}

    async def send(self, part: dict[str, Any]) -> None:
        """Receive a part of the response."""
        await self.parts.put(part)

    async def part(self) -> dict[str, Any]:
        """Return the next part of the response."""
        return await asyncio.wait_for(self.parts.get(), PATIENCE_S)

    async def told(self) -> tuple[list[str], str | None]:
        """Return the status codes of the next batch of events, and its last id."""
        while True:
            lines = (await self.part())["body"].decode().splitlines()
            codes = [json.loads(line[6:])["status_code"] for line in lines if line.startswith("data: ")]
            if codes:
                return codes, next((line[4:] for line in lines if line.startswith("id: ")), None)
