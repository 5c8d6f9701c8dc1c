"""Days too large for one search: how soon there is a first plan, and what it costs to search in parts."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from time import monotonic

from bench.routing.day import day, impossible, nothing
from bench.routing.running import OURS, PYVRP, WORKERS, Look, Run, apart, look, run
from haulier.adapters.searching import Apart
from haulier.contexts.dispatch.ports import Search
from haulier.solvers.routing.build import build
from haulier.solvers.routing.engine import Budget
from haulier.solvers.routing.engines.pyvrp import PyVRP
from haulier.solvers.routing.joining import joined, nothing_planned
from haulier.solvers.routing.plan import Plan
from haulier.solvers.routing.problem import Problem
from haulier.solvers.routing.split import parts
from haulier.solvers.routing.workers import Task, Workers

FIRST = (1000, 5000)
SPLIT = 2000
SPLIT_S = 15
PART = 500
LONG_S = 60
"""A budget that nobody waits for: what needs no search is answered long before."""


@dataclass(frozen=True, kw_only=True)
class Splitting:
    """The same day and the same seconds of both cores: searched whole, cut once and never again, and as we do it."""

    whole: Look | None
    cut_once: Look | None
    ours: Look | None


def first_plans() -> dict[int, float]:
    """Seconds from asking the server's search until the first plan is there, its process's start counted, by orders."""
    return {orders: apart(_first_plan_s, (orders,))[0] for orders in FIRST}


def _first_plan_s(orders: int) -> float:
    search = Search(problem=day(orders), budget=Budget(seconds=LONG_S))
    began, took = monotonic(), 0.0

    async def tell(plan: Plan) -> bool:
        nonlocal took
        took = monotonic() - began
        return False

    asyncio.run(Apart().best(search, tell))
    return took


def at_once() -> dict[str, float]:
    """Seconds until the answer where nothing can be planned, by what is asked."""
    return {
        "no orders": apart(_answer_s, ("nothing",))[0],
        "1,000 orders too heavy for every van": apart(_answer_s, ("impossible",))[0],
    }


def _answer_s(what: str) -> float:
    problem = nothing() if what == "nothing" else impossible(1000)
    began = monotonic()
    build(problem, budget=Budget(seconds=LONG_S), workers=WORKERS)
    return monotonic() - began


def splitting(seed: int) -> Splitting:
    """What it costs to search in parts, where the whole can be searched too."""
    whole, ours = (
        apart(run, (engine, day, (SPLIT,), (seconds,), seed))[0].looks[0]
        for engine, seconds in ((PYVRP, SPLIT_S * WORKERS), (OURS, SPLIT_S))
    )
    return Splitting(whole=whole, ours=ours, cut_once=look(day(SPLIT), _cut_once(day(SPLIT), seed)))


def _cut_once(problem: Problem, seed: int) -> Plan:
    plan, count = nothing_planned(problem), SPLIT // PART
    cut = parts(problem, plan, count, Random(seed))
    budget = Budget(seconds=SPLIT_S * WORKERS / count)
    tasks = [Task(engine=PyVRP(), problem=p.problem, start=p.start, seed=seed, budget=budget) for p in cut]
    with Workers(WORKERS) as workers:
        return joined(problem, plan, cut, workers.do(tasks, lambda found: True))


def ten_thousand(moments: Sequence[float], seed: int) -> Run:
    """A day of 10,000 orders."""
    return apart(run, (OURS, day, (10_000,), moments, seed))[0]
