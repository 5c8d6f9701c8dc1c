"""`python -m bench.packing`: which cartons are chosen, what is proved, and how long it takes; every plan through the checker.

The instances are those of the folder `instances/packing`. Where py3dbp can be imported, it packs the same pieces into the
cartons that were chosen here.
"""

import argparse
import importlib.util
import statistics
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter, process_time

from tests.solvers.packing.carton_instances import read_cartons
from tests.support.shared import ROOT

from haulier.solvers.packing.budget import PackingBudget
from haulier.solvers.packing.carton_engine import CartonEngine
from haulier.solvers.packing.checker import check_plan
from haulier.solvers.packing.compiled import CompiledPacking
from haulier.solvers.packing.load import CartonLoad
from haulier.solvers.packing.plan import PackingPlan
from haulier.solvers.packing.problem import CartonKind, PackingPiece, PackingProblem, Turn, volume_of

FOLDER = ROOT / "instances/packing"


def cartons(seconds: float, support: int, name: str) -> Iterator[str]:
    """A line for each of the `cartons` instances."""
    yield "| instance | pieces | state | volume above the bound | above the planted optimum | first s | s | py3dbp |"
    yield "|---|---|---|---|---|---|---|---|"
    for path in sorted((FOLDER / "cartons").glob(f"{name}*.json")):
        problem, planted = read_cartons(path, support)
        firsts: list[float] = []
        began = perf_counter()

        def note(_: PackingPlan, began: float = began, firsts: list[float] = firsts) -> bool:
            firsts.append(perf_counter() - began)
            return True

        plan = CartonEngine().solve(problem, budget=PackingBudget(seconds=seconds), on_better=note)
        spent = perf_counter() - began
        if plan is None or plan.objective is None or plan.bound is None:
            raise RuntimeError(f"{path.stem}: no plan")
        if broken := check_plan(problem, plan):
            raise RuntimeError(f"{path.stem}: {broken}")
        volume = plan.objective[0]
        gap = f"{100 * (volume / plan.bound[0] - 1):.1f} %"
        above = f"{100 * (volume / planted - 1):.1f} %" if planted else ""
        other = by_py3dbp(problem, plan)
        times = f"{firsts[0]:.3f} | {spent:.2f}"
        yield f"| {path.stem} | {len(problem.pieces)} | {plan.state} | {gap} | {above} | {times} | {other} |"


def by_py3dbp(problem: PackingProblem, plan: PackingPlan) -> str:
    """Whether py3dbp packs the pieces into the same cartons: how many it leaves out."""
    if importlib.util.find_spec("py3dbp") is None:
        return ""
    from py3dbp import Bin, Item, Packer  # type: ignore[import-not-found]

    packer = Packer()
    kinds = {kind.id: kind for kind in problem.cartons}
    for number, kind in enumerate(plan.cartons):
        x, y, z = kinds[kind].inner
        packer.add_bin(Bin(f"{number}", x, y, z, kinds[kind].payload_g))
    for piece in problem.pieces:
        packer.add_item(Item(piece.id, *piece.size, piece.weight_g))
    began = perf_counter()
    packer.pack(bigger_first=True, distribute_items=True, number_of_decimals=0)
    packed = sum(len(bin.items) for bin in packer.bins)
    left = len(problem.pieces) - packed
    return f"{left} left out ({perf_counter() - began:.2f} s)" if left else f"all ({perf_counter() - began:.2f} s)"


def read_containers(path: Path) -> Iterator[tuple[str, PackingProblem]]:
    """The problems of a thpack file: one container each, and pieces by kind with the edges that may stand."""
    lines = iter([[int(word) for word in line.split()] for line in path.read_text().splitlines() if line.strip()])
    (count,) = next(lines)
    for _ in range(count):
        number = next(lines)[0]
        inner = next(lines)
        (kinds,) = next(lines)
        pieces: list[PackingPiece] = []
        for _ in range(kinds):
            kind, length, x, width, y, height, z, quantity = next(lines)
            stands = {letter for letter, may in zip("lwh", (x, y, z), strict=True) if may}
            turns = tuple(turn for turn in Turn if turn.value[2] in stands)
            size = (length, width, height)
            pieces += [PackingPiece(id=f"{kind}-{n}", size=size, turns=turns) for n in range(quantity)]
        size = (inner[0], inner[1], inner[2])
        container = CartonKind(id="container", inner=size, outer=size, payload_g=1, stock=1)
        yield f"{path.stem}-{number}", PackingProblem(pieces=tuple(pieces), cartons=(container,))


def containers(seconds: float, support: int, problems: int) -> Iterator[str]:
    """Volume use of one container: the decoder of the carton engine over several orders, which is no engine for containers."""
    yield "| file | problems | mean use % | processor s each |"
    yield "|---|---|---|---|"
    for path in sorted((FOLDER / "br").glob("*.txt")):
        if path.stem == "thpack-format":
            continue
        uses: list[float] = []
        began = process_time()
        for _, problem in list(read_containers(path))[:problems]:
            supported = PackingProblem(pieces=problem.pieces, cartons=problem.cartons, support_percent=support)
            uses.append(fill_one(supported, seconds))
        each = (process_time() - began) / len(uses)
        yield f"| {path.stem} | {len(uses)} | {statistics.mean(uses):.1f} | {each:.1f} |"


def fill_one(problem: PackingProblem, seconds: float) -> float:
    """The best use of the only container, in percent, by a few orders of kinds."""
    compiled, began, best = CompiledPacking(problem), perf_counter(), 0
    whole = volume_of(problem.cartons[0].inner)
    edges = {piece: sorted(compiled.pieces[piece].size) for piece in range(len(compiled.pieces))}
    for key in (2, 0, 1, 3):
        load = CartonLoad(compiled, 0)
        ranked = sorted(
            compiled.units, key=lambda unit: -compiled.volume[unit[0]] if key == 3 else -edges[unit[0]][key]
        )
        failed: set[int] = set()
        for unit in ranked:
            look = compiled.look[unit[0]]
            if look in failed:
                continue
            if not load.add(unit):
                failed.add(look)
        best = max(best, sum(compiled.volume[piece] for piece in load.pieces))
        if perf_counter() - began > seconds:
            break
    return 100 * best / whole


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--support", type=int, default=0)
    parser.add_argument("--name", default="", help="only cartons whose name begins so")
    parser.add_argument("--containers", type=int, default=0, help="also so many problems of each container file")
    given = parser.parse_args()
    for line in cartons(given.seconds, given.support, given.name):
        print(line, flush=True)
    if given.containers:
        for line in containers(given.seconds, given.support, given.containers):
            print(line, flush=True)


if __name__ == "__main__":
    main()
