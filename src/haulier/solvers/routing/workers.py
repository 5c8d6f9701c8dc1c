"""The workers of a search: this process, or several processes beside it, each with one task at a time.

A worker is a fresh Python process. It is killed at the end of the search, and ends by itself when its parent process ends.
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
"""Seconds between two calls of the watcher when there is no new plan."""


class SearchTask(Struct, frozen=True, kw_only=True, eq=False):
    """One search. With `repair`, `start` is repaired first."""

    engine: SearchEngine
    problem: RoutingProblem
    start: RoutingPlan
    seed: int
    budget: SearchBudget
    repair: bool = False


PipeEnd = Any
"""One end of a pipe; its type has another name on every system."""
WatchPlans = Callable[[dict[int, RoutingPlan]], bool]
"""Called from time to time with the best plans so far, by the numbers of their tasks; False ends all tasks."""


class WorkerPool(Protocol):
    """Workers that do tasks. `count` is how many do so at once, without those that do a background task."""

    @property
    def count(self) -> int: ...

    def run_in_background(self, task: SearchTask, on_plan: Callable[[RoutingPlan], None]) -> None:
        """Start a long task on one worker beside the others. `on_plan` gets its plans while other tasks are waited for."""
        ...

    def wait_for_background(self, seconds: float) -> None:
        """Wait at most so many seconds for the background tasks."""
        ...

    def run_all(self, tasks: Sequence[SearchTask], watch: WatchPlans) -> dict[int, RoutingPlan]:
        """The plans of all tasks by their numbers, or of some when the watcher ended them."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *exc_info: object) -> None: ...


def solve_task(task: SearchTask, progress: Progress = always_continue) -> RoutingPlan:
    """Do one task."""
    start = repair_plan(task.problem, task.start) if task.repair else task.start
    return task.engine.solve(task.problem, seed=task.seed, budget=task.budget, start=start, progress=progress)


class InlineWorkers:
    """This process alone, one task after another."""

    count = 1

    def run_in_background(self, task: SearchTask, on_plan: Callable[[RoutingPlan], None]) -> None:
        """Not possible: no worker would be left. Raises `RuntimeError`."""
        raise RuntimeError("a single worker cannot do a background task")

    def wait_for_background(self, seconds: float) -> None:
        """There are no background tasks."""

    def run_all(self, tasks: Sequence[SearchTask], watch: WatchPlans) -> dict[int, RoutingPlan]:
        """See `WorkerPool`."""
        plans: dict[int, RoutingPlan] = {}
        stopped = False
        for number, task in enumerate(tasks):

            def progress(plan: RoutingPlan, number: int = number) -> bool:
                nonlocal stopped
                plans[number] = plan
                stopped = stopped or not watch(plans)
                return not stopped

            plan = solve_task(task, progress)
            if stopped or (number + 1 < len(tasks) and not progress(plan)):
                break
            plans[number] = plan
        return plans

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        """There is nothing to end."""


class ProcessWorkers:
    """Processes that are started at once and killed at the end."""

    def __init__(self, count: int) -> None:
        self.count = count
        self._idle: list[PipeEnd] = []
        self._background: dict[PipeEnd, Callable[[RoutingPlan], None]] = {}
        self._processes: list[subprocess.Popen[bytes]] = []
        for _ in range(count):
            ours, theirs = Pipe()
            command = [sys.executable, "-m", __name__, str(theirs.fileno())]
            self._processes.append(
                subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, pass_fds=[theirs.fileno()])
            )
            theirs.close()
            self._idle.append(ours)
        self._lines = tuple(self._idle)

    @property
    def pids(self) -> list[int]:
        """The ids of the processes."""
        return [process.pid for process in self._processes]

    def run_in_background(self, task: SearchTask, on_plan: Callable[[RoutingPlan], None]) -> None:
        """See `WorkerPool`. Raises `IndexError` when all workers are busy."""
        line = self._idle.pop()
        line.send((0, task))
        self._background[line] = on_plan
        self.count -= 1

    def wait_for_background(self, seconds: float) -> None:
        """See `WorkerPool`."""
        ends = monotonic() + seconds
        while self._background and (left_s := ends - monotonic()) > 0:
            for line in wait(list(self._background), left_s):
                self._receive_background(line)

    def _receive_background(self, line: PipeEnd) -> None:
        _, last, plan = _receive_plan(line)
        self._background[line](plan)
        if last:
            del self._background[line]
            self._idle.append(line)
            self.count += 1

    def run_all(self, tasks: Sequence[SearchTask], watch: WatchPlans) -> dict[int, RoutingPlan]:
        """See `WorkerPool`. Raises `RuntimeError` when a worker fails or dies."""
        plans: dict[int, RoutingPlan] = {}
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
                plans[number] = plan
                if last:
                    busy.remove(line)
                    self._idle.append(line)
            if (todo or busy) and not watch(plans):
                break
        return plans

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        for process in self._processes:
            process.kill()
        for process in self._processes:
            process.communicate()
        for line in self._lines:
            line.close()


def _receive_plan(line: PipeEnd) -> tuple[int, bool, RoutingPlan]:
    try:
        message = line.recv()
    except (EOFError, ConnectionError):
        raise RuntimeError("a worker is gone") from None
    if isinstance(message, str):
        raise RuntimeError(message)
    return message


def _worker_main(line: PipeEnd) -> None:
    """The loop of a worker until it is killed: take a task, send every better plan, then the last plan."""
    threading.Thread(target=_exit_with_parent, daemon=True).start()
    while True:
        number, task = line.recv()
        try:
            line.send((number, True, solve_task(task, _PlanReporter(line, number))))
        except Exception:
            line.send(traceback.format_exc())


class _PlanReporter:
    """Sends each better plan once."""

    def __init__(self, line: PipeEnd, number: int) -> None:
        self._line, self._number = line, number
        self._sent: RoutingPlan | None = None

    def __call__(self, plan: RoutingPlan) -> bool:
        if plan is not self._sent:
            self._sent = plan
            self._line.send((self._number, False, plan))
        return True


def _exit_with_parent() -> None:
    """End this process when its parent ends."""
    # Why stdin: nothing is ever written to it, and it closes when the parent process ends for any reason.
    sys.stdin.buffer.read(1)
    os._exit(1)


if __name__ == "__main__":
    _worker_main(Connection(int(sys.argv[1])))
