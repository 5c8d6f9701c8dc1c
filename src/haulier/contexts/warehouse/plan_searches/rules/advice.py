"""Orders as shapes for the question which cartons to stock, and sums of its answer."""

import hashlib
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

import msgspec
from msgspec import Struct

from haulier.solvers.packing.problem import PackingPiece, Size
from haulier.solvers.stocking.plan import PackedOrder, StockingPlan
from haulier.solvers.stocking.problem import OrderShape, StockingProblem, cost_of

MeasuredPiece = tuple[Size, int]
"""The size and the weight of a piece."""


def order_shapes(orders: Iterable[Sequence[MeasuredPiece]]) -> tuple[OrderShape, ...]:
    """Orders with the same pieces are one shape; those that were most often come first."""
    counted = Counter(tuple(sorted(pieces)) for pieces in orders)
    return tuple(
        OrderShape(
            id=f"s{number}",
            count=count,
            pieces=tuple(
                PackingPiece(id=f"p{at}", size=size, weight_g=weight) for at, (size, weight) in enumerate(pieces, 1)
            ),
        )
        for number, (pieces, count) in enumerate(sorted(counted.items(), key=lambda each: (-each[1], each[0])), 1)
    )


def stocking_hash(problem: StockingProblem) -> str:
    """Names a question: anything in it that changes gives another name."""
    return hashlib.sha256(msgspec.json.encode(problem, order="deterministic")).hexdigest()


class StockingSums(Struct, frozen=True):
    """Orders, outer volume and cost."""

    orders: int
    volume: int
    cost: int


def sums_of(problem: StockingProblem, packed: Iterable[PackedOrder], only: Collection[str]) -> StockingSums:
    """What the cartons of some of the orders sum up to."""
    orders = {order.id: order for order in problem.orders}
    kinds = {kind.id: kind for kind in problem.cartons}
    chosen = [(orders[each.order], kinds[each.carton]) for each in packed if each.order in only]
    return StockingSums(
        sum(order.count for order, _ in chosen),
        sum(order.count * kind.outer_volume for order, kind in chosen),
        sum(order.count * cost_of(problem, order, kind) for order, kind in chosen),
    )


def orders_by_carton(problem: StockingProblem, plan: StockingPlan) -> Mapping[str, int]:
    """How many orders go into each kind that was chosen."""
    counts, found = {order.id: order.count for order in problem.orders}, Counter[str]()
    for each in plan.packed:
        found[each.carton] += counts[each.order]
    return found
