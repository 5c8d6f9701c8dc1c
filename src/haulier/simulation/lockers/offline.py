"""What a simulated cabinet does while it cannot ask: it judges codes by itself, and keeps a journal of its doors."""

import hashlib
import hmac
from datetime import datetime, timedelta
from typing import Any

from msgspec import Struct

KEY_FOR = b"offline_codes"


class JournalEntry(Struct, frozen=True, kw_only=True):
    """A door that was opened by itself, or could not be."""

    sequence: int
    code_id: int
    box: int
    purpose: str
    opened_at: str
    outcome: str


class OfflineKeypad:
    """The codes that a cabinet knew last, what was typed wrong, and what it opened: all of it is on its disk."""

    def __init__(self, credential: str) -> None:
        self._key = hmac.digest(hashlib.sha256(credential.encode()).digest(), KEY_FOR, "sha256")
        self._known: dict[str, Any] = {"codes": []}
        self._used: set[int] = set()
        self._slow = timedelta()
        self._rests_until = 0.0
        self.wrong_codes = 0
        self.journal: dict[int, JournalEntry] = {}
        """By the number of the frame that could not be asked."""

    def learn(self, known: dict[str, Any], at: datetime) -> None:
        """Replace what was known, at a moment by the own clock. What was used stays used until that is told."""
        self._known, self._slow = known, datetime.fromisoformat(known["server_time"]) - at
        if not self.journal:
            self._used.clear()

    def judge(self, code: str, at: datetime) -> dict[str, Any] | None:
        """What a code opens at a moment by the own clock, which is set right by the server's; None where it opens nothing.

        Wrong codes are counted.
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
        """Write down a door before anything is said of it."""
        self._used.add(grant["code_id"])
        opened = {name: grant[name] for name in ("code_id", "box", "purpose")}
        self.journal[sequence] = JournalEntry(sequence=sequence, opened_at=at.isoformat(), outcome=outcome, **opened)
