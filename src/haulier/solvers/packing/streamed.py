"""A search in a process of its own that tells of each better plan while it goes on.

The task comes on standard input, which stays open: once it closes, whoever asked is gone, and the process ends itself with its
children. Standard output carries frames, each a length and a message: a better plan, the steps that were done, or the answer.
"""

import os
import select
import signal
import sys
from collections.abc import Callable
from struct import pack, unpack
from typing import Any, Generic, TypeVar

import msgspec
from msgspec import Struct

from haulier.solvers.packing.budget import PackingBudget, StepMeter

P = TypeVar("P")
STREAMED = "stream"
"""The word with which a process of a search is told to speak in frames."""
LENGTH_FORMAT, LENGTH_BYTES = ">Q", 8
NEWS_INTERVAL_S = 1.0
"""How often a search without a better plan tells its steps."""


class SearchNews(Struct, Generic[P], frozen=True):
    """What a search tells: the steps so far, the best plan where it is new, and whether that is the answer."""

    steps: int
    plan: P | None = None
    is_last: bool = False


class StreamedTask(Struct, frozen=True):
    """A problem as it was encoded, a budget and a seed."""

    problem: bytes
    budget: PackingBudget
    seed: int = 0


Solve = Callable[[StreamedTask, StepMeter, Callable[[Any], bool]], Any]
"""A search: gets its task, the meter that it counts with, and whom it tells of better plans."""


def frame(message: object) -> bytes:
    """A message with its length before it."""
    written = msgspec.msgpack.encode(message)
    return pack(LENGTH_FORMAT, len(written)) + written


def run_streamed(solve: Solve) -> None:
    """Do the task of standard input and tell of it on standard output."""
    (length,) = unpack(LENGTH_FORMAT, sys.stdin.buffer.read(LENGTH_BYTES))
    task = msgspec.msgpack.decode(sys.stdin.buffer.read(length), type=StreamedTask)
    meter = StepMeter(task.budget)
    teller = _Teller(meter)
    # Why a timer and no thread: a library works in a fork of this process, and a fork wants no threads.
    signal.signal(signal.SIGALRM, teller.look)
    signal.setitimer(signal.ITIMER_REAL, NEWS_INTERVAL_S, NEWS_INTERVAL_S)
    answer = solve(task, meter, teller.tell_better)
    signal.setitimer(signal.ITIMER_REAL, 0)
    teller.tell(SearchNews(meter.steps, answer, True))


class _Teller:
    """Writes frames one after the other, although a signal may come at any time."""

    def __init__(self, meter: StepMeter) -> None:
        self._meter, self._is_writing = meter, False

    def tell_better(self, plan: Any) -> bool:
        self.tell(SearchNews(self._meter.steps, plan))
        return True

    def look(self, *_: object) -> None:
        """Say how far the search is, unless nobody listens any more."""
        if select.select([sys.stdin.fileno()], [], [], 0)[0] and not os.read(sys.stdin.fileno(), 1):
            os.killpg(0, signal.SIGKILL)
        if not self._is_writing:
            self.tell(SearchNews(self._meter.steps))

    def tell(self, news: SearchNews[Any]) -> None:
        self._is_writing = True
        try:
            sys.stdout.buffer.write(frame(news))
            sys.stdout.buffer.flush()
        finally:
            self._is_writing = False
