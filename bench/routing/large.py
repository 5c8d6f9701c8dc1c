"""Large days: time to the first plan, and the cost of searching in parts."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from time import monotonic

from bench.routing.day import empty_day, impossible_day, made_up_day
from bench.routing.search_process import (
    OURS,
    PYVRP,
    WORKERS,
    PlanLook,
    SearchRun,
    measure_look,
    run_in_process,
    run_search,
)
from haulier.adapters.solver_runner import SubprocessRunner
from haulier.contexts.planning.ports import SolverRun
from haulier.solvers.routing.build import build_routes
from haulier.solvers.routing.engine import SearchBudget
from haulier.solvers.routing.engines.pyvrp import PyVrpEngine
from haulier.solvers.routing.merger import empty_plan, merge_parts
from haulier.solvers.routing.plan import RoutingPlan
from haulier.solvers.routing.problem import RoutingProblem
from haulier.solvers.routing.split import split_problem
from haulier.solvers.routing.workers import ProcessWorkers, SearchTask

FIRST_PLAN_SIZES = (1000, 5000)
SPLIT_ORDERS = 2000
SPLIT_S = 15
PART_JOBS = 500
LONG_S = 60
"""A budget far above the time of results that need no search."""


@dataclass(frozen=True, kw_only=True)
class SplitComparison:
    """The same day and processor time: searched whole, cut once, and in rounds."""

    whole: PlanLook | None
    cut_once: PlanLook | None
    ours: PlanLook | None


def first_plan_times() -> dict[int, float]:
    """Return the seconds from request to first plan, with process start, by orders."""
    return {orders: run_in_process(_first_plan_s, (orders,))[0] for orders in FIRST_PLAN_SIZES}


def _first_plan_s(orders: int) -> float:
    search = SolverRun(problem=made_up_day(orders), budget=SearchBudget(seconds=LONG_S))
    began, took = monotonic(), 0.0

    async def tell(plan: RoutingPlan) -> bool:
        nonlocal took
        took = monotonic() - began
        return False

    asyncio.run(SubprocessRunner().best(search, tell))
    return took


def instant_answer_times() -> dict[str, float]:
    """Return the seconds to a response where nothing can be planned, by case."""
    return {
        "no orders": run_in_process(_answer_s, ("nothing",))[0],
        "1,000 orders too heavy for every van": run_in_process(_answer_s, ("impossible",))[0],
    }


def _answer_s(what: str) -> float:
    problem = empty_day() if what == "nothing" else impossible_day(1000)
    began = monotonic()
    build_routes(problem, budget=SearchBudget(seconds=LONG_S), workers=WORKERS)
    return monotonic() - began


def compare_splitting(seed: int) -> SplitComparison:
    """Compare searching in parts with searching the whole."""
    whole, ours = (
        run_in_process(run_search, (engine, made_up_day, (SPLIT_ORDERS,), (seconds,), seed))[0].looks[0]
        for engine, seconds in ((PYVRP, SPLIT_S * WORKERS), (OURS, SPLIT_S))
    )
    return SplitComparison(
        whole=whole,
        ours=ours,
        cut_once=measure_look(made_up_day(SPLIT_ORDERS), _cut_once(made_up_day(SPLIT_ORDERS), seed)),
    )


def _cut_once(problem: RoutingProblem, seed: int) -> RoutingPlan:
    plan, count = empty_plan(problem), SPLIT_ORDERS // PART_JOBS
    cut = split_problem(problem, plan, count, Random(seed))
    budget = SearchBudget(seconds=SPLIT_S * WORKERS / count)
    tasks = [SearchTask(engine=PyVrpEngine(), problem=p.problem, start=p.start, seed=seed, budget=budget) for p in cut]
    with ProcessWorkers(WORKERS) as workers:
        return merge_parts(problem, plan, cut, workers.run_all(tasks, lambda found: True))


def search_ten_thousand(moments: Sequence[float], seed: int) -> SearchRun:
    """Search a day of 10,000 orders."""
    return run_in_process(run_search, (OURS, made_up_day, (10_000,), moments, seed))[0]
