"""A simulated cabinet: it polls, opens doors, and says what it did. What it did survives a loss of power, as on its disk."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from haulier.simulation.lockers.faults import CabinetFaults, Dice

Post = Callable[[str, dict[str, Any]], Awaitable[dict[str, Any]]]
"""Sends a body to a path and gives the document of the answer."""
OPEN, STUCK = "done", "failed"


class SimulatedCabinet:
    """A cabinet with its device. `openings` counts how often a door opened for each command: never more than once."""

    def __init__(self, post: Post, credential: str, faults: CabinetFaults, seed: object, *, wait_s: int = 10) -> None:
        self._post = post
        self._credential = credential
        self._faults = faults
        self._dice = Dice(seed)
        self._wait_s = wait_s
        self._ahead = timedelta(hours=self._dice.hours()) if self._dice.falls(faults.clock_wrong) else timedelta()
        self._sequence = 0
        self._outcomes: dict[int, str] = {}
        self.openings: Counter[int] = Counter()
        self.power_losses = 0
        self.heartbeats = 0

    async def live(self) -> None:
        """Beat, ask, do; until it is cancelled."""
        while True:
            try:
                await self.beat()
                await self.work()
            except PowerLost:
                self.power_losses += 1
            except OSError:
                await asyncio.sleep(1)  # the line is down; what was not said is said when it is up again

    async def beat(self) -> dict[str, Any]:
        """Say how the cabinet is."""
        self.heartbeats += 1
        at = (datetime.now(UTC) + self._ahead).isoformat()
        return await self._say("/v1/device/state", {"sent_at": at, "battery_pct": 90, "firmware": "2.4.1"})

    async def work(self) -> int:
        """Ask what to do, and do it. Returns how many commands there were."""
        asked = {"credential": self._credential, "wait_s": self._wait_s}
        answer = await self._post("/v1/device/commands", asked)
        if self._dice.falls(self._faults.lost_answers):
            return 0
        for command in answer["commands"]:
            await self._do(command)
        return len(answer["commands"])

    async def type_code(self, code: str) -> bool:
        """Somebody types a code. Whether a door opened."""
        verdict = await self._say("/v1/device/codes", {"code": code})
        if not verdict["accepted"]:
            return False
        try:
            await self._do(verdict["command"])
        except PowerLost:
            self.power_losses += 1
        return self._outcomes[verdict["command"]["id"]] == OPEN

    async def _do(self, command: dict[str, Any]) -> None:
        id = command["id"]
        if id not in self._outcomes:
            self._outcomes[id] = STUCK if self._is_stuck(command) else OPEN
            self.openings[id] += self._outcomes[id] == OPEN
            if self._dice.falls(self._faults.power_lost):
                raise PowerLost
        fault = {"fault": "door stuck"} if self._outcomes[id] == STUCK else {}
        body = {"outcome": self._outcomes[id], **fault}
        await self._say(f"/v1/device/commands/{id}/outcome", body)

    def _is_stuck(self, command: dict[str, Any]) -> bool:
        return command["command"] == "open" and self._dice.falls(self._faults.stuck)

    async def _say(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        self._sequence += 1
        frame = {"credential": self._credential, "sequence": self._sequence, **body}
        answer = await self._post(path, frame)
        return await self._post(path, frame) if self._dice.falls(self._faults.doubled) else answer


class PowerLost(Exception):
    """The power went."""
