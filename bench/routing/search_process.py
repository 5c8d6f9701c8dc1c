"""One search in a separate process, sampled from time to time."""

import resource
from bisect import bisect_right
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import get_context
from time import monotonic
from typing import Any, TypeVar

import psutil

from bench.routing.plain_pyvrp import solve_by_plain_pyvrp
from haulier.solvers.routing.build import build_routes
from haulier.solvers.routing.engine import Progress, SearchBudget
from haulier.solvers.routing.engines.insertion import InsertionEngine
from haulier.solvers.routing.plan import RoutingPlan
from haulier.solvers.routing.plan_check import check_plan
from haulier.solvers.routing.problem import RoutingProblem
from haulier.solvers.routing.score import measure_plan

OURS, INSERTION, PYVRP = "Haulier", "insertion", "PyVRP"
WORKERS = 2
KB = 1024
T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class PlanLook:
    """The best plan at a time; without a complete plan, there is no distance."""

    distance_m: int
    vehicles: int
    unassigned: int


@dataclass(frozen=True, kw_only=True)
class SearchRun:
    """A search: samples at the given times, time to the first plan, and total memory."""

    engine: str
    first_s: float
    looks: tuple[PlanLook | None, ...]
    memory_mb: int
    right: bool


def run_in_process(function: Callable[..., T], *calls: Sequence[Any]) -> list[T]:
    """Run a function with several argument lists in parallel, each in a new process."""
    with ProcessPoolExecutor(len(calls), mp_context=get_context("spawn")) as pool:
        waiting = [pool.submit(function, *words) for words in calls]
        return [each.result() for each in waiting]


def run_search(
    engine: str, load: Callable[..., RoutingProblem], words: Sequence[Any], moments: Sequence[float], seed: int
) -> SearchRun:
    """Search until the last sample time, and record the best plan at each."""
    problem = load(*words)
    began = monotonic()
    seen: list[tuple[float, RoutingPlan]] = []
    memory = _Memory()

    def watch(plan: RoutingPlan) -> bool:
        if not seen or seen[-1][1] is not plan:
            seen.append((monotonic() - began, plan))
        memory.look()
        return True

    watch(SEARCHES_BY_NAME[engine](problem, SearchBudget(seconds=moments[-1]), seed, watch))
    plans = [_plan_at(seen, moment, last=moment == moments[-1]) for moment in moments]
    return SearchRun(
        engine=engine,
        first_s=seen[0][0],
        looks=tuple(measure_look(problem, plan) for plan in plans),
        memory_mb=memory.most_mb,
        right=all(check_plan(problem, plan) == [] for plan in plans if plan),
    )


def _plan_at(seen: Sequence[tuple[float, RoutingPlan]], moment: float, *, last: bool) -> RoutingPlan | None:
    """Return the best plan at a time; the last one may be reported slightly late."""
    number = len(seen) if last else bisect_right(seen, moment, key=lambda each: each[0])
    return seen[number - 1][1] if number else None


def measure_look(problem: RoutingProblem, plan: RoutingPlan | None) -> PlanLook | None:
    """Return the metrics of a plan."""
    if plan is None:
        return None
    sums = measure_plan(problem, plan)
    return PlanLook(distance_m=sums.distance_m, vehicles=sums.vehicles, unassigned=sums.unassigned)


class _Memory:
    """Peak memory of this process, and sampled peak memory of its workers."""

    def __init__(self) -> None:
        self._workers, self._process = 0, psutil.Process()

    def look(self) -> None:
        """Sample the workers now: their own peak includes that of the parent."""
        with suppress(psutil.NoSuchProcess):
            self._workers = max(self._workers, sum(each.memory_info().rss for each in self._process.children()))

    @property
    def most_mb(self) -> int:
        """Return the total in MB."""
        return (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * KB + self._workers) // KB**2


def _search_by_build(problem: RoutingProblem, budget: SearchBudget, seed: int, progress: Progress) -> RoutingPlan:
    return build_routes(problem, budget=budget, seed=seed, progress=progress, workers=WORKERS).plan


def _search_by_insertion(problem: RoutingProblem, budget: SearchBudget, seed: int, progress: Progress) -> RoutingPlan:
    return InsertionEngine().solve(problem, budget=budget, seed=seed, progress=progress)


SEARCHES_BY_NAME: dict[str, Callable[[RoutingProblem, SearchBudget, int, Progress], RoutingPlan]] = {
    OURS: _search_by_build,
    INSERTION: _search_by_insertion,
    PYVRP: solve_by_plain_pyvrp,
}
