"""Answers that a process keeps, bounded by the bytes that they take, and the questions that were asked once."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

MAX_BODY_BYTES = 65_536
"""A larger answer is not kept."""
MAX_KEPT_BYTES = 16 * 2**20
"""All answers of a store; those asked for last stay."""
MAX_SEEN = 8192
"""So many questions that were asked once are remembered."""
BESIDE_CONTENT_BYTES = 2048
"""What an answer takes beside its body: its caller, its headers, its places in tables. Small ones are mostly that."""


A = TypeVar("A")


class AnswerStore(Generic[A]):
    """The answers to questions, those asked for last."""

    def __init__(self, dropped: Callable[[Hashable, A], None] = lambda key, answer: None) -> None:
        """`dropped` hears of each answer that goes."""
        self._answers: OrderedDict[Hashable, tuple[A, int]] = OrderedDict()
        self._dropped = dropped
        self._bytes = 0
        # Why hashes: a question may be long, and two that are taken for each other cost a place in the store and no more.
        self._seen_once: OrderedDict[int, None] = OrderedDict()

    def get(self, key: Hashable) -> A | None:
        """The kept answer, which may be old."""
        kept = self._answers.get(key)
        return kept[0] if kept else None

    def touch(self, key: Hashable) -> None:
        """Note that a kept answer was asked for."""
        self._answers.move_to_end(key)

    def is_asked_again(self, key: Hashable) -> bool:
        """Whether a question was asked before; if not, it was now."""
        question = hash(key)
        if question in self._seen_once:
            return True
        self._seen_once[question] = None
        if len(self._seen_once) > MAX_SEEN:
            self._seen_once.popitem(last=False)
        return False

    def put(self, key: Hashable, answer: A, content_bytes: int) -> None:
        """Keep an answer, given the bytes of its body and question; those that were asked for longest ago make room."""
        self.drop(key)
        taken = content_bytes + BESIDE_CONTENT_BYTES
        self._answers[key] = answer, taken
        self._bytes += taken
        while self._bytes > MAX_KEPT_BYTES:
            self.drop(next(iter(self._answers)))

    def drop(self, key: Hashable) -> None:
        """Let an answer go, where it is kept."""
        kept = self._answers.pop(key, None)
        if kept:
            answer, taken = kept
            self._bytes -= taken
            self._dropped(key, answer)
