"""`python -m bench.packing`: which cartons are chosen, what is proved, and how long it takes; every plan through the checker.

The instances are those of the folder `instances/packing`. Where py3dbp can be imported, it packs the same pieces into the
cartons that were chosen here.
"""

import argparse
import importlib.util
from collections.abc import Iterator
from time import perf_counter

from tests.solvers.packing.carton_instances import read_cartons
from tests.support.shared import ROOT

from haulier.solvers.packing.budget import PackingBudget
from haulier.solvers.packing.carton_engine import CartonEngine
from haulier.solvers.packing.checker import check_plan
from haulier.solvers.packing.plan import PackingPlan
from haulier.solvers.packing.problem import PackingProblem

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


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--support", type=int, default=0)
    parser.add_argument("--name", default="", help="only cartons whose name begins so")
    given = parser.parse_args()
    for line in cartons(given.seconds, given.support, given.name):
        print(line, flush=True)


if __name__ == "__main__":
    main()
