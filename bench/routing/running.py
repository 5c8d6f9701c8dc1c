"""One search in a process of its own, looked at from time to time."""

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

from bench.routing.raw import by_pyvrp
from haulier.solvers.routing.build import build
from haulier.solvers.routing.check import check
from haulier.solvers.routing.engine import Budget, Progress
from haulier.solvers.routing.engines.insertion import Insertion
from haulier.solvers.routing.plan import Plan
from haulier.solvers.routing.problem import Problem
from haulier.solvers.routing.score import measures

OURS, INSERTION, PYVRP = "ours", "insertion", "PyVRP"
WORKERS = 2
KB = 1024
T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Look:
    """The best plan at a moment. Without a plan that serves everybody, there is no distance."""

    distance_m: int
    vehicles: int
    unassigned: int


@dataclass(frozen=True, kw_only=True)
class Run:
    """A search: `looks` at the moments asked for, `first_s` until its first plan, memory of all its processes."""

    engine: str
    first_s: float
    looks: tuple[Look | None, ...]
    memory_mb: int
    right: bool


def apart(function: Callable[..., T], *calls: Sequence[Any]) -> list[T]:
    """The same function with different words, side by side, each in a fresh process."""
    with ProcessPoolExecutor(len(calls), mp_context=get_context("spawn")) as pool:
        waiting = [pool.submit(function, *words) for words in calls]
        return [each.result() for each in waiting]


def run(engine: str, load: Callable[..., Problem], words: Sequence[Any], moments: Sequence[float], seed: int) -> Run:
    """Search until the last moment, and look at what was best at each of them."""
    problem = load(*words)
    began = monotonic()
    seen: list[tuple[float, Plan]] = []
    memory = _Memory()

    def watch(plan: Plan) -> bool:
        if not seen or seen[-1][1] is not plan:
            seen.append((monotonic() - began, plan))
        memory.look()
        return True

    watch(SEARCHES[engine](problem, Budget(seconds=moments[-1]), seed, watch))
    plans = [_at(seen, moment, last=moment == moments[-1]) for moment in moments]
    return Run(
        engine=engine,
        first_s=seen[0][0],
        looks=tuple(look(problem, plan) for plan in plans),
        memory_mb=memory.most_mb,
        right=all(check(problem, plan) == [] for plan in plans if plan),
    )


def _at(seen: Sequence[tuple[float, Plan]], moment: float, *, last: bool) -> Plan | None:
    """The best plan at a moment. The last one may be told a little late: it was found in time."""
    number = len(seen) if last else bisect_right(seen, moment, key=lambda each: each[0])
    return seen[number - 1][1] if number else None


def look(problem: Problem, plan: Plan | None) -> Look | None:
    """What a plan amounts to."""
    if plan is None:
        return None
    sums = measures(problem, plan)
    return Look(distance_m=sums.distance_m, vehicles=sums.vehicles, unassigned=sums.unassigned)


class _Memory:
    """What this process used at most, and its workers at most of all the times that somebody looked."""

    def __init__(self) -> None:
        self._workers, self._process = 0, psutil.Process()

    def look(self) -> None:
        """Ask the system what the workers have now: what it says they had at most counts what this process had then."""
        with suppress(psutil.NoSuchProcess):
            self._workers = max(self._workers, sum(each.memory_info().rss for each in self._process.children()))

    @property
    def most_mb(self) -> int:
        """All together."""
        return (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * KB + self._workers) // KB**2


def _ours(problem: Problem, budget: Budget, seed: int, progress: Progress) -> Plan:
    return build(problem, budget=budget, seed=seed, progress=progress, workers=WORKERS).plan


def _insertion(problem: Problem, budget: Budget, seed: int, progress: Progress) -> Plan:
    return Insertion().solve(problem, budget=budget, seed=seed, progress=progress)


SEARCHES: dict[str, Callable[[Problem, Budget, int, Progress], Plan]] = {
    OURS: _ours,
    INSERTION: _insertion,
    PYVRP: by_pyvrp,
}
