"""Measure built routes on public instances, and write bench/ROUTING.md.

    make bench-routing          # or: python -m bench.routing [options] [part of an instance's name …]
    python -m bench.routing --full --seconds 5,30,60

The exit code is 1 if a target is missed. With names, only those instances are measured and nothing is written.
"""

import argparse
import sys
from pathlib import Path
from time import monotonic

from bench.routing.cases import INSTANCE_FAMILIES, InstanceFamily, instance_problem
from bench.routing.large import compare_splitting, first_plan_times, instant_answer_times, search_ten_thousand
from bench.routing.report import LargeDayResults, RoutingCase, results_page, routing_targets
from bench.routing.search_process import INSERTION, OURS, PYVRP, run_in_process, run_search

PAGE = Path(__file__).parents[1] / "ROUTING.md"


def main() -> int:
    """Measure the selected instances."""
    asked, began = _asked(), monotonic()
    cases: list[RoutingCase] = []
    for family in INSTANCE_FAMILIES:
        for name in family.names(full=asked.full or bool(asked.names)):
            if not asked.names or any(part in name for part in asked.names):
                cases.append(_case(family, name, asked))
                print(_line(cases[-1]), flush=True)
    large = (
        LargeDayResults(first={}, at_once={}, splitting=None, day=None, day_moments=())
        if asked.names
        else _large(asked)
    )
    command = " ".join(["python -m bench.routing", *sys.argv[1:]])
    text = results_page(cases, large, asked, command, monotonic() - began)
    if asked.names:
        print(text)
    else:
        PAGE.write_text(text)
    missed = [wanted for wanted, _, good in routing_targets(cases, large) if not good]
    print("\n".join(f"missed: {wanted}" for wanted in missed) or "every target met")
    return int(bool(missed))


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench.routing")
    parser.add_argument(
        "--seconds", type=_moments, default=(5.0, 30.0, 60.0), help="when to look at the best plans so far"
    )
    parser.add_argument("--full", action="store_true", help="all instances, each to the last moment")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("names", nargs="*")
    return parser.parse_args()


def _moments(text: str) -> tuple[float, ...]:
    return tuple(sorted(float(each) for each in text.split(",")))


def _case(family: InstanceFamily, name: str, asked: argparse.Namespace) -> RoutingCase:
    """Measure Haulier on both cores, then the other engines on one core each.

    Samples end at the time limit of their family.
    """
    moments = tuple(each for each in asked.seconds if asked.full or each <= family.seconds) or asked.seconds[:1]
    words = (instance_problem, (family.name, name), moments, asked.seed)
    runs = [
        *run_in_process(run_search, (OURS, *words)),
        *run_in_process(run_search, (PYVRP, *words), (INSERTION, *words)),
    ]
    return RoutingCase(
        family=family,
        name=name,
        moments=moments,
        best_m=family.best(name),
        best_vehicles=family.vehicles(name) if family.vehicles else None,
        runs={each.engine: each for each in runs},
    )


def _line(case: RoutingCase) -> str:
    cells = [
        f"{engine} {gap:6.2f} %" if (gap := case.gap(engine, case.moments[-1])) is not None else f"{engine} -"
        for engine in case.runs
    ]
    return f"{case.family.name:18}{case.name:14}" + "  ".join(cells)


def _large(asked: argparse.Namespace) -> LargeDayResults:
    moments = asked.seconds
    return LargeDayResults(
        first=first_plan_times(),
        at_once=instant_answer_times(),
        splitting=compare_splitting(asked.seed),
        day=search_ten_thousand(moments, asked.seed),
        day_moments=moments,
    )


if __name__ == "__main__":
    sys.exit(main())
