"""How near the route engines come to the best known solutions of public instances.

Each engine gets the same seconds on one core. `first` is the first plan that could be shown (insertion alone) and how long it
took; `gap` is the distance above the best known, in percent. Best-known solutions of Gehring and Homberger with 200 customers
and of Li and Lim count vehicles before distance: with more vehicles than they have, a gap may even be negative. Every plan is
checked by the judge; the exit code is 1 when one is wrong.

    python -m bench.routing [--seconds 10] [--seed 1] [part of an instance's name …]
"""

import argparse
import sys
from collections.abc import Callable
from time import perf_counter
from typing import TypeVar

from tests.solvers.routing.instances import SCALE, VEHICLES_FIRST, best_known, li_lim, solomon
from tests.solvers.routing.vrplib import best_distance, vrplib

from haulier.solvers.routing.build import build
from haulier.solvers.routing.check import check
from haulier.solvers.routing.engine import Budget, Engine
from haulier.solvers.routing.engines.insertion import Insertion
from haulier.solvers.routing.engines.pyvrp import PyVRP
from haulier.solvers.routing.plan import Plan
from haulier.solvers.routing.problem import Problem
from haulier.solvers.routing.score import measures

ENGINES: tuple[Engine, ...] = (Insertion(), PyVRP())
T = TypeVar("T")
Case = tuple[str, Callable[[], Problem], Callable[[], float]]


def cases() -> list[Case]:
    """Names, problems, and the best known distance in the problem's unit."""
    windows = [f"solomon/{name}" for name in ("C101", "R102", "R204", "RC105", "RC207")]
    windows += [f"homberger_200/{name}" for name in ("c1_2_1", "r1_2_4", "rc2_2_4")]
    pairs = ["li_lim_100/lc101", "li_lim_100/lr104", "li_lim_100/lrc203", "li_lim_200/LR1_2_4"]
    files = ["cvrp/X-n172-k51", "cvrp/X-n284-k15", "mdvrptw/PR11A"]
    files += [f"vrptw/homberger_1000/{name}" for name in ("C1_10_1", "R1_10_1", "RC1_10_1")]
    return [
        *((name, _with(solomon, name), _best("vrptw", name)) for name in windows),
        *((name, lambda name=name: li_lim(name, VEHICLES_FIRST), _best("pdptw", name)) for name in pairs),
        *((name, _with(vrplib, name), _with(best_distance, name)) for name in files),
    ]


def _with(function: Callable[[str], T], name: str) -> Callable[[], T]:
    return lambda: function(name)


def _best(kind: str, name: str) -> Callable[[], float]:
    """The best known distance; of Solomon's instances, that for the shortest distance."""
    key = name.split("/")[1] + ("_distance" if name.startswith("solomon") else "")
    return lambda: best_known(kind, key) * SCALE


def row(engine: Engine, name: str, problem: Problem, best: float, budget: Budget, seed: int) -> tuple[str, bool]:
    """One line of the table, and whether the plan was right."""
    shown: list[tuple[float, Plan]] = []
    began = perf_counter()

    def watch(plan: Plan) -> bool:
        shown.append((perf_counter() - began, plan))
        return True

    plan = build(problem, budget=budget, seed=seed, engines=(engine,), progress=watch).plan
    whole, (first_s, first) = measures(problem, plan), shown[0]
    first_gap, gap = (100 * (measures(problem, each).distance_m / best - 1) for each in (first, plan))
    text = f"{name:32}{len(problem.jobs):6}{engine.name:>11}{first_s:9.2f}{first_gap:9.2f}"
    text += f"{perf_counter() - began:8.1f}{gap:8.2f}{whole.vehicles:6}{whole.unassigned:6}"
    return text, check(problem, plan) == []


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="bench.routing")
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("names", nargs="*")
    asked = parser.parse_args()
    budget, wrong = Budget(seconds=asked.seconds), 0
    print(
        f"{'instance':32}{'jobs':>6}{'engine':>11}{'first s':>9}{'first %':>9}{'s':>8}{'gap %':>8}{'veh':>6}{'left':>6}"
    )
    for name, problem, best in cases():
        if asked.names and not any(part in name for part in asked.names):
            continue
        for engine in ENGINES:
            text, right = row(engine, name, problem(), best(), budget, asked.seed)
            wrong += not right
            print(text if right else f"{text}  WRONG", flush=True)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
