"""Stocking search in a separate process; see `haulier.solvers.packing.streamed`."""

from collections.abc import Callable
from typing import Any

import msgspec

from haulier.solvers.packing.budget import StepMeter
from haulier.solvers.packing.streamed import StreamedTask, run_streamed
from haulier.solvers.stocking.engine import StockingEngine
from haulier.solvers.stocking.plan import StockingPlan
from haulier.solvers.stocking.problem import StockingProblem


def _solve_streamed(task: StreamedTask, meter: StepMeter, tell: Callable[[Any], bool]) -> StockingPlan:
    problem = msgspec.msgpack.decode(task.problem, type=StockingProblem)
    return StockingEngine().solve(problem, budget=task.budget, seed=task.seed, on_better=tell, meter=meter)


if __name__ == "__main__":
    run_streamed(_solve_streamed)
