"""Results page of the routing benchmark, with its targets."""

import argparse
import os
import platform
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from statistics import fmean

from bench.routing.cases import InstanceFamily
from bench.routing.large import SplitComparison
from bench.routing.search_process import INSERTION, OURS, PYVRP, PlanLook, SearchRun

ENGINES_SHOWN = (OURS, PYVRP, INSERTION)
NO_VALUE = "–"
RoutingTarget = tuple[str, str, bool]
"""Target, measured value, and whether it is met."""


@dataclass(frozen=True, kw_only=True)
class RoutingCase:
    """One instance, and its runs by engine."""

    family: InstanceFamily
    name: str
    moments: tuple[float, ...]
    best_m: float
    best_vehicles: int | None
    runs: dict[str, SearchRun]

    def gap(self, engine: str, moment: float) -> float | None:
        """Return the gap to the best known in percent; None without a complete plan."""
        look = self.look(engine, moment)
        return None if look is None or look.unassigned else 100 * (look.distance_m / self.best_m - 1)

    def look(self, engine: str, moment: float) -> PlanLook | None:
        """Return the best plan of an engine at a time."""
        return self.runs[engine].looks[self.moments.index(moment)] if moment in self.moments else None

    def vehicles_over(self, engine: str, moment: float) -> int | None:
        """Return the excess of vehicles over the best known, if they count."""
        look = self.look(engine, moment)
        return None if look is None or self.best_vehicles is None else look.vehicles - self.best_vehicles


@dataclass(frozen=True, kw_only=True)
class LargeDayResults:
    """Results of the generated days."""

    first: dict[int, float]
    at_once: dict[str, float]
    splitting: SplitComparison | None
    day: SearchRun | None
    day_moments: tuple[float, ...]


def mean_of(numbers: Iterable[float | None]) -> float | None:
    """Return the mean; None if a value is missing."""
    found = list(numbers)
    known = [number for number in found if number is not None]
    return fmean(known) if known and len(known) == len(found) else None


def percent_text(number: float | None) -> str:
    """Format with two decimals."""
    return NO_VALUE if number is None else f"{number:.2f}"


def _of(cases: Sequence[RoutingCase], name: str, moment: float | None = None) -> list[RoutingCase]:
    """Return the cases of a family that were sampled at a time."""
    return [case for case in cases if case.family.name == name and (moment is None or moment in case.moments)]


def routing_targets(cases: Sequence[RoutingCase], large: LargeDayResults) -> Iterator[RoutingTarget]:
    """Yield the targets measured in this run."""
    for name, moment, most in (("Solomon 100", 30, 0.5), ("Homberger 1000", 60, 3.5), ("Uchoa X to 500", 30, 1.0)):
        if found := _of(cases, name, moment):
            gap = mean_of(case.gap(OURS, moment) for case in found)
            wanted = f"{name}: mean gap at most {most} % after {moment} s"
            yield wanted, f"{percent_text(gap)} %", gap is not None and gap <= most
    yield from _beside_raw(_of(cases, "Homberger 400", 30))
    yield from _pairs(_of(cases, "Li & Lim 100", 30))
    if seconds := large.first.get(1000):
        yield "a first plan of 1,000 stops within 2 s", f"{seconds:.2f} s", seconds <= 2
    for what, seconds in large.at_once.items():
        yield f"{what}: answered within 1 s", f"{seconds:.2f} s", seconds <= 1
    wrong = [f"{case.name} ({run.engine})" for case in cases for run in case.runs.values() if not run.right]
    yield "every plan keeps every rule", _named(wrong, 3 * len(cases)), not wrong


def _beside_raw(cases: Sequence[RoutingCase]) -> Iterator[RoutingTarget]:
    if cases:
        ours, *raw = (mean_of(case.gap(engine, 30) for case in cases) for engine in ENGINES_SHOWN)
        least = min((each for each in raw if each is not None), default=None)
        good = ours is not None and (least is None or ours <= least)
        wanted = "Homberger 400: mean gap no worse than the best engine's raw one after 30 s"
        yield wanted, f"{percent_text(ours)} % beside {percent_text(least)} %", good


def _pairs(cases: Sequence[RoutingCase]) -> Iterator[RoutingTarget]:
    if cases:
        more = [case.name for case in cases if (over := case.vehicles_over(OURS, 30)) is None or over > 0]
        far = [case.name for case in cases if (gap := case.gap(OURS, 30)) is None or gap > 1]
        yield "Li & Lim 100: every vehicle count matched after 30 s", _named(more, len(cases)), not more
        yield "Li & Lim 100: every distance within 1 % after 30 s", _named(far, len(cases)), not far


def _named(failing: Sequence[str], many: int) -> str:
    return f"{many - len(failing)} of {many}" + (f", not {', '.join(failing)}" if failing else "")


def results_page(
    cases: Sequence[RoutingCase], large: LargeDayResults, asked: argparse.Namespace, command: str, took_s: float
) -> str:
    """Return the results page."""
    lines = ["# Route building", "", *_circumstances(asked, command, took_s), "", "## Targets", ""]
    lines += _table(
        ("target", "measured", ""), ((*words, _verdict(ok)) for *words, ok in routing_targets(cases, large))
    )
    lines += ["", "## Gap to the best known", "", EXPLANATION]
    lines += _table(
        ("family", "instances", "engine", *_heads(asked.seconds), "first plan s", "memory MB"), _rows(cases, asked)
    )
    lines += ["", "## Generated days", "", *_of_days(large)]
    lines += ["", "## Each instance", ""]
    lines += _table(
        ("instance", "best known", *(f"{e} {m:g} s" for e in ENGINES_SHOWN for m in asked.seconds)), _each(cases, asked)
    )
    return "\n".join(lines) + "\n"


def _verdict(good: bool) -> str:
    return "met" if good else "**missed**"


def _heads(moments: Sequence[float]) -> list[str]:
    return [f"{moment:g} s" for moment in moments]


def _circumstances(asked: argparse.Namespace, command: str, took_s: float) -> list[str]:
    sample = (
        "All instances."
        if asked.full
        else "A sample of each family: as many instances as the table states, in even steps of the names."
    )
    return [
        f"`{command}`, {datetime.now(UTC):%Y-%m-%d %H:%M} UTC, seed {asked.seed}, {took_s / 60:.0f} minutes. "
        f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}, PyVRP {version('pyvrp')}.",
        "",
        sample,
    ]


EXPLANATION = """\
Distance above the best known in percent, mean over the instances. *Haulier* is the result of the server with two worker
processes. *PyVRP* is its own `solve` with its default parameters, and *insertion* is Haulier's insertion engine alone: each
has one thread, and they ran in parallel on a core each. The best known of Homberger's 200 and 400 and of Li and Lim counts
vehicles before distance. Homberger's instances are searched for distance here, so a gap can be negative; for Li and Lim's,
the number in brackets is the number of instances with more vehicles than the best known. Memory is the peak of all
processes.
"""


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    return [f"| {' | '.join(heads)} |", f"|{' --- |' * len(heads)}", *(f"| {' | '.join(row)} |" for row in rows)]


def _rows(cases: Sequence[RoutingCase], asked: argparse.Namespace) -> Iterator[Sequence[str]]:
    for name in dict.fromkeys(case.family.name for case in cases):
        family = _of(cases, name)
        for engine in ENGINES_SHOWN:
            runs = [case.runs[engine] for case in family]
            gaps = [_mean_gap(family, engine, moment) for moment in asked.seconds]
            first = f"{max(run.first_s for run in runs):.2f}"
            yield name, f"{len(family)}", engine, *gaps, first, f"{max(run.memory_mb for run in runs)}"


def _mean_gap(cases: Sequence[RoutingCase], engine: str, moment: float) -> str:
    text = percent_text(mean_of(case.gap(engine, moment) for case in cases))
    over = [case.vehicles_over(engine, moment) for case in cases]
    return text if None in over else f"{text} ({sum(more > 0 for more in over if more is not None)})"


def _each(cases: Sequence[RoutingCase], asked: argparse.Namespace) -> Iterator[Sequence[str]]:
    for case in cases:
        cells = [_cell(case, engine, moment) for engine in ENGINES_SHOWN for moment in asked.seconds]
        vehicles = "" if case.best_vehicles is None else f" ({case.best_vehicles})"
        yield f"{case.family.name}: {case.name}", f"{case.best_m:.0f}{vehicles}", *cells


def _cell(case: RoutingCase, engine: str, moment: float) -> str:
    more = case.vehicles_over(engine, moment)
    return percent_text(case.gap(engine, moment)) + (f" ({more:+d})" if more else "")


def _of_days(large: LargeDayResults) -> list[str]:
    lines = [
        f"- The first plan of {orders:,} orders: {s:.2f} s after the request." for orders, s in large.first.items()
    ]
    lines += [
        f"- {what}: answered after {seconds:.2f} s of a budget of a minute." for what, seconds in large.at_once.items()
    ]
    if large.splitting and (whole := large.splitting.whole):
        lines += ["", "Cost of splitting: 2,000 orders, the same processor seconds of both cores.", ""]
        rows = (
            ("one search of the whole (PyVRP)", whole),
            ("cut once", large.splitting.cut_once),
            (OURS, large.splitting.ours),
        )
        lines += _table(
            ("how", "km", "of the whole", "vehicles", "left out"), (_row(how, look, whole) for how, look in rows)
        )
    if large.day:
        first, looks = (
            next(look for look in large.day.looks if look),
            zip(large.day_moments, large.day.looks, strict=True),
        )
        lines += [
            "",
            f"10,000 orders, {large.day.memory_mb} MB at its peak, the first plan after {large.day.first_s:.1f} s:",
            "",
        ]
        lines += _table(
            ("after", "km", "of the first row", "vehicles", "left out"),
            (_row(f"{m:g} s", look, first) for m, look in looks),
        )
    return lines


def _row(how: str, look: PlanLook | None, beside: PlanLook) -> tuple[str, ...]:
    if look is None:
        return (how, NO_VALUE, NO_VALUE, NO_VALUE, NO_VALUE)
    share = 100 * look.distance_m / beside.distance_m
    return (how, f"{look.distance_m / 1000:.0f}", f"{share:.1f} %", f"{look.vehicles}", f"{look.unassigned}")
