"""Measure built routes on public instances, and write bench/ROUTING.md.

    make bench-routing          # or: python -m bench.routing [options] [part of an instance's name …]
    python -m bench.routing --full --seconds 5,30,60

The exit code is 1 when a target is missed. With names, only those are measured and nothing is written.
"""

import argparse
import sys
from pathlib import Path
from time import monotonic

from bench.routing.cases import FAMILIES, Family, problem_of
from bench.routing.large import at_once, first_plans, splitting, ten_thousand
from bench.routing.report import Case, Large, page, targets
from bench.routing.running import INSERTION, OURS, PYVRP, apart, run

PAGE = Path(__file__).parents[1] / "ROUTING.md"


def main() -> int:
    """Measure everything that was asked for."""
    asked, began = _asked(), monotonic()
    cases: list[Case] = []
    for family in FAMILIES:
        for name in family.names(full=asked.full or bool(asked.names)):
            if not asked.names or any(part in name for part in asked.names):
                cases.append(_case(family, name, asked))
                print(_line(cases[-1]), flush=True)
    large = Large(first={}, at_once={}, splitting=None, day=None, day_moments=()) if asked.names else _large(asked)
    command = " ".join(["python -m bench.routing", *sys.argv[1:]])
    text = page(cases, large, asked, command, monotonic() - began)
    if asked.names:
        print(text)
    else:
        PAGE.write_text(text)
    missed = [wanted for wanted, _, good in targets(cases, large) if not good]
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


def _case(family: Family, name: str, asked: argparse.Namespace) -> Case:
    """Ours on both cores; then the raw engines, a core each. Of a sample, the moments end where the family's target is."""
    moments = tuple(each for each in asked.seconds if asked.full or each <= family.seconds) or asked.seconds[:1]
    words = (problem_of, (family.name, name), moments, asked.seed)
    runs = [*apart(run, (OURS, *words)), *apart(run, (PYVRP, *words), (INSERTION, *words))]
    return Case(
        family=family,
        name=name,
        moments=moments,
        best_m=family.best(name),
        best_vehicles=family.vehicles(name) if family.vehicles else None,
        runs={each.engine: each for each in runs},
    )


def _line(case: Case) -> str:
    told = [
        f"{engine} {gap:6.2f} %" if (gap := case.gap(engine, case.moments[-1])) is not None else f"{engine} -"
        for engine in case.runs
    ]
    return f"{case.family.name:18}{case.name:14}" + "  ".join(told)


def _large(asked: argparse.Namespace) -> Large:
    moments = asked.seconds
    return Large(
        first=first_plans(),
        at_once=at_once(),
        splitting=splitting(asked.seed),
        day=ten_thousand(moments, asked.seed),
        day_moments=moments,
    )


if __name__ == "__main__":
    sys.exit(main())
