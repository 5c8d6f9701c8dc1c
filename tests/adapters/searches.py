"""Searches for a plan of a small problem."""

from tests.solvers.routing.problem_makers import a_delivery, a_problem

from haulier.contexts.planning.ports import SolverRun
from haulier.solvers.routing.engine import SearchBudget

ENDLESS = SearchBudget(seconds=3600)


def a_search(budget: SearchBudget) -> SolverRun:
    return SolverRun(problem=a_problem(*(a_delivery(n, n % 7 + 1) for n in range(1, 9))), budget=budget, seed=3)
