"""Search in a separate process that streams improved plans.

The task arrives on standard input, which stays open: when it closes, the caller is gone and the process kills itself
and its children. Standard output carries frames, each a length and a message: an improved plan, a step count, or the
final result.
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
"""Argument that makes a search process stream frames."""
LENGTH_FORMAT, LENGTH_BYTES = ">Q", 8
NEWS_INTERVAL_S = 1.0
"""Interval of progress messages while there is no improved plan."""


class SearchNews(Struct, Generic[P], frozen=True):
    """Progress message: steps so far, a new best plan if any, and whether it is final."""

    steps: int
    plan: P | None = None
    is_last: bool = False


class StreamedTask(Struct, frozen=True):
    """An encoded problem, a budget and a seed."""

    problem: bytes
    budget: PackingBudget
    seed: int = 0


Solve = Callable[[StreamedTask, StepMeter, Callable[[Any], bool]], Any]
"""Search function: receives its task, the step meter and a callback for improved plans."""


def frame(message: object) -> bytes:
    """Encode a message with a length prefix."""
    written = msgspec.msgpack.encode(message)
    return pack(LENGTH_FORMAT, len(written)) + written


def run_streamed(solve: Solve) -> None:
    """Run the task from standard input and stream messages to standard output."""
    (length,) = unpack(LENGTH_FORMAT, sys.stdin.buffer.read(LENGTH_BYTES))
    task = msgspec.msgpack.decode(sys.stdin.buffer.read(length), type=StreamedTask)
    meter = StepMeter(task.budget)
    teller = _Teller(meter)
    # A timer instead of a thread: a library runs in a fork of this process, and forks need a single thread.
    signal.signal(signal.SIGALRM, teller.look)
    signal.setitimer(signal.ITIMER_REAL, NEWS_INTERVAL_S, NEWS_INTERVAL_S)
    answer = solve(task, meter, teller.report_better)
    signal.setitimer(signal.ITIMER_REAL, 0)
    teller.tell(SearchNews(meter.steps, answer, True))


class _Teller:
    """Writes frames atomically, although a signal may arrive at any time."""

    def __init__(self, meter: StepMeter) -> None:
        self._meter, self._is_writing = meter, False

    def report_better(self, plan: Any) -> bool:
        self.tell(SearchNews(self._meter.steps, plan))
        return True

    def look(self, *_: object) -> None:
        """Report progress, or kill the process group if the caller is gone."""
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
