"""A search in a process of its own: the problem comes on standard input, the plan goes to standard output."""

import sys
from collections.abc import Callable
from typing import Any

import msgspec

from haulier.solvers.loading.engine import LoadingEngine
from haulier.solvers.loading.plan import LoadingPlan
from haulier.solvers.loading.problem import LoadingProblem
from haulier.solvers.packing.budget import PackingBudget, StepMeter
from haulier.solvers.packing.installed import installed_filler
from haulier.solvers.packing.streamed import STREAMED, StreamedTask, run_streamed
from haulier.solvers.packing.budget import PackingBudget
from haulier.solvers.packing.installed import installed_fillers

LoadingTask = tuple[LoadingProblem, PackingBudget, int]
"""A problem, a budget and a seed."""


def solve_loading(task: LoadingTask, engine: LoadingEngine | None = None) -> LoadingPlan:
    """Do a task in this process, without the library that only a process of its own may load, unless an engine is given."""
    problem, budget, seed = task
    return (engine or LoadingEngine()).solve(problem, budget=budget, seed=seed)


def _solve_streamed(task: StreamedTask, meter: StepMeter, tell: Callable[[Any], bool]) -> LoadingPlan:
    problem = msgspec.msgpack.decode(task.problem, type=LoadingProblem)
    engine = LoadingEngine(installed_filler())
    return engine.solve(problem, budget=task.budget, seed=task.seed, on_better=tell, meter=meter)


if __name__ == "__main__" and STREAMED in sys.argv[1:]:
    run_streamed(_solve_streamed)
elif __name__ == "__main__":
    task = msgspec.msgpack.decode(sys.stdin.buffer.read(), type=LoadingTask)
    # Why by the kind of budget: a clock runs on while machine code is made, steps do not.
    fillers = installed_fillers(may_wait=task[1].seconds is None)
    sys.stdout.buffer.write(msgspec.msgpack.encode(solve_loading(task, LoadingEngine(fillers))))
