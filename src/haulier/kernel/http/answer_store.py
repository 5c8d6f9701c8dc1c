"""Size-limited cache of answers, with a record of requests seen once."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

MAX_BODY_BYTES = 65_536
"""Larger answers are not cached."""
MAX_KEPT_BYTES = 16 * 2**20
"""Limit of one store. The least recently used answers are dropped first."""
MAX_SEEN = 8192
"""Number of requests made once that are remembered."""
BESIDE_CONTENT_BYTES = 2048
"""Size of an entry without its body: caller, headers and index entries. Small answers consist mostly of these."""


A = TypeVar("A")


class AnswerStore(Generic[A]):
    """A cache of the most recently used answers."""

    def __init__(self, dropped: Callable[[Hashable, A], None] = lambda key, answer: None) -> None:
        """Create an empty store. `dropped` is called with each answer that is removed."""
        self._answers: OrderedDict[Hashable, tuple[A, int]] = OrderedDict()
        self._dropped = dropped
        self._bytes = 0
        # Store hashes to save memory: keys may be long, and a collision only costs a place in the cache.
        self._seen_once: OrderedDict[int, None] = OrderedDict()

    def get(self, key: Hashable) -> A | None:
        """Return the cached answer, which may be outdated, or None."""
        kept = self._answers.get(key)
        return kept[0] if kept else None

    def touch(self, key: Hashable) -> None:
        """Mark a cached answer as recently used."""
        self._answers.move_to_end(key)

    def was_requested_before(self, key: Hashable) -> bool:
        """Return True if a key was requested before, and remember it otherwise."""
        question = hash(key)
        if question in self._seen_once:
            return True
        self._seen_once[question] = None
        if len(self._seen_once) > MAX_SEEN:
            self._seen_once.popitem(last=False)
        return False

    def put(self, key: Hashable, answer: A, content_bytes: int) -> None:
        """Cache an answer, given the size of its body and key.

        Drops the least recently used answers if necessary.
        """
        self.drop(key)
        taken = content_bytes + BESIDE_CONTENT_BYTES
        self._answers[key] = answer, taken
        self._bytes += taken
        while self._bytes > MAX_KEPT_BYTES:
            self.drop(next(iter(self._answers)))

    def drop(self, key: Hashable) -> None:
        """Remove an answer if it is cached."""
        kept = self._answers.pop(key, None)
        if kept:
            answer, taken = kept
            self._bytes -= taken
            self._dropped(key, answer)
