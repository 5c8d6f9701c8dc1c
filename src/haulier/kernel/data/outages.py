"""Outages of a database. Drivers raise these errors instead of their own."""

import time
from enum import StrEnum


class OutageKind(StrEnum):
    """Reasons for an outage, as shown by `/readyz`."""

    UNREACHABLE = "database unreachable"
    READ_ONLY = "database read-only"
    FULL = "database full"
    LOCKED = "database locked"
    UNSAFE = "database not distributed"


class DatabaseOutage(Exception):
    """Raised when the database is temporarily unavailable.

    The unit of work is rolled back.
    """

    kind = OutageKind.UNREACHABLE


class DatabaseUnreachable(DatabaseOutage):
    """The server is down or out of connections, or the file is inaccessible."""


class DatabaseReadOnly(DatabaseOutage):
    """The database is read-only, for example a standby or a demoted primary."""

    kind = OutageKind.READ_ONLY


class DatabaseUnsafe(DatabaseOutage):
    """The database would mix up clients or half commit.

    This is Citus before `haulier db distribute`.
    """

    kind = OutageKind.UNSAFE


class DatabaseFull(DatabaseOutage):
    """The disk is full. Reads still work."""

    kind = OutageKind.FULL


class CommitOutcomeUnknown(Exception):
    """Raised when the connection is lost during a commit.

    The transaction is committed entirely or not at all.
    """


class OutageRecord:
    """The last outage seen by this process, until it expires."""

    MEMORY_S = 10.0
    WRITES_OF_RECOVERY = 10
    # A few writes can succeed on a full disk by reusing existing pages.

    def __init__(self) -> None:
        self._last: tuple[OutageKind, float] | None = None
        self._writes = 0

    def note(self, kind: OutageKind) -> None:
        """Record an outage."""
        self._last, self._writes = (kind, time.monotonic()), 0

    def record_write(self) -> None:
        """Count a commit that changed rows. Enough of them end an outage early."""
        self._writes += 1
        if self._writes >= self.WRITES_OF_RECOVERY:
            self._last = None

    def current(self) -> OutageKind | None:
        """Return the outage seen within the last seconds, or None."""
        return self._last[0] if self._last and time.monotonic() - self._last[1] < self.MEMORY_S else None
