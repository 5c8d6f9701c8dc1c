"""`python -m bench.loading`: how full one container becomes, and how soon a first plan stands; every plan through the checker.

The instances are those of the folder `instances/packing/br` (Bischoff and Ratcliff; Loh and Nee; Davies and Bischoff), or with
`--sets` those of any of the 15 sets of Bischoff and Ratcliff, made by their published procedure: for sets of which the folder
has a file these are the same problems. Best known values are printed beside ours where there are any, and what other open
packages fill where they are installed.
`--stops` gives the kinds of boxes stops by turns, with a door at the rear. `--processor` measures by the processor's time
that a search uses, which says the same on a machine that others use: one process with one thread, so others are left out.
"""

import argparse
import json
import os
import statistics
from collections.abc import Iterator, Sequence
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

from tests.support.shared import ROOT

from bench.container_instances import INNER, KINDS, BoxKind, container_problem
from bench.packing_peers import PEERS, fill_by, installed_peers
from haulier.solvers.loading.checker import check_loading_plan
from haulier.solvers.loading.engine import LoadingEngine
from haulier.solvers.loading.plan import LoadingPlan
from haulier.solvers.loading.problem import DoorSide, LoadingProblem, LoadPiece, LoadSpace
from haulier.solvers.packing.budget import PackingBudget
from haulier.solvers.packing.installed import installed_fillers
from haulier.solvers.packing.problem import Size, Turn, volume_of

FOLDER = ROOT / "instances/packing/br"
FIRST_OF_DAVIES = 8
"""The sets from here on are those of Davies and Bischoff."""


def read_containers(path: Path, support: int, stops: int) -> Iterator[LoadingProblem]:
    """The problems of a file: one container each, and pieces by kind with the edges that may stand."""
    lines = iter([[int(word) for word in line.split()] for line in path.read_text().splitlines() if line.strip()])
    (count,) = next(lines)
    for _ in range(count):
        next(lines)
        length, width, height = next(lines)
        (kinds,) = next(lines)
        rows = [next(lines) for _ in range(kinds)]
        boxes = [
            BoxKind((x, y, z), (bool(x_stands), bool(y_stands), bool(z_stands)), quantity)
            for _, x, x_stands, y, y_stands, z, z_stands, quantity in rows
        ]
        yield container_of(boxes, (length, width, height), support, stops)


def made_containers(number_of_set: int, problems: int, support: int, stops: int) -> Iterator[LoadingProblem]:
    """The first problems of a set, made by the published procedure."""
    for number in range(1, problems + 1):
        yield container_of(container_problem(number_of_set, number), INNER, support, stops)


def container_of(kinds: Sequence[BoxKind], inner: Size, support: int, stops: int) -> LoadingProblem:
    """One container, and boxes of which as much volume as can be shall go in."""
    pieces: list[LoadPiece] = []
    for number, kind in enumerate(kinds):
        stands = {letter for letter, may in zip("lwh", kind.may_stand, strict=True) if may}
        turns = tuple(turn for turn in Turn if turn.value[2] in stands)
        stop = number % stops if stops else 0
        rules: dict[str, Any] = {"mandatory": False, "priority": volume_of(kind.edges), "stop": stop, "turns": turns}
        pieces += [LoadPiece(id=f"{number + 1}-{n}", size=kind.edges, **rules) for n in range(kind.count)]
    doors = (DoorSide.REAR,) if stops else ()
    space = LoadSpace(id="container", inner=inner, payload_g=1, doors=doors)
    return LoadingProblem(pieces=tuple(pieces), spaces=(space,), support_percent=support)


def fill(problem: LoadingProblem, budget: PackingBudget, engine: LoadingEngine) -> tuple[float, float]:
    """The use of the container in percent, and after how many seconds the first plan stood."""
    firsts: list[float] = []
    clock = process_time if budget.is_processor_time else perf_counter
    began = clock()

    def note(_: LoadingPlan) -> bool:
        firsts.append(clock() - began)
        return True

    plan = engine.solve(problem, budget=budget, on_better=note)
    if broken := check_loading_plan(problem, plan):
        raise RuntimeError(str(broken))
    left = {each.piece for each in plan.left_over}
    loaded = sum(piece.priority for piece in problem.pieces if piece.id not in left)
    return 100 * loaded / volume_of(problem.spaces[0].inner), firsts[0]


def best_known(name: str, some: Sequence[LoadingProblem]) -> str:
    """The mean of the best known values of the first problems of a file, in percent, where there are any."""
    known = json.loads((FOLDER / "BKS.json").read_text()).get(name)
    if not isinstance(known, list):
        return ""
    uses = [100 * volume / volume_of(problem.spaces[0].inner) for volume, problem in zip(known, some, strict=False)]
    return f"{statistics.mean(uses):.1f}"


def by_peers(problems: Sequence[LoadingProblem], seconds: float, peers: Sequence[str]) -> Iterator[str]:
    """For each package the mean use in percent, and the rules of its plans that the checker names."""
    for name in peers:
        found = [fill_by(name, problem, seconds) for problem in problems]
        broken = sorted({rules for _, rules in found if rules})
        yield f"{statistics.mean(use for use, _ in found):.2f}" + (f" ({'; '.join(broken)})" if broken else "")


def chosen(asked: argparse.Namespace) -> Iterator[tuple[str, Sequence[LoadingProblem]]]:
    """The sets or files that are asked for, and the first problems of each."""
    for number in asked.sets:
        problems = list(made_containers(number, asked.problems, asked.support, asked.stops))
        yield file_of(number), problems
    for path in [] if asked.sets else sorted(FOLDER.glob(f"{asked.name}*.txt")):
        if path.stem != "thpack-format":
            yield path.stem, list(read_containers(path, asked.support, asked.stops))[: asked.problems]


def file_of(number_of_set: int) -> str:
    """How the file of a set is called."""
    return f"thpack{number_of_set}" if number_of_set < FIRST_OF_DAVIES else f"BR{number_of_set}"


def containers(asked: argparse.Namespace) -> Iterator[str]:
    """A line for each file."""
    peers = [name for name in installed_peers() if name not in asked.without and not asked.processor]
    budget = PackingBudget(seconds=asked.seconds, is_processor_time=asked.processor)
    every = installed_fillers()
    blocks = [each for each in every if each.name == "blocks"]
    ours = "all % | blocks % | Python alone % | best known % | first plan, s"
    yield f"| file | problems | {ours} |{''.join(f' {p} % |' for p in peers)}"
    yield "|---|---|---|---|---|---|---|" + "---|" * len(peers)
    for name, some in chosen(asked):
        engines = [None if asked.processor else every, blocks, None if asked.quick else ()]
        found = [
            [] if fillers is None else [fill(problem, budget, LoadingEngine(fillers)) for problem in some]
            for fillers in engines
        ]
        uses = " | ".join(f"{statistics.mean(use for use, _ in each):.2f}" if each else "" for each in found)
        first = max(first for _, first in found[1])
        numbers = f"{uses} | {best_known(name, some)} | {first:.2f}"
        others = "".join(f" {each} |" for each in by_peers(some, asked.seconds, peers))
        yield f"| {name} | {len(some)} | {numbers} |{others}"
    if missing := [name for name in PEERS if name not in installed_peers()]:
        yield f"Not installed here: {', '.join(missing)}."


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--support", type=int, default=0)
    parser.add_argument("--stops", type=int, default=0)
    parser.add_argument("--problems", type=int, default=5, help="so many problems of each file")
    parser.add_argument("--name", default="", help="only files whose name begins so")
    help_for_sets = "sets of Bischoff and Ratcliff, made here, instead of files"
    parser.add_argument("--sets", type=int, nargs="*", choices=sorted(KINDS), default=(), help=help_for_sets)
    parser.add_argument("--processor", action="store_true", help="seconds of the processor instead of the clock")
    parser.add_argument("--quick", action="store_true", help="leave out the search of Python alone")
    parser.add_argument("--without", nargs="*", default=(), help="packages that are left out")
    given = parser.parse_args()
    print(f"{given.seconds:g} s each, load average {os.getloadavg()[0]:.1f} at the start", flush=True)
    for line in containers(given):
        print(line, flush=True)


if __name__ == "__main__":
    main()
