"""Who searches: this process, or several processes beside it, each at one task at a time.

A worker is a fresh Python process. It ends when it is told to, and by itself when the process that hired it is gone, however
that went.
"""

import os
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection, Pipe, wait
from time import monotonic
from typing import Any, Protocol, Self

from msgspec import Struct

from haulier.solvers.routing.engine import Budget, Engine, Progress, carry_on
from haulier.solvers.routing.engines.adoption import repaired
from haulier.solvers.routing.plan import Plan
from haulier.solvers.routing.problem import Problem

BEAT_S = 0.5
"""How often whoever watches is asked whether to go on, when there is nothing new."""


class Task(Struct, frozen=True, kw_only=True, eq=False):
    """One search. With `repair`, what is wrong with `start` is put right first."""

    engine: Engine
    problem: Problem
    start: Plan
    seed: int
    budget: Budget
    repair: bool = False


Line = Any
"""One end of a pipe; its type has another name on every system."""
Watch = Callable[[dict[int, Plan]], bool]
"""Is told now and then the best plans so far, by the numbers of their tasks; False ends all of them."""


class Hands(Protocol):
    """Those who do tasks. `count` is how many do so at once, not counting those that were lent."""

    @property
    def count(self) -> int: ...

    def lend(self, task: Task, heard: Callable[[Plan], None]) -> None:
        """Let one of several do a long task beside all others; `heard` gets its plans while others are waited for."""
        ...

    def wait_for_lent(self, seconds: float) -> None:
        """Wait so long at most for what was lent."""
        ...

    def do(self, tasks: Sequence[Task], watch: Watch) -> dict[int, Plan]:
        """The plans of all tasks by their numbers, or of some when the watcher ended it."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *fault: object) -> None: ...


def solve(task: Task, progress: Progress = carry_on) -> Plan:
    """Do one task."""
    start = repaired(task.problem, task.start) if task.repair else task.start
    return task.engine.solve(task.problem, seed=task.seed, budget=task.budget, start=start, progress=progress)


class Here:
    """This process alone: one task after another."""

    count = 1

    def lend(self, task: Task, heard: Callable[[Plan], None]) -> None:
        """Nobody would be left. Raises `RuntimeError`."""
        raise RuntimeError("one alone cannot be lent")

    def wait_for_lent(self, seconds: float) -> None:
        """Nobody is lent."""

    def do(self, tasks: Sequence[Task], watch: Watch) -> dict[int, Plan]:
        """See `Hands`."""
        found: dict[int, Plan] = {}
        stopped = False
        for number, task in enumerate(tasks):

            def progress(plan: Plan, number: int = number) -> bool:
                nonlocal stopped
                found[number] = plan
                stopped = stopped or not watch(found)
                return not stopped

            plan = solve(task, progress)
            if stopped or (number + 1 < len(tasks) and not progress(plan)):
                break
            found[number] = plan
        return found

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *fault: object) -> None:
        """Nobody is to be dismissed."""


class Workers:
    """Processes, started at once and killed at the end."""

    def __init__(self, count: int) -> None:
        self.count = count
        self._idle: list[Line] = []
        self._lent: dict[Line, Callable[[Plan], None]] = {}
        self._processes: list[subprocess.Popen[bytes]] = []
        for _ in range(count):
            ours, theirs = Pipe()
            words = [sys.executable, "-m", __name__, str(theirs.fileno())]
            self._processes.append(
                subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, pass_fds=[theirs.fileno()])
            )
            theirs.close()
            self._idle.append(ours)
        self._lines = tuple(self._idle)

    @property
    def pids(self) -> list[int]:
        """The numbers that the system knows them by."""
        return [process.pid for process in self._processes]

    def lend(self, task: Task, heard: Callable[[Plan], None]) -> None:
        """See `Hands`. Raises `IndexError` when everybody is busy."""
        line = self._idle.pop()
        line.send((0, task))
        self._lent[line] = heard
        self.count -= 1

    def wait_for_lent(self, seconds: float) -> None:
        """See `Hands`."""
        ends = monotonic() + seconds
        while self._lent and (left := ends - monotonic()) > 0:
            for line in wait(list(self._lent), left):
                self._hear_lent(line)

    def _hear_lent(self, line: Line) -> None:
        _, last, plan = _heard(line)
        self._lent[line](plan)
        if last:
            del self._lent[line]
            self._idle.append(line)
            self.count += 1

    def do(self, tasks: Sequence[Task], watch: Watch) -> dict[int, Plan]:
        """See `Hands`. Raises `RuntimeError` when a worker fails or dies."""
        found: dict[int, Plan] = {}
        busy: list[Line] = []
        todo = list(reversed(range(len(tasks))))
        while todo or busy:
            while todo and self._idle:
                line, number = self._idle.pop(), todo.pop()
                line.send((number, tasks[number]))
                busy.append(line)
            for line in wait([*busy, *self._lent], BEAT_S):
                if line in self._lent:
                    self._hear_lent(line)
                    continue
                number, last, plan = _heard(line)
                found[number] = plan
                if last:
                    busy.remove(line)
                    self._idle.append(line)
            if (todo or busy) and not watch(found):
                break
        return found

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *fault: object) -> None:
        for process in self._processes:
            process.kill()
        for process in self._processes:
            process.communicate()
        for line in self._lines:
            line.close()


def _heard(line: Line) -> tuple[int, bool, Plan]:
    try:
        said = line.recv()
    except (EOFError, ConnectionError):
        raise RuntimeError("a worker is gone") from None
    if isinstance(said, str):
        raise RuntimeError(said)
    return said


def _work(line: Line) -> None:
    """What a worker does, until it is killed: take a task, say every better plan, and last the answer."""
    threading.Thread(target=_end_with_whoever_hired, daemon=True).start()
    while True:
        number, task = line.recv()
        try:
            line.send((number, True, solve(task, _Reporter(line, number))))
        except Exception:
            line.send(traceback.format_exc())


class _Reporter:
    """Says each better plan once."""

    def __init__(self, line: Line, number: int) -> None:
        self._line, self._number = line, number
        self._said: Plan | None = None

    def __call__(self, plan: Plan) -> bool:
        if plan is not self._said:
            self._said = plan
            self._line.send((self._number, False, plan))
        return True


def _end_with_whoever_hired() -> None:
    """Nothing is ever written there: the input closes when the other process ends, however that went."""
    sys.stdin.buffer.read(1)
    os._exit(1)


if __name__ == "__main__":
    _work(Connection(int(sys.argv[1])))
