"""A simulated locker.

Its record of actions survives a power cut, like one on disk.
"""

import asyncio
import hashlib
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any

from msgspec.structs import asdict

from haulier.simulation.lockers.faults import CabinetFaults, Dice
from haulier.simulation.lockers.offline import OfflineKeypad
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
"""Number of attempts to send a frame with the same number; more while a user waits at the keypad."""
LOOK_S = 0.02
"""Pause between polls of a locker that may not use long polling."""


class SimulatedCabinet:
    """A locker with its device.

    `openings` counts door openings per command, which must never exceed one.
    """

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
        self.keypad: OfflineKeypad | None = None
        self.opened_alone = 0
        """Doors opened offline."""
        self.journal_ends: Counter[str] = Counter()
        """Results of the server for offline openings."""
        self.firmware = "2.4.1"
        self._connection: int | None = None
        self._asks = True
        self.openings: Counter[int] = Counter()
        self.power_losses = 0
        self.cuts = 0
        self.heartbeats = 0
        self.unanswered = 0
        """Number of frames repeated because of a missing answer."""

    @property
    def next_number(self) -> int:
        """Number of the next frame."""
        return self._sequence + 1

    def plug_in(self, wire: CabinetWire, download: Download | None = None, keypad: OfflineKeypad | None = None) -> None:
        """Set the protocol, and optionally the firmware download and the offline keypad."""
        self._wire, self._download, self.keypad = wire, download, keypad

    async def live(self) -> None:
        """Run heartbeats and commands until cancelled."""
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
                    await asyncio.sleep(RETRY_S)  # unsent reports follow after the reconnect
        finally:
            if self._wire:
                await self._wire.close()

    async def beat(self) -> dict[str, Any]:
        """Report the state of the locker.

        The first frame of a connection begins a session.
        """
        connection = await self._line.connected()
        begins = self._line.keeps_connection and connection != self._connection
        at = self._clock().isoformat()
        session = {"session": "begin"} if begins else {}
        said = await self._say("state", {"sent_at": at, "battery_pct": 90, "firmware": self.firmware, **session})
        self.heartbeats += 1
        self._asks = begins or not self._line.keeps_connection or said["commands_waiting"] > 0
        self._connection = connection
        return said

    async def work(self) -> int:
        """Send unanswered reports, then run pending commands.

        Returns the number of commands.
        """
        for id in sorted(self._unsaid):
            await self._report_outcome(id)
        await self.report_journal()
        self._sequence += 1
        commands = await self._line.commands(self._sequence, self._wait_s, ask=self._asks)
        if self._dice.falls(self._faults.lost_answers):
            return 0
        for command in commands:
            await self._do(command)
        if not commands and not self._wait_s:
            # The server refused long polling, and polling immediately would keep both sides busy.
            await asyncio.sleep(LOOK_S)
        return len(commands)

    @property
    def _line(self) -> CabinetWire:
        assert self._wire is not None, "plug it in first"
        return self._wire

    async def type_code(self, code: str) -> bool:
        """Enter a code at the keypad. Returns True if a door opened."""
        if self.keypad and self._dice.falls(self._faults.line_lost):
            await self.report_journal()
            await self.load_codes()  # before the connection is lost
            return self.check_code(code)
        await self.report_journal()  # first, because doors opened offline must not be opened again
        verdict = await self._say("code", {"code": code}, repeats=KEYPAD_REPEATS)
        if not verdict["accepted"]:
            return False
        try:
            await self._do(verdict["command"])
        except PowerLost:
            self.power_losses += 1
        return self._outcomes[verdict["command"]["id"]] == OPEN

    def _clock(self) -> datetime:
        """Return the time by the locker's own clock."""
        return datetime.now(UTC) + self._ahead

    async def load_codes(self) -> None:
        """Download the codes that can be checked offline."""
        if self.keypad:
            self.keypad.learn(await self._say("codes", {}), self._clock())

    def check_code(self, code: str) -> bool:
        """Enter a code while offline. Returns True if a door opened."""
        self._sequence += 1
        grant = self.keypad.judge(code, self._clock()) if self.keypad else None
        if grant is None or self.keypad is None:
            return False
        outcome = STUCK if self._dice.falls(self._faults.stuck) else OPEN
        self.keypad.note(self._sequence, grant, self._clock(), outcome)
        self.opened_alone += outcome == OPEN
        return outcome == OPEN

    async def report_journal(self) -> None:
        """Report doors opened offline and forget the confirmed ones."""
        if self.keypad is None or not self.keypad.journal:
            return
        told = dict(self.keypad.journal)
        at = self._clock().isoformat()
        body = {
            "sent_at": at,
            "wrong_codes": self.keypad.wrong_codes,
            "openings": [asdict(each) for each in told.values()],
        }
        receipt = await self._say("openings", body)
        self.journal_ends.update(each["status"] for each in receipt["openings"])
        for sequence in told:
            self.keypad.journal.pop(sequence, None)

    async def _do(self, command: dict[str, Any]) -> None:
        id = command["id"]
        alone = self.keypad.journal.get(command.get("answers_frame") or 0) if self.keypad else None
        if alone:
            self._outcomes.setdefault(id, alone.outcome)  # the frame had arrived, and the door was opened offline
        if id not in self._outcomes and command["command"] == "update" and self._download:
            if not await self._update(command, self._download):
                return
        elif id not in self._outcomes:
            self._outcomes[id] = STUCK if self._is_stuck(command) else OPEN
            self.openings[id] += self._outcomes[id] == OPEN
            self._unsaid.add(id)
            if self._dice.falls(self._faults.power_lost):
                raise PowerLost
        await self._report_outcome(id)

    async def _update(self, command: dict[str, Any], download: Download) -> bool:
        """Download and install a release.

        Returns False if it must wait for the command to be repeated.
        """
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
            await self.beat()  # report the new version before the outcome
        return True

    async def _install(self, release: dict[str, Any], download: Download) -> str | None:
        """Return the error, or None.

        Downloaded parts are kept, so that only the rest is requested after an interruption.
        """
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

    async def _report_outcome(self, id: int) -> None:
        fault = {"fault": self._why.get(id, "door stuck")} if self._outcomes[id] == STUCK else {}
        await self._say("outcome", {"command_id": id, "outcome": self._outcomes[id], **fault})
        self._unsaid.discard(id)

    def _is_stuck(self, command: dict[str, Any]) -> bool:
        return command["command"] == "open" and self._dice.falls(self._faults.stuck)

    async def _say(self, kind: str, body: dict[str, Any], *, repeats: int = REPEATS) -> dict[str, Any]:
        """Send a frame, repeating it with the same number until it is answered."""
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
    """Raised when the power is cut."""
