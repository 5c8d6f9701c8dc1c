"""Offline mode of a simulated locker: checking of codes, and a journal of doors."""

import hashlib
import hmac
from datetime import datetime, timedelta
from typing import Any

from msgspec import Struct

KEY_FOR = b"offline_codes"


class JournalEntry(Struct, frozen=True, kw_only=True):
    """A door opened offline, or an attempt that failed."""

    sequence: int
    code_id: int
    box: int
    purpose: str
    opened_at: str
    outcome: str


class OfflineKeypad:
    """Known codes, wrong attempts and offline openings of a locker.

    They are stored on the locker's disk.
    """

    def __init__(self, credential: str) -> None:
        self._key = hmac.digest(hashlib.sha256(credential.encode()).digest(), KEY_FOR, "sha256")
        self._known: dict[str, Any] = {"codes": []}
        self._used: set[int] = set()
        self._slow = timedelta()
        self._rests_until = 0.0
        self.wrong_codes = 0
        self.journal: dict[int, JournalEntry] = {}
        """Entries by the number of the frame that could not be sent."""

    def learn(self, known: dict[str, Any], at: datetime) -> None:
        """Replace the known codes, given the time of the own clock.

        Used codes stay used until reported.
        """
        self._known, self._slow = known, datetime.fromisoformat(known["server_time"]) - at
        if not self.journal:
            self._used.clear()

    def judge(self, code: str, at: datetime) -> dict[str, Any] | None:
        """Return the grant of a code at a time of the own clock, or None.

        Counts wrong codes.

        The time is corrected by the offset to the server.
        """
        now = (at + self._slow).timestamp()
        if not self._known["codes"] or now < self._rests_until:
            return None
        digest = hashlib.sha256((self._known["prefix"] + code).encode()).hexdigest()
        for grant in self._known["codes"]:
            parts = [grant[name] for name in ("code_id", "box", "purpose", "not_before", "not_after")]
            said = ":".join(str(part) for part in (*parts, digest))
            fits = hmac.compare_digest(hmac.digest(self._key, said.encode(), "sha256").hex(), grant["proof"])
            if fits and grant["not_before"] <= now <= grant["not_after"] and grant["code_id"] not in self._used:
                self.wrong_codes = 0
                return grant
        self.wrong_codes += 1
        if self.wrong_codes >= self._known["tries_max"]:
            self.wrong_codes, self._rests_until = 0, now + self._known["rest_s"]
        return None

    def note(self, sequence: int, grant: dict[str, Any], at: datetime, outcome: str) -> None:
        """Record a door before it is reported."""
        self._used.add(grant["code_id"])
        opened = {name: grant[name] for name in ("code_id", "box", "purpose")}
        self.journal[sequence] = JournalEntry(sequence=sequence, opened_at=at.isoformat(), outcome=outcome, **opened)
