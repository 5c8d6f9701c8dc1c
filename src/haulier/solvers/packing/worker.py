"""Packing search in a separate process, over standard input and output."""

import sys
from collections.abc import Callable
from typing import Any

import msgspec

from haulier.solvers.packing.budget import PackingBudget, StepMeter
from haulier.solvers.packing.carton_engine import CartonEngine
from haulier.solvers.packing.installed import find_packer, installed_filler, installed_prover
from haulier.solvers.packing.plan import PackingPlan
from haulier.solvers.packing.problem import PackingProblem
from haulier.solvers.packing.streamed import STREAMED, StreamedTask, run_streamed

PackingTask = tuple[PackingProblem, PackingBudget, int]
"""A problem, a budget and a seed."""


def solve_task(task: PackingTask, engine: CartonEngine | None = None) -> PackingPlan | None:
    """Solve a task in this process.

    The default engine excludes the libraries that only a separate process may load.
    """
    problem, budget, seed = task
    return (engine or CartonEngine()).solve(problem, budget=budget, seed=seed)


def encode_task(task: PackingTask) -> bytes:
    """Encode a task for a search process."""
    return msgspec.msgpack.encode(task)


def decode_plan(answer: bytes) -> PackingPlan | None:
    """Decode the result of a search process."""
    return msgspec.msgpack.decode(answer, type=PackingPlan | None)


def _solve_streamed(task: StreamedTask, meter: StepMeter, tell: Callable[[Any], bool]) -> PackingPlan | None:
    problem = msgspec.msgpack.decode(task.problem, type=PackingProblem)
    engine = CartonEngine(installed_filler(), installed_prover(), find_packer)
    return engine.solve(problem, budget=task.budget, seed=task.seed, on_better=tell, meter=meter)


if __name__ == "__main__" and STREAMED in sys.argv[1:]:
    run_streamed(_solve_streamed)
elif __name__ == "__main__":
    task = msgspec.msgpack.decode(sys.stdin.buffer.read(), type=PackingTask)
    plan = solve_task(task, CartonEngine(installed_filler(), installed_prover(), find_packer))
    sys.stdout.buffer.write(msgspec.msgpack.encode(plan))
