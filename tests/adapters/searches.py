"""Searches for a plan of a small problem."""

from tests.solvers.routing.problem_makers import make_delivery, make_problem

from haulier.contexts.planning.ports import SolverRun
from haulier.solvers.routing.engine import SearchBudget

ENDLESS = SearchBudget(seconds=3600)


def make_search(budget: SearchBudget) -> SolverRun:
    return SolverRun(problem=make_problem(*(make_delivery(n, n % 7 + 1) for n in range(1, 9))), budget=budget, seed=3)
