"""Tasks for the tests of workers."""

from typing import Any

from tests.solvers.routing.problem_makers import make_delivery, make_problem, solve_by_insertion

from haulier.solvers.routing.engine import SearchBudget
from haulier.solvers.routing.engines.insertion import InsertionEngine
from haulier.solvers.routing.workers import SearchTask

SHORT, ENDLESS = SearchBudget(iterations=20), SearchBudget(iterations=10**9)


def make_task(seed: int, budget: SearchBudget = SHORT, engine: Any = None) -> SearchTask:
    """A search of eight deliveries from a first plan."""
    problem = make_problem(*(make_delivery(n, n % 7 + 1) for n in range(1, 9)))
    start = solve_by_insertion(problem, 0)
    return SearchTask(engine=engine or InsertionEngine(), problem=problem, start=start, seed=seed, budget=budget)
