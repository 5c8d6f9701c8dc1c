"""A simulated cabinet: it beats, opens doors, and says what it did. What it did survives a loss of power, as on its disk."""

import asyncio
import hashlib
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any

from haulier.simulation.lockers.faults import CabinetFaults, Dice
from haulier.simulation.lockers.wires import (
    RETRY_S,
    CabinetWire,
    Download,
    DownloadHeld,
    DownloadRefused,
    LineLost,
)

OPEN, STUCK = "done", "failed"
REPEATS, KEYPAD_REPEATS = 3, 30
"""A frame whose answer was lost is sent again so often, with the same number; that of a keypad while somebody waits there."""


class SimulatedCabinet:
    """A cabinet with its device. `openings` counts how often a door opened for each command: never more than once."""

    def __init__(self, faults: CabinetFaults, seed: object, *, wait_s: float = 10) -> None:
        self._wire: CabinetWire | None = None
        self._download: Download | None = None
        self._fetched: dict[int, bytes] = {}
        self._faults = faults
        self._dice = Dice(seed)
        self._wait_s = wait_s
        self._ahead = timedelta(hours=self._dice.hours()) if self._dice.falls(faults.clock_wrong) else timedelta()
        self._sequence = 0
        self._outcomes: dict[int, str] = {}
        self._unsaid: set[int] = set()
        self._why: dict[int, str] = {}
        self.firmware = "2.4.1"
        self._connection: int | None = None
        self._asks = True
        self.openings: Counter[int] = Counter()
        self.power_losses = 0
        self.cuts = 0
        self.heartbeats = 0
        self.unanswered = 0
        """How often a frame had to be said again because no answer to it came."""

    @property
    def next_number(self) -> int:
        """The number that the next frame will have."""
        return self._sequence + 1

    def plug_in(self, wire: CabinetWire, download: Download | None = None) -> None:
        """Speak over this wire, and fetch firmware in this way, if at all."""
        self._wire, self._download = wire, download

    async def live(self) -> None:
        """Beat, ask, do; until it is cancelled."""
        try:
            while True:
                try:
                    await self.beat()
                    await self.work()
                except PowerLost:
                    self.power_losses += 1
                    self._connection = None
                except OSError:
                    self._connection = None
                    await asyncio.sleep(RETRY_S)  # what was not said is said when the line is up again
        finally:
            if self._wire:
                await self._wire.close()

    async def beat(self) -> dict[str, Any]:
        """Say how the cabinet is; the first frame of a connection begins a session."""
        connection = await self._line.connected()
        begins = self._line.keeps_connection and connection != self._connection
        at = (datetime.now(UTC) + self._ahead).isoformat()
        session = {"session": "begin"} if begins else {}
        said = await self._say("state", {"sent_at": at, "battery_pct": 90, "firmware": self.firmware, **session})
        self.heartbeats += 1
        self._asks = begins or not self._line.keeps_connection or said["commands_waiting"] > 0
        self._connection = connection
        return said

    async def work(self) -> int:
        """Say again what was not answered, then do what there is to do. Returns how many commands there were."""
        for id in sorted(self._unsaid):
            await self._tell_outcome(id)
        self._sequence += 1
        commands = await self._line.commands(self._sequence, self._wait_s, ask=self._asks)
        if self._dice.falls(self._faults.lost_answers):
            return 0
        for command in commands:
            await self._do(command)
        return len(commands)

    @property
    def _line(self) -> CabinetWire:
        assert self._wire is not None, "plug it in first"
        return self._wire

    async def type_code(self, code: str) -> bool:
        """Somebody types a code. Whether a door opened."""
        verdict = await self._say("code", {"code": code}, repeats=KEYPAD_REPEATS)
        if not verdict["accepted"]:
            return False
        try:
            await self._do(verdict["command"])
        except PowerLost:
            self.power_losses += 1
        return self._outcomes[verdict["command"]["id"]] == OPEN

    async def _do(self, command: dict[str, Any]) -> None:
        id = command["id"]
        if id not in self._outcomes and command["command"] == "update" and self._download:
            if not await self._update(command, self._download):
                return
        elif id not in self._outcomes:
            self._outcomes[id] = STUCK if self._is_stuck(command) else OPEN
            self.openings[id] += self._outcomes[id] == OPEN
            self._unsaid.add(id)
            if self._dice.falls(self._faults.power_lost):
                raise PowerLost
        await self._tell_outcome(id)

    async def _update(self, command: dict[str, Any], download: Download) -> bool:
        """Download and install what a command names. False where it has to wait: the command comes again."""
        id, release = command["id"], command["settings"]
        await self._say("outcome", {"command_id": id, "outcome": "acknowledged"})
        try:
            fault = await self._install(release, download) if "release_id" in release else None
        except DownloadHeld:
            return False
        except DownloadRefused as refused:
            fault = str(refused)
        self._outcomes[id] = STUCK if fault else OPEN
        self._unsaid.add(id)
        if fault:
            self._why[id] = fault
        else:
            self.firmware = release.get("version", self.firmware)
            await self.beat()  # the new version is known before it is said that all is done
        return True

    async def _install(self, release: dict[str, Any], download: Download) -> str | None:
        """What went wrong, or None. What was fetched before a cut is kept, and only the rest is asked for."""
        number, faults = release["release_id"], self._faults
        while len(self._fetched.get(number, b"")) < release["size_bytes"]:
            have = self._fetched.get(number, b"")
            part = await download(release["path"], len(have))
            if self._dice.falls(faults.cut_downloads):
                self.cuts += 1
                part = part[: len(part) // 2 + 1]
            self._fetched[number] = have + part
        content = self._fetched.pop(number)
        if self._dice.falls(faults.wrong_hashes):
            content = content[:-1]
        if hashlib.sha256(content).hexdigest() != release["sha256"]:
            return "wrong hash"
        return "install failed" if self._dice.falls(faults.failed_installs) else None

    async def _tell_outcome(self, id: int) -> None:
        fault = {"fault": self._why.get(id, "door stuck")} if self._outcomes[id] == STUCK else {}
        await self._say("outcome", {"command_id": id, "outcome": self._outcomes[id], **fault})
        self._unsaid.discard(id)

    def _is_stuck(self, command: dict[str, Any]) -> bool:
        return command["command"] == "open" and self._dice.falls(self._faults.stuck)

    async def _say(self, kind: str, body: dict[str, Any], *, repeats: int = REPEATS) -> dict[str, Any]:
        """Send a frame, and again with the same number as long as no answer comes."""
        self._sequence += 1
        frame = {"type": kind, "sequence": self._sequence, **body}
        for _ in range(repeats):
            try:
                answer = await self._line.ask(frame)
            except LineLost:
                self.unanswered += 1
                continue
            return await self._line.ask(frame) if self._dice.falls(self._faults.doubled) else answer
        raise LineLost("no answer came")


class PowerLost(Exception):
    """The power went."""
