"""Layers on pallets and pallets in two-axle trucks: `python -m bench.trucks`.

Every plan passes the checker. The instances are those of the folders `alonso_2019` and `alonso_2020` in
`instances/packing`. A bound holds for the pallets as built here.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path
from time import process_time

from tests.support.shared import ROOT

from bench.truck_instances import Layer, PalletOrder, days_of, least_trucks, pallet_problem, truck_problem
from haulier.solvers.loading.checker import check_loading_plan
from haulier.solvers.loading.engine import LoadingEngine
from haulier.solvers.loading.plan import LoadedPiece, LoadingPlan
from haulier.solvers.packing.budget import PackingBudget
from haulier.solvers.packing.installed import installed_fillers

FOLDERS = tuple(ROOT / "instances/packing" / name for name in ("alonso_2019", "alonso_2020"))


def check_pallet(order: PalletOrder, pallet: tuple[Layer, ...]) -> None:
    """Check one pallet: each layer lies on the previous one."""
    height, places = 0, list[LoadedPiece]()
    for layer in pallet:
        places.append(LoadedPiece(piece=layer.id, space=0, x=0, y=0, z=height))
        height += layer.size[2]
    plan = LoadingPlan(spaces=("pallet",), placements=tuple(places))
    if broken := check_loading_plan(pallet_problem(order, pallet), plan):
        raise RuntimeError(str(broken))


def trucks(path: Path, steps: int) -> Iterator[str]:
    """Yield a line for each day of a file."""
    for day, (order, pallets) in enumerate(days_of(path)):
        for pallet in pallets:
            check_pallet(order, pallet)
        bound, began = least_trucks(order, pallets), process_time()
        problem = truck_problem(order, pallets, 3 * bound + 2)
        plan = LoadingEngine(installed_fillers()).solve(problem, budget=PackingBudget(steps=steps))
        if broken := check_loading_plan(problem, plan):
            raise RuntimeError(f"{path.stem}: {broken[:3]}")
        numbers = f"{len(plan.spaces)} | {bound} | {len(plan.left_over)} | {process_time() - began:.1f}"
        yield f"| {path.parent.name} {path.stem} | {day} | {len(pallets)} | {numbers} |"


def main() -> None:
    """Print the table, and the distance of the trucks from the bound."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=2_000)
    parser.add_argument("--name", default="", help="only files with this prefix")
    given = parser.parse_args()
    print("| file | day | pallets | trucks | bound | left over | processor s |\n|---|---|---|---|---|---|---|")
    for folder in FOLDERS:
        for path in sorted(folder.glob(f"{given.name}*.csv")):
            for line in trucks(path, given.steps):
                print(line, flush=True)


if __name__ == "__main__":
    main()
