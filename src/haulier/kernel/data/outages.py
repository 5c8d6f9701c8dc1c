"""What a database cannot do right now, the same on both: drivers raise these instead of their own errors."""

import time
from enum import StrEnum


class OutageKind(StrEnum):
    """Why a database does not serve, as `/readyz` says it."""

    UNREACHABLE = "database unreachable"
    READ_ONLY = "database read-only"
    FULL = "database full"
    LOCKED = "database locked"


class DatabaseOutage(Exception):
    """The database cannot do its work right now. Nothing of the unit of work is kept."""

    kind = OutageKind.UNREACHABLE


class DatabaseUnreachable(DatabaseOutage):
    """The server is away, shutting down, starting or has no connection left; or the file cannot be read or written."""


class DatabaseReadOnly(DatabaseOutage):
    """It only reads: a standby, a primary that was demoted, a file system that was mounted read-only."""

    kind = OutageKind.READ_ONLY


class DatabaseFull(DatabaseOutage):
    """There is no room to write; reads go on."""

    kind = OutageKind.FULL


class CommitOutcomeUnknown(Exception):
    """The connection was lost while the transaction was being committed: it is kept whole or not at all."""


class OutageRecord:
    """The last outage that calls of this process met, for as long as it counts."""

    MEMORY_S = 10.0
    WRITES_OF_RECOVERY = 10
    # Why more than one: pages that exist already take a few rows on a full disk.

    def __init__(self) -> None:
        self._last: tuple[OutageKind, float] | None = None
        self._writes = 0

    def note(self, kind: OutageKind) -> None:
        """Remember an outage."""
        self._last, self._writes = (kind, time.monotonic()), 0

    def note_write(self) -> None:
        """Count a commit that changed rows; so many of them end an outage sooner."""
        self._writes += 1
        if self._writes >= self.WRITES_OF_RECOVERY:
            self._last = None

    def current(self) -> OutageKind | None:
        """The outage that was met within the last seconds."""
        return self._last[0] if self._last and time.monotonic() - self._last[1] < self.MEMORY_S else None
