"""`python -m bench.loading`: how full one container becomes, and how soon a first plan stands; every plan through the checker.

The instances are those of the folder `instances/packing/br` (Bischoff and Ratcliff; Loh and Nee; Davies and Bischoff). Best
known values are printed beside ours for the same problems, and what py3dbp fills where it can be imported. `--stops` gives the
kinds of boxes stops by turns, with a door at the rear.
"""

import argparse
import importlib.util
import json
import statistics
from collections.abc import Iterator, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

from tests.support.shared import ROOT

from haulier.solvers.loading.checker import check_loading_plan
from haulier.solvers.loading.engine import LoadingEngine
from haulier.solvers.loading.plan import LoadingPlan
from haulier.solvers.loading.problem import DoorSide, LoadingProblem, LoadPiece, LoadSpace
from haulier.solvers.packing.budget import PackingBudget
from haulier.solvers.packing.problem import Turn, volume_of

FOLDER = ROOT / "instances/packing/br"


def read_containers(path: Path, support: int, stops: int) -> Iterator[LoadingProblem]:
    """The problems of a file: one container each, and pieces by kind with the edges that may stand."""
    lines = iter([[int(word) for word in line.split()] for line in path.read_text().splitlines() if line.strip()])
    (count,) = next(lines)
    for _ in range(count):
        next(lines)
        length, width, height = next(lines)
        (kinds,) = next(lines)
        pieces: list[LoadPiece] = []
        for number in range(kinds):
            kind, *sides, quantity = next(lines)
            size, may_stand = (sides[0], sides[2], sides[4]), sides[1::2]
            stands = {letter for letter, may in zip("lwh", may_stand, strict=True) if may}
            turns = tuple(turn for turn in Turn if turn.value[2] in stands)
            stop = number % stops if stops else 0
            rules: dict[str, Any] = {"mandatory": False, "priority": volume_of(size), "stop": stop, "turns": turns}
            pieces += [LoadPiece(id=f"{kind}-{n}", size=size, **rules) for n in range(quantity)]
        doors = (DoorSide.REAR,) if stops else ()
        space = LoadSpace(id="container", inner=(length, width, height), payload_g=1, doors=doors)
        yield LoadingProblem(pieces=tuple(pieces), spaces=(space,), support_percent=support)


def fill(problem: LoadingProblem, seconds: float) -> tuple[float, float]:
    """The use of the container in percent, and after how many seconds the first plan stood."""
    firsts: list[float] = []
    began = perf_counter()

    def note(_: LoadingPlan) -> bool:
        firsts.append(perf_counter() - began)
        return True

    plan = LoadingEngine().solve(problem, budget=PackingBudget(seconds=seconds), on_better=note)
    if broken := check_loading_plan(problem, plan):
        raise RuntimeError(str(broken))
    left = {each.piece for each in plan.left_over}
    loaded = sum(piece.priority for piece in problem.pieces if piece.id not in left)
    return 100 * loaded / volume_of(problem.spaces[0].inner), firsts[0]


def by_py3dbp(problem: LoadingProblem) -> float | None:
    """What py3dbp fills of the container, in percent, with all rotations; None where it is not installed."""
    if importlib.util.find_spec("py3dbp") is None:
        return None
    from py3dbp import Bin, Item, Packer  # type: ignore[import-not-found]

    packer = Packer()
    packer.add_bin(Bin("container", *problem.spaces[0].inner, 1))
    for piece in problem.pieces:
        packer.add_item(Item(piece.id, *piece.size, 0))
    packer.pack(bigger_first=True, number_of_decimals=0)
    volume = sum(int(item.width * item.height * item.depth) for item in packer.bins[0].items)
    return 100 * volume / volume_of(problem.spaces[0].inner)


def best_known(name: str, some: Sequence[LoadingProblem]) -> str:
    """The mean of the best known values of the first problems of a file, in percent, where there are any."""
    known = json.loads((FOLDER / "BKS.json").read_text()).get(name)
    if not isinstance(known, list):
        return ""
    uses = [100 * volume / volume_of(problem.spaces[0].inner) for volume, problem in zip(known, some, strict=False)]
    return f"{statistics.mean(uses):.1f}"


def containers(seconds: float, support: int, stops: int, problems: int) -> Iterator[str]:
    """A line for each file."""
    yield "| file | problems | mean use % | least | most | best known % | first plan, s | py3dbp % |"
    yield "|---|---|---|---|---|---|---|---|"
    for path in sorted(FOLDER.glob("*.txt")):
        if path.stem == "thpack-format":
            continue
        some = list(read_containers(path, support, stops))[:problems]
        found = [fill(problem, seconds) for problem in some]
        uses, firsts = [use for use, _ in found], [first for _, first in found]
        others = [other for problem in some if (other := by_py3dbp(problem)) is not None]
        other = f"{statistics.mean(others):.1f}" if others else ""
        ours = f"{statistics.mean(uses):.2f} | {min(uses):.1f} | {max(uses):.1f}"
        numbers = f"{ours} | {best_known(path.stem, some)} | {max(firsts):.2f}"
        yield f"| {path.stem} | {len(some)} | {numbers} | {other} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--support", type=int, default=0)
    parser.add_argument("--stops", type=int, default=0)
    parser.add_argument("--problems", type=int, default=5, help="so many problems of each file")
    given = parser.parse_args()
    for line in containers(given.seconds, given.support, given.stops, given.problems):
        print(line, flush=True)


if __name__ == "__main__":
    main()
