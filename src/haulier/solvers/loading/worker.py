"""A search in a process of its own: the problem comes on standard input, the plan goes to standard output."""

import sys

import msgspec

from haulier.solvers.loading.engine import LoadingEngine
from haulier.solvers.loading.plan import LoadingPlan
from haulier.solvers.loading.problem import LoadingProblem
from haulier.solvers.packing.budget import PackingBudget

LoadingTask = tuple[LoadingProblem, PackingBudget, int]
"""A problem, a budget and a seed."""


def solve_loading(task: LoadingTask) -> LoadingPlan:
    """Do a task in this process."""
    problem, budget, seed = task
    return LoadingEngine().solve(problem, budget=budget, seed=seed)


if __name__ == "__main__":
    task = msgspec.msgpack.decode(sys.stdin.buffer.read(), type=LoadingTask)
    sys.stdout.buffer.write(msgspec.msgpack.encode(solve_loading(task)))
