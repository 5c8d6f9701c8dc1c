"""Cache of list totals, so that not every page counts the rows again.

A total is valid until data of its client is written, and for a few seconds at most. A list longer than the counting
limit stays long for a minute, because no write makes ten thousand rows few.
"""

import time
from collections.abc import Callable, Hashable

from msgspec import Struct

from haulier.kernel.data.write_generations import ReadAt, WriteGenerations

KNOWN_FOR_S = 5.0
"""Maximum age of a total. A notice is lost if its node dies within milliseconds of the commit."""
LONG_FOR_S = 60.0
"""Time for which a long list is assumed to stay long."""
MAX_KNOWN = 10_000


class KnownTotal(Struct, frozen=True):
    """A total, with the data needed to check that it is current.

    Totals of long lists only expire.
    """

    total: int
    until_s: float
    read_at: ReadAt | None


class ListTotals:
    """The totals that one process caches per list and filter. The newest are kept."""

    def __init__(
        self, writes: WriteGenerations, *, max_count: int, seconds: Callable[[], float] = time.monotonic
    ) -> None:
        """Create an empty cache. Lists are counted exactly up to `max_count` rows."""
        self._writes = writes
        self.max_count = max_count
        self.seconds = seconds
        self._known: dict[Hashable, KnownTotal] = {}

    def get(self, key: Hashable) -> int | None:
        """Return the cached total of a list, or None."""
        known = self._known.get(key)
        if known is None:
            return None
        is_true = known.read_at is None or self._writes.is_current(known.read_at, with_shared=False)
        if not is_true or known.until_s < self.seconds():
            del self._known[key]
            return None
        return known.total

    def before_count(self, client_id: int) -> ReadAt | None:
        """Return the state before a list is counted, to detect concurrent writes."""
        return self._writes.now(client_id)

    def note(self, key: Hashable, total: int, read_at: ReadAt | None) -> None:
        """Cache a total. Without `read_at` (no write notices), only long lists are cached."""
        is_long = total > self.max_count
        if read_at is None and not is_long:
            return
        until_s = self.seconds() + (LONG_FOR_S if is_long else KNOWN_FOR_S)
        self._known.pop(key, None)
        self._known[key] = KnownTotal(total, until_s, None if is_long else read_at)
        if len(self._known) > MAX_KNOWN:
            del self._known[next(iter(self._known))]
