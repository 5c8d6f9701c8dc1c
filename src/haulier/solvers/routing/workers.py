"""Search workers: this process, or several processes with one task at a time each.

A worker is a fresh Python process. It is killed at the end of the search, and exits when its parent process ends.
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
"""Seconds between two calls of the watcher without a new plan."""


class SearchTask(Struct, frozen=True, kw_only=True, eq=False):
    """One search. With `repair`, `start` is repaired first."""

    engine: SearchEngine
    problem: RoutingProblem
    start: RoutingPlan
    seed: int
    budget: SearchBudget
    repair: bool = False


PipeEnd = Any
"""One end of a pipe; its type has a different name on every system."""
WatchPlans = Callable[[dict[int, RoutingPlan]], bool]
"""Called from time to time with the best plans by task number; returning False ends all tasks."""


class WorkerPool(Protocol):
    """Workers that run tasks.

    `count` is the number of parallel tasks, without workers on a background task.
    """

    @property
    def count(self) -> int: ...

    def run_in_background(self, task: SearchTask, on_plan: Callable[[RoutingPlan], None]) -> None:
        """Start a long task on one worker.

        `on_plan` receives its plans while other tasks are awaited.
        """
        ...

    def wait_for_background(self, seconds: float) -> None:
        """Wait up to `seconds` for the background tasks."""
        ...

    def run_all(self, tasks: Sequence[SearchTask], watch: WatchPlans) -> dict[int, RoutingPlan]:
        """Return the plans of all tasks by number, or of some if the watcher ended them."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *exc_info: object) -> None: ...


def solve_task(task: SearchTask, progress: Progress = always_continue) -> RoutingPlan:
    start = repair_plan(task.problem, task.start) if task.repair else task.start
    return task.engine.solve(task.problem, seed=task.seed, budget=task.budget, start=start, progress=progress)


class InlineWorkers:
    """Workers that run one task after another in this process."""

    count = 1

    def run_in_background(self, task: SearchTask, on_plan: Callable[[RoutingPlan], None]) -> None:
        """Raise `RuntimeError`: no worker would be left."""
        raise RuntimeError("a single worker cannot do a background task")

    def wait_for_background(self, seconds: float) -> None:
        """Return at once: there are no background tasks."""

    def run_all(self, tasks: Sequence[SearchTask], watch: WatchPlans) -> dict[int, RoutingPlan]:
        """Run the tasks in turn; see `WorkerPool`."""
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
        """Do nothing: there are no processes to end."""


class ProcessWorkers:
    """Processes that start immediately and are killed at the end."""

    def __init__(self, count: int) -> None:
        self.count = count
        self._idle: list[PipeEnd] = []
        self._background: dict[PipeEnd, Callable[[RoutingPlan], None]] = {}
        self._processes: list[subprocess.Popen[bytes]] = []
        for _ in range(count):
            own_end, worker_end = Pipe()
            command = [sys.executable, "-m", __name__, str(worker_end.fileno())]
            self._processes.append(
                subprocess.Popen(
                    command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, pass_fds=[worker_end.fileno()]
                )
            )
            worker_end.close()
            self._idle.append(own_end)
        self._lines = tuple(self._idle)

    @property
    def pids(self) -> list[int]:
        """Return the process ids."""
        return [process.pid for process in self._processes]

    def run_in_background(self, task: SearchTask, on_plan: Callable[[RoutingPlan], None]) -> None:
        """Start a background task; raises `IndexError` if all workers are busy."""
        line = self._idle.pop()
        line.send((0, task))
        self._background[line] = on_plan
        self.count -= 1

    def wait_for_background(self, seconds: float) -> None:
        """Wait for the background tasks; see `WorkerPool`."""
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
        """Run the tasks; raises `RuntimeError` if a worker fails or dies."""
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
    """Run tasks until killed: take a task, send every better plan, then the last plan."""
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
    # Standard input never receives data, and closes when the parent process ends for any reason.
    sys.stdin.buffer.read(1)
    os._exit(1)


if __name__ == "__main__":
    _worker_main(Connection(int(sys.argv[1])))
