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

from haulier.solvers.routing.engine import Progress, SearchBudget, SearchEngine, always_continue
from haulier.solvers.routing.engines.repair import repair_plan
from haulier.solvers.routing.plan import RoutingPlan
from haulier.solvers.routing.problem import RoutingProblem

WATCH_INTERVAL_S = 0.5
"""How often whoever watches is asked whether to go on, when there is nothing new."""


class SearchTask(Struct, frozen=True, kw_only=True, eq=False):
    """One search. With `repair`, what is wrong with `start` is put right first."""

    engine: SearchEngine
    problem: RoutingProblem
    start: RoutingPlan
    seed: int
    budget: SearchBudget
    repair: bool = False


PipeEnd = Any
"""One end of a pipe; its type has another name on every system."""
WatchPlans = Callable[[dict[int, RoutingPlan]], bool]
"""Is told now and then the best plans so far, by the numbers of their tasks; False ends all of them."""


class WorkerPool(Protocol):
    """Those who do tasks. `count` is how many do so at once, not counting those that were lent."""

    @property
    def count(self) -> int: ...

    def run_in_background(self, task: SearchTask, heard: Callable[[RoutingPlan], None]) -> None:
        """Let one of several do a long task beside all others; `heard` gets its plans while others are waited for."""
        ...

    def wait_for_background(self, seconds: float) -> None:
        """Wait so long at most for what was lent."""
        ...

    def run_all(self, tasks: Sequence[SearchTask], watch: WatchPlans) -> dict[int, RoutingPlan]:
        """The plans of all tasks by their numbers, or of some when the watcher ended it."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *fault: object) -> None: ...


def solve_task(task: SearchTask, progress: Progress = always_continue) -> RoutingPlan:
    """Do one task."""
    start = repair_plan(task.problem, task.start) if task.repair else task.start
    return task.engine.solve(task.problem, seed=task.seed, budget=task.budget, start=start, progress=progress)


class InlineWorkers:
    """This process alone: one task after another."""

    count = 1

    def run_in_background(self, task: SearchTask, heard: Callable[[RoutingPlan], None]) -> None:
        """Nobody would be left. Raises `RuntimeError`."""
        raise RuntimeError("one alone cannot be lent")

    def wait_for_background(self, seconds: float) -> None:
        """Nobody is lent."""

    def run_all(self, tasks: Sequence[SearchTask], watch: WatchPlans) -> dict[int, RoutingPlan]:
        """See `Hands`."""
        found: dict[int, RoutingPlan] = {}
        stopped = False
        for number, task in enumerate(tasks):

            def progress(plan: RoutingPlan, number: int = number) -> bool:
                nonlocal stopped
                found[number] = plan
                stopped = stopped or not watch(found)
                return not stopped

            plan = solve_task(task, progress)
            if stopped or (number + 1 < len(tasks) and not progress(plan)):
                break
            found[number] = plan
        return found

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *fault: object) -> None:
        """Nobody is to be dismissed."""


class ProcessWorkers:
    """Processes, started at once and killed at the end."""

    def __init__(self, count: int) -> None:
        self.count = count
        self._idle: list[PipeEnd] = []
        self._background: dict[PipeEnd, Callable[[RoutingPlan], None]] = {}
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

    def run_in_background(self, task: SearchTask, heard: Callable[[RoutingPlan], None]) -> None:
        """See `Hands`. Raises `IndexError` when everybody is busy."""
        line = self._idle.pop()
        line.send((0, task))
        self._background[line] = heard
        self.count -= 1

    def wait_for_background(self, seconds: float) -> None:
        """See `Hands`."""
        ends = monotonic() + seconds
        while self._background and (left := ends - monotonic()) > 0:
            for line in wait(list(self._background), left):
                self._receive_background(line)

    def _receive_background(self, line: PipeEnd) -> None:
        _, last, plan = _receive_plan(line)
        self._background[line](plan)
        if last:
            del self._background[line]
            self._idle.append(line)
            self.count += 1

    def run_all(self, tasks: Sequence[SearchTask], watch: WatchPlans) -> dict[int, RoutingPlan]:
        """See `Hands`. Raises `RuntimeError` when a worker fails or dies."""
        found: dict[int, RoutingPlan] = {}
        busy: list[PipeEnd] = []
        todo = list(reversed(range(len(tasks))))
        while todo or busy:
            while todo and self._idle:
                line, number = self._idle.pop(), todo.pop()
                line.send((number, tasks[number]))
                busy.append(line)
            for line in wait([*busy, *self._background], WATCH_INTERVAL_S):
                if line in self._background:
                    self._receive_background(line)
                    continue
                number, last, plan = _receive_plan(line)
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


def _receive_plan(line: PipeEnd) -> tuple[int, bool, RoutingPlan]:
    try:
        said = line.recv()
    except (EOFError, ConnectionError):
        raise RuntimeError("a worker is gone") from None
    if isinstance(said, str):
        raise RuntimeError(said)
    return said


def _worker_main(line: PipeEnd) -> None:
    """What a worker does, until it is killed: take a task, say every better plan, and last the answer."""
    threading.Thread(target=_exit_with_parent, daemon=True).start()
    while True:
        number, task = line.recv()
        try:
            line.send((number, True, solve_task(task, _PlanReporter(line, number))))
        except Exception:
            line.send(traceback.format_exc())


class _PlanReporter:
    """Says each better plan once."""

    def __init__(self, line: PipeEnd, number: int) -> None:
        self._line, self._number = line, number
        self._said: RoutingPlan | None = None

    def __call__(self, plan: RoutingPlan) -> bool:
        if plan is not self._said:
            self._said = plan
            self._line.send((self._number, False, plan))
        return True


def _exit_with_parent() -> None:
    """Nothing is ever written there: the input closes when the other process ends, however that went."""
    sys.stdin.buffer.read(1)
    os._exit(1)


if __name__ == "__main__":
    _worker_main(Connection(int(sys.argv[1])))
