"""How many rows fit a list, remembered, so that not every page of it counts them again.

A total is true until something of its client is written, and kept for some seconds at most, as answers are. A list that was
counted to be longer than anybody counts stays so for a minute: no write makes ten thousand rows few.
"""

import time
from collections.abc import Callable, Hashable

from msgspec import Struct

from haulier.kernel.data.write_generations import ReadAt, WriteGenerations

KNOWN_FOR_S = 5.0
"""How long a total is known at most. A notice is lost with a node that dies within milliseconds of its commit."""
LONG_FOR_S = 60.0
"""How long a list that was counted to be long is taken for long."""
MAX_KNOWN = 10_000


class KnownTotal(Struct, frozen=True):
    """A total, and what is needed to tell whether it is still true. Of a long list nothing is: it lasts for its time."""

    total: int
    until_s: float
    read_at: ReadAt | None


class ListTotals:
    """The totals that one process knows: of each client's list, with its filters, one. The newest are kept."""

    def __init__(
        self, writes: WriteGenerations, *, max_count: int, seconds: Callable[[], float] = time.monotonic
    ) -> None:
        """Up to `max_count` rows a list is counted exactly."""
        self._writes = writes
        self.max_count = max_count
        self.seconds = seconds
        self._known: dict[Hashable, KnownTotal] = {}

    def get(self, key: Hashable) -> int | None:
        """How many rows fit a list, where that is known."""
        known = self._known.get(key)
        if known is None:
            return None
        is_true = known.read_at is None or self._writes.is_current(known.read_at, with_shared=False)
        if not is_true or known.until_s < self.seconds():
            del self._known[key]
            return None
        return known.total

    def before_count(self, client_id: int) -> ReadAt | None:
        """To be asked for before a list is counted, as something may be written meanwhile."""
        return self._writes.now(client_id)

    def note(self, key: Hashable, total: int, read_at: ReadAt | None) -> None:
        """Remember what was counted. Without `read_at`, where no writes are heard, only that a list is long."""
        is_long = total > self.max_count
        if read_at is None and not is_long:
            return
        until_s = self.seconds() + (LONG_FOR_S if is_long else KNOWN_FOR_S)
        self._known.pop(key, None)
        self._known[key] = KnownTotal(total, until_s, None if is_long else read_at)
        if len(self._known) > MAX_KNOWN:
            del self._known[next(iter(self._known))]
