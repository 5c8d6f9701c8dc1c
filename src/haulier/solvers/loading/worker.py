"""Loading search in a separate process, over standard input and output."""

import sys
from collections.abc import Callable
from typing import Any

import msgspec

from haulier.solvers.loading.engine import LoadingEngine
from haulier.solvers.loading.plan import LoadingPlan
from haulier.solvers.loading.problem import LoadingProblem
from haulier.solvers.packing.budget import PackingBudget, StepMeter
from haulier.solvers.packing.installed import installed_fillers
from haulier.solvers.packing.streamed import STREAMED, StreamedTask, run_streamed

LoadingTask = tuple[LoadingProblem, PackingBudget, int]
"""A problem, a budget and a seed."""


def solve_loading(task: LoadingTask, engine: LoadingEngine | None = None) -> LoadingPlan:
    """Solve a task in this process.

    The default engine excludes the compiled library, which only a separate process may load.
    """
    problem, budget, seed = task
    return (engine or LoadingEngine()).solve(problem, budget=budget, seed=seed)


def _engine_within(budget: PackingBudget) -> LoadingEngine:
    # Compiling uses up a time budget but not a step budget.
    return LoadingEngine(installed_fillers(may_wait=budget.seconds is None))


def _solve_streamed(task: StreamedTask, meter: StepMeter, tell: Callable[[Any], bool]) -> LoadingPlan:
    problem = msgspec.msgpack.decode(task.problem, type=LoadingProblem)
    return _engine_within(task.budget).solve(problem, budget=task.budget, seed=task.seed, on_better=tell, meter=meter)


if __name__ == "__main__" and STREAMED in sys.argv[1:]:
    run_streamed(_solve_streamed)
elif __name__ == "__main__":
    task = msgspec.msgpack.decode(sys.stdin.buffer.read(), type=LoadingTask)
    sys.stdout.buffer.write(msgspec.msgpack.encode(solve_loading(task, _engine_within(task[1]))))
