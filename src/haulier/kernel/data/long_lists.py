"""Which lists are known to be longer than anybody counts, so that not every page of them counts ten thousand rows again."""

import time
from collections.abc import Callable, Hashable

KNOWN_FOR_S = 60.0
"""How long a list that was counted to be long is taken for long."""
MAX_KNOWN = 10_000


class LongLists:
    """The long lists that one process knows of: a client's list with its filters is one."""

    def __init__(self, seconds: Callable[[], float] = time.monotonic) -> None:
        self.seconds = seconds
        self._known_until: dict[Hashable, float] = {}

    def is_long(self, key: Hashable) -> bool:
        """Whether a list was counted to be long a moment ago."""
        until_s = self._known_until.get(key)
        if until_s is not None and until_s < self.seconds():
            del self._known_until[key]
            return False
        return until_s is not None

    def note(self, key: Hashable) -> None:
        """Remember that a list was counted to be long."""
        self._known_until[key] = self.seconds() + KNOWN_FOR_S
        if len(self._known_until) > MAX_KNOWN:
            del self._known_until[next(iter(self._known_until))]
