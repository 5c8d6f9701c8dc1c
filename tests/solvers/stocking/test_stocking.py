"""Stocking: small problems against all choices, and invalid plans for the checker."""

from itertools import combinations
from math import prod
from random import Random

import pytest
from msgspec.structs import replace

from haulier.solvers.packing.budget import PackingBudget
from haulier.solvers.packing.plan import ProofState
from haulier.solvers.packing.problem import CartonKind, PackingPiece, VoidFill
from haulier.solvers.stocking.candidates import CandidateTerms, suggest_cartons
from haulier.solvers.stocking.checker import check_stocking_plan
from haulier.solvers.stocking.engine import StockingEngine
from haulier.solvers.stocking.plan import StockingPlan, UnfitReason
from haulier.solvers.stocking.problem import OrderShape, StockingProblem, may_fit

STEPS = PackingBudget(steps=20_000)


def make_order(number: int, *sizes: tuple[int, int, int], count: int = 1, weight_g: int = 500) -> OrderShape:
    pieces = tuple(PackingPiece(id=f"p{at}", size=size, weight_g=weight_g) for at, size in enumerate(sizes))
    return OrderShape(id=f"o{number}", pieces=pieces, count=count)


def make_kind(name: str, *inner: int, payload_g: int = 30_000, cost: int = 0) -> CartonKind:
    long, wide, high = inner
    size = (long, wide, high)
    return CartonKind(id=name, inner=size, outer=size, payload_g=payload_g, cost_cents=cost)


def some_orders(random: Random, count: int) -> tuple[OrderShape, ...]:
    """Orders of one piece, so that what fits is known without any search."""

    def size() -> tuple[int, int, int]:
        return random.randint(20, 120), random.randint(20, 120), random.randint(20, 120)

    return tuple(make_order(number, size(), count=random.randint(1, 5)) for number in range(count))


def best_of_all(problem: StockingProblem) -> tuple[int, int]:
    """The best sums over every choice of kinds."""
    found: list[tuple[int, int]] = []
    for chosen in combinations(problem.cartons, min(problem.most, len(problem.cartons))):
        if not set(problem.keep) <= {kind.id for kind in chosen}:
            continue
        lost = total = 0
        for order in problem.orders:
            prices = [kind.outer_volume for kind in chosen if may_fit(problem, order, kind)]
            lost += 0 if prices else order.count
            total += min(prices) * order.count if prices else 0
        found.append((lost, total))
    return min(found)


def solve(problem: StockingProblem, seed: int = 0) -> StockingPlan:
    plan = StockingEngine().solve(problem, budget=STEPS, seed=seed)
    assert check_stocking_plan(problem, plan) == []
    return plan


def test_small_problems_have_the_best_choice_and_a_valid_bound() -> None:
    random, proved = Random(7), 0
    for _ in range(12):
        orders = some_orders(random, 12)
        kinds = [*suggest_cartons(orders, CandidateTerms())[:8], make_kind("XL", 200, 200, 200)]
        problem = StockingProblem(orders=orders, cartons=tuple(kinds), most=3, keep=(kinds[0].id,))
        plan, best = solve(problem), best_of_all(problem)
        assert plan.objective == best
        assert plan.bound <= best
        proved += plan.state is ProofState.OPTIMAL
    assert proved > 0


def test_the_same_problem_seed_and_steps_give_the_same_plan_with_progress() -> None:
    orders = (*some_orders(Random(1), 20), make_order(99, (90, 80, 70), (60, 50, 40), (60, 50, 40), count=4))
    problem = StockingProblem(orders=orders, cartons=tuple(suggest_cartons(orders, CandidateTerms())), most=4)
    told: list[StockingPlan] = []
    plan = StockingEngine().solve(problem, budget=STEPS, seed=3, on_better=lambda each: not told.append(each))
    assert plan == solve(problem, seed=3)
    assert [each.objective for each in told] == sorted((each.objective for each in told), reverse=True)
    assert all(check_stocking_plan(problem, each) == [] for each in told)


def test_orders_that_no_carton_takes_are_named_with_the_reason() -> None:
    orders = (
        make_order(1, (10, 10, 10)),
        make_order(2, (500, 10, 10)),
        make_order(3, (10, 10, 10), weight_g=40_000),
        make_order(4, (90, 90, 90)),
        make_order(5, (60, 60, 60), (60, 60, 60)),
    )
    kinds = (make_kind("S", 20, 20, 20, payload_g=20_000), make_kind("L", 100, 100, 100, payload_g=20_000))
    plan = solve(StockingProblem(orders=orders, cartons=kinds, most=1, keep=("S",), today=("S",)))
    assert {each.order: each.reason for each in plan.unfit} == {
        "o2": UnfitReason.TOO_LARGE,
        "o3": UnfitReason.TOO_HEAVY,
        "o4": UnfitReason.NOT_CHOSEN,
        "o5": UnfitReason.NO_PLACE,
    }
    assert [each.carton for each in plan.today] == ["S"]


def test_new_sizes_are_whole_centimetres_or_inches_and_as_small_as_carriers_ask() -> None:
    orders = (make_order(1, (101, 52, 33)), make_order(2, (300, 20, 20)))
    assert [kind.inner for kind in suggest_cartons(orders, CandidateTerms(longest_mm=200))] == [(110, 60, 40)]
    inches = CandidateTerms(step_tenths=254, wall_mm=10, girth_mm=420, cost_per_m2=100)
    (one,) = suggest_cartons(orders, inches)
    assert (one.inner, one.outer, one.cost_cents) == ((102, 77, 51), (112, 87, 61), 5)


def best_with_filling(problem: StockingProblem) -> tuple[int, int]:
    """Return the best objective over every choice of kinds, with void fill by hand."""
    assert problem.filling
    unit, around, found = problem.filling, 2 * problem.wall_cushion, list[tuple[int, int]]()
    for chosen in combinations(problem.cartons, problem.most):
        lost = total = 0
        for order in problem.orders:
            (piece,) = order.pieces
            prices: list[int] = []
            for kind in chosen:
                void = prod(kind.inner) - prod(piece.size)
                fits = all(a + around <= b for a, b in zip(sorted(piece.size), sorted(kind.inner), strict=True))
                if fits and piece.weight_g + -(-void * unit.unit_g // unit.unit_mm3) <= kind.payload_g:
                    filled = -(-void * unit.unit_cents // unit.unit_mm3)
                    prices.append(kind.cost_cents + filled if problem.by_cost else prod(kind.outer))
            lost += 0 if prices else order.count
            total += min(prices) * order.count if prices else 0
        found.append((lost, total))
    return min(found)


def test_void_fill_is_priced_as_by_trying_every_choice_of_kinds() -> None:
    random, proved = Random(8), 0
    for by_cost in (True, False) * 5:
        orders = some_orders(random, 10)
        air = VoidFill(id="AIR", unit_mm3=random.choice((1_000, 7_777)), unit_g=random.choice((0, 2)), unit_cents=1)
        wall = random.choice((0, 0, 8))
        sizes = suggest_cartons(orders, CandidateTerms(cost_per_m2=900, wall_cushion=wall, payload_g=2_500))
        kinds = (*random.sample(sizes, 6), make_kind("XL", 200, 200, 200, payload_g=9_000, cost=50))
        problem = StockingProblem(orders=orders, cartons=kinds, most=3, by_cost=by_cost, filling=air, wall_cushion=wall)
        plan = solve(problem)
        assert plan.objective == best_with_filling(problem)
        proved += plan.state is ProofState.OPTIMAL
    assert proved > 0


def test_void_fill_can_change_the_best_carton_and_rule_one_out() -> None:
    """The larger carton is cheaper when empty; filled, it costs more or is too heavy."""
    order, air = make_order(1, (50, 50, 50)), VoidFill(id="AIR", unit_mm3=1_000, unit_cents=1)
    kinds = (make_kind("tight", 60, 60, 60, cost=100), make_kind("roomy", 90, 90, 90, cost=80, payload_g=1_000))
    asked = StockingProblem(orders=(order,), cartons=kinds, most=1, by_cost=True)
    assert (solve(asked).cartons, solve(asked).objective) == (("roomy",), (0, 80))
    filled = solve(replace(asked, filling=air))
    assert (filled.cartons, filled.objective) == (("tight",), (0, 100 + 91))
    heavy = solve(replace(asked, filling=replace(air, unit_cents=0, unit_g=1)))
    assert heavy.cartons == ("tight",)
    padded = solve(replace(asked, wall_cushion=6))
    assert (padded.cartons, padded.packed[0].places[0].x) == (("roomy",), 6)
    wrong = replace(filled, objective=(0, 100), bound=(0, 0), state=ProofState.BEST_FOUND)
    assert {str(each.rule) for each in check_stocking_plan(replace(asked, filling=air), wrong)} == {"objective"}


@pytest.mark.parametrize(
    "rule", ["too_many", "keep", "missing", "twice", "not_chosen", "packing", "objective", "bound"]
)
def test_the_checker_reports_each_error(rule: str) -> None:
    orders = (make_order(1, (30, 30, 30)), make_order(2, (50, 50, 50)))
    kinds = (make_kind("S", 30, 30, 30), make_kind("M", 50, 50, 50), make_kind("L", 90, 90, 90))
    problem = StockingProblem(orders=orders, cartons=kinds, most=2, keep=("M",))
    plan = solve(problem)
    first, second = plan.packed
    moved = replace(first, places=(replace(first.places[0], x=5),))
    wrong = {
        "too_many": replace(plan, cartons=("S", "M", "L")),
        "keep": replace(plan, cartons=("S", "L")),
        "missing": replace(plan, packed=(first,)),
        "twice": replace(plan, packed=(first, first, second)),
        "not_chosen": replace(plan, packed=(first, replace(second, carton="L"))),
        "packing": replace(plan, packed=(moved, second)),
        "objective": replace(plan, objective=(0, 1), bound=(0, 0)),
        "bound": replace(plan, multipliers=(0, 0)),
    }[rule]
    assert rule in {str(each.rule) for each in check_stocking_plan(problem, wrong)}
