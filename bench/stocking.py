"""Selection of cartons to stock for random orders.

Run `python -m bench.stocking --orders 200 --kinds 10 --steps 100000`. Orders have one to four pieces. Every plan passes
the independent checker.
"""

import argparse
import time
from random import Random

from haulier.solvers.packing.budget import PackingBudget
from haulier.solvers.packing.problem import PackingPiece
from haulier.solvers.stocking.candidates import CandidateTerms, suggest_cartons
from haulier.solvers.stocking.checker import check_stocking_plan
from haulier.solvers.stocking.engine import StockingEngine
from haulier.solvers.stocking.problem import OrderShape, StockingProblem


def some_orders(count: int, pieces_most: int, seed: int) -> tuple[OrderShape, ...]:
    """Return distinct orders, each with a quantity of one to nine."""
    random = Random(seed)
    return tuple(
        OrderShape(
            id=f"o{number}",
            count=random.randint(1, 9),
            pieces=tuple(
                PackingPiece(id=f"p{at}", size=_make_size(random), weight_g=500)
                for at in range(random.randint(1, pieces_most))
            ),
        )
        for number in range(count)
    )


def _make_size(random: Random) -> tuple[int, int, int]:
    return random.randint(40, 260), random.randint(40, 260), random.randint(40, 260)


def main() -> None:
    """Print a row for orders of one piece and one for orders of several."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--orders", type=int, default=200)
    parser.add_argument("--kinds", type=int, default=10)
    parser.add_argument("--steps", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    print("| pieces | candidates | litres | bound | gap | state | processor seconds |\n|---|---|---|---|---|---|---|")
    for pieces in (1, 4):
        orders = some_orders(asked.orders, pieces, asked.seed)
        kinds = tuple(suggest_cartons(orders, CandidateTerms()))
        problem = StockingProblem(orders=orders, cartons=kinds, most=asked.kinds)
        began = time.process_time()
        plan = StockingEngine().solve(problem, budget=PackingBudget(steps=asked.steps), seed=asked.seed)
        spent = time.process_time() - began
        assert check_stocking_plan(problem, plan) == []
        (lost, total), (_, bound) = plan.objective, plan.bound
        gap = f"{(total - bound) * 100 / total:.1f} %" if not lost else f"{lost} orders without a carton"
        litres = (total // 1_000_000, bound // 1_000_000)
        print(f"| 1 to {pieces} | {len(kinds)} | {litres[0]:,} | {litres[1]:,} | {gap} | {plan.state} | {spent:.1f} |")


if __name__ == "__main__":
    main()
