"""Independent check of stocking plans.

Orders go through the packing checker; totals and the bound are computed again. It shares no code with the engine and
computes with integers only.
"""

from collections import Counter
from collections.abc import Iterator

from msgspec import Struct

from haulier.solvers.packing.checker import check_plan
from haulier.solvers.packing.plan import PackingPlan, ProofState
from haulier.solvers.packing.problem import CartonKind, PackingProblem
from haulier.solvers.stocking.plan import PackedOrder, StockingPlan, StockingRule
from haulier.solvers.stocking.problem import OrderShape, StockingProblem


class BrokenStockingRule(Struct, frozen=True):
    """One broken rule, and the order or kind it concerns."""

    rule: StockingRule
    about: str = ""


def check_stocking_plan(problem: StockingProblem, plan: StockingPlan) -> list[BrokenStockingRule]:
    """Return every broken rule of a plan; empty if it is valid."""
    return [*_check_choice(problem, plan), *_check_orders(problem, plan), *_check_sums(problem, plan)]


def _check_choice(problem: StockingProblem, plan: StockingPlan) -> Iterator[BrokenStockingRule]:
    known = {kind.id for kind in problem.cartons}
    yield from (BrokenStockingRule(StockingRule.UNKNOWN, id) for id in plan.cartons if id not in known)
    if len(plan.cartons) > problem.most or len(set(plan.cartons)) < len(plan.cartons):
        yield BrokenStockingRule(StockingRule.TOO_MANY)
    yield from (BrokenStockingRule(StockingRule.KEEP, id) for id in problem.keep if id not in plan.cartons)


def _check_orders(problem: StockingProblem, plan: StockingPlan) -> Iterator[BrokenStockingRule]:
    """Check that each order is packed once, in a chosen kind, by the packing rules.

    Covers today's cartons as well.
    """
    orders = {order.id: order for order in problem.orders}
    kinds = {kind.id: kind for kind in problem.cartons}
    named = Counter([*(each.order for each in plan.packed), *(each.order for each in plan.unfit)])
    yield from (BrokenStockingRule(StockingRule.MISSING, id) for id in orders if id not in named)
    yield from (BrokenStockingRule(StockingRule.TWICE, id) for id, count in named.items() if count > 1)
    for chosen, packed in ((plan.cartons, plan.packed), (problem.today, plan.today)):
        for each in packed:
            if each.order not in orders or each.carton not in kinds:
                yield BrokenStockingRule(StockingRule.UNKNOWN, each.order)
            elif each.carton not in chosen:
                yield BrokenStockingRule(StockingRule.NOT_CHOSEN, each.order)
            elif not _lies_in(problem, orders[each.order], kinds[each.carton], each):
                yield BrokenStockingRule(StockingRule.PACKING, each.order)


def _lies_in(problem: StockingProblem, order: OrderShape, kind: CartonKind, packed: PackedOrder) -> bool:
    question = PackingProblem(
        pieces=order.pieces,
        cartons=(kind,),
        fill_cap_percent=problem.fill_cap_percent,
        support_percent=problem.support_percent,
        filling=problem.filling,
        wall_cushion=problem.wall_cushion,
    )
    plan = PackingPlan(cartons=(kind.id,), placements=packed.places, state=ProofState.BEST_FOUND)
    return all(each.carton == 0 for each in packed.places) and not check_plan(question, plan)


def _check_sums(problem: StockingProblem, plan: StockingPlan) -> Iterator[BrokenStockingRule]:
    count = {order.id: order.count for order in problem.orders}
    orders, kinds = {order.id: order for order in problem.orders}, {kind.id: kind for kind in problem.cartons}
    total = sum(
        count[each.order] * _price(problem, orders[each.order], kinds[each.carton])
        for each in plan.packed
        if each.order in orders and each.carton in kinds
    )
    if plan.objective != (sum(count.get(each.order, 0) for each in plan.unfit), total):
        yield BrokenStockingRule(StockingRule.OBJECTIVE)
    optimal = plan.state == ProofState.OPTIMAL
    if plan.bound > plan.objective or plan.bound > _proved(problem, plan) or (optimal and plan.bound != plan.objective):
        yield BrokenStockingRule(StockingRule.BOUND)


def _proved(problem: StockingProblem, plan: StockingPlan) -> tuple[int, int]:
    """Return the lower bound that the multipliers prove; impossible orders are lost."""
    lost, total = 0, 0
    gains = {kind.id: 0 for kind in problem.cartons}
    multipliers = plan.multipliers or (0,) * len(problem.orders)
    if len(multipliers) != len(problem.orders):
        return 0, 0
    for order, pays in zip(problem.orders, multipliers, strict=True):
        able = [kind for kind in problem.cartons if _is_able(problem, order, kind)]
        lost += 0 if able else order.count
        total += pays if able else 0
        for kind in able:
            gains[kind.id] += max(0, pays - _price(problem, order, kind) * order.count)
    forced = sum(gains.pop(id) for id in dict.fromkeys(problem.keep) if id in gains)
    room = max(0, problem.most - len(set(problem.keep)))
    gained = forced + sum(sorted(gains.values(), reverse=True)[:room])
    return lost, max(0, total - gained)


def _is_able(problem: StockingProblem, order: OrderShape, kind: CartonKind) -> bool:
    """Return True if edges, volume and weight do not rule out a carton for an order."""
    room = sorted(edge - 2 * problem.wall_cushion for edge in kind.inner)
    if any(edge > most for piece in order.pieces for edge, most in zip(sorted(piece.size), room, strict=True)):
        return False
    inside = kind.inner[0] * kind.inner[1] * kind.inner[2]
    volume = sum(piece.size[0] * piece.size[1] * piece.size[2] for piece in order.pieces)
    heavy = sum(piece.weight_g for piece in order.pieces) + _filled(problem, order, kind)[0] > kind.payload_g
    return not heavy and volume * 100 <= problem.fill_cap_percent * inside


def _price(problem: StockingProblem, order: OrderShape, kind: CartonKind) -> int:
    if not problem.by_cost:
        return kind.outer[0] * kind.outer[1] * kind.outer[2]
    return kind.cost_cents + _filled(problem, order, kind)[1]


def _filled(problem: StockingProblem, order: OrderShape, kind: CartonKind) -> tuple[int, int]:
    """Return the weight and cost of the void fill, each rounded up."""
    if problem.filling is None:
        return 0, 0
    void = kind.inner[0] * kind.inner[1] * kind.inner[2]
    void -= sum(piece.size[0] * piece.size[1] * piece.size[2] for piece in order.pieces)
    each = problem.filling
    return -(-void * each.unit_g // each.unit_mm3), -(-void * each.unit_cents // each.unit_mm3)
