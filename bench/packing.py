"""Carton selection: quality, proofs and time: `python -m bench.packing`.

Every plan passes the checker. The instances are those of the folder `instances/packing`: `cartons`, or with `--bins`
those of `mpv`. If py3dbp is installed, it packs the same pieces into the selected cartons.
"""

import argparse
import importlib.util
import os
import statistics
from collections.abc import Iterator, Sequence
from time import perf_counter

from tests.solvers.packing.carton_instances import read_cartons
from tests.support.shared import ROOT

from bench.bin_instances import read_bins
from haulier.solvers.packing.budget import PackingBudget
from haulier.solvers.packing.carton_engine import CartonEngine
from haulier.solvers.packing.checker import check_plan
from haulier.solvers.packing.installed import find_packer, installed_filler, installed_prover
from haulier.solvers.packing.plan import PackingPlan, ProofState
from haulier.solvers.packing.problem import PackingProblem

FOLDER = ROOT / "instances/packing"


def processor_s() -> float:
    """Return the processor seconds of this process and its ended children."""
    return sum(os.times()[:4])


def cartons(budget: PackingBudget, support: int, name: str) -> Iterator[str]:
    """Yield a line for each of the `cartons` instances."""
    head = "instance | pieces | state | volume above the bound | above the planted optimum | first s | s | processor s | py3dbp"
    yield f"| {head} |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for path in sorted((FOLDER / "cartons").glob(f"{name}*.json")):
        problem, planted = read_cartons(path, support)
        firsts: list[float] = []
        began, worked = perf_counter(), processor_s()

        def note(_: PackingPlan, began: float = began, firsts: list[float] = firsts) -> bool:
            firsts.append(perf_counter() - began)
            return True

        plan = engine(budget).solve(problem, budget=budget, on_better=note)
        spent, processor = perf_counter() - began, processor_s() - worked
        if plan is None or plan.objective is None or plan.bound is None:
            raise RuntimeError(f"{path.stem}: no plan")
        if broken := check_plan(problem, plan):
            raise RuntimeError(f"{path.stem}: {broken}")
        volume = plan.objective[0]
        gap = f"{100 * (volume / plan.bound[0] - 1):.1f} %"
        above = f"{100 * (volume / planted - 1):.1f} %" if planted else ""
        other = by_py3dbp(problem, plan)
        times = f"{firsts[0]:.3f} | {spent:.2f} | {processor:.2f}"
        yield f"| {path.stem} | {len(problem.pieces)} | {plan.state} | {gap} | {above} | {times} | {other} |"


def engine(budget: PackingBudget) -> CartonEngine:
    """Return the search engine with the installed libraries."""
    filler = None if budget.is_processor_time else installed_filler()
    return CartonEngine(filler, installed_prover(), find_packer)


def bins(budget: PackingBudget, names: Sequence[str], problems: int) -> Iterator[str]:
    """Yield the mean number of bins of the first problems of each `mpv` file."""
    yield "| file | problems | bins, mean | lower bound, mean | proven |"
    yield "|---|---|---|---|---|"
    for path in sorted(path for name in names for path in (FOLDER / "mpv").glob(f"{name}*.txt")):
        some = list(read_bins(path))[:problems]
        plans = [engine(budget).solve(problem, budget=budget) for problem, _ in some]
        counts: list[int] = []
        for (problem, _), plan in zip(some, plans, strict=True):
            if plan is None or check_plan(problem, plan):
                raise RuntimeError(f"{path.stem}: no plan, or a wrong one")
            counts.append(len(plan.cartons))
        proved = sum(plan is not None and plan.state is ProofState.OPTIMAL for plan in plans)
        bound = statistics.mean(bound for _, bound in some)
        yield f"| {path.stem} | {len(some)} | {statistics.mean(counts):.1f} | {bound:.1f} | {proved} |"


def by_py3dbp(problem: PackingProblem, plan: PackingPlan) -> str:
    """Return how many pieces py3dbp leaves out of the same cartons."""
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
    parser.add_argument("--steps", type=int, default=None, help="step budget, reproducible on a busy machine")
    for_processor = "limit processor time, without the library that runs in other processes"
    parser.add_argument("--processor", action="store_true", help=for_processor)
    parser.add_argument("--support", type=int, default=0)
    parser.add_argument("--name", default="", help="only cartons with this prefix")
    parser.add_argument("--bins", nargs="*", help="bins of the `mpv` files with these prefixes, instead of cartons")
    parser.add_argument("--problems", type=int, default=10, help="problems per file")
    given = parser.parse_args()
    helped = ", ".join(each for each in ("packingsolver3d", "ortools") if importlib.util.find_spec(each)) or "nothing"
    print(f"{given.seconds:g} s each, load average {os.getloadavg()[0]:.1f} at the start, with {helped}", flush=True)
    find_packer(None)  # compile and load once per process, outside the measurement
    is_bins = given.bins is not None
    seconds = None if given.steps else given.seconds
    budget = PackingBudget(steps=given.steps, seconds=seconds, is_processor_time=given.processor)
    lines = cartons(budget, given.support, given.name)
    for line in bins(budget, given.bins, given.problems) if is_bins else lines:
        print(line, flush=True)


if __name__ == "__main__":
    main()
