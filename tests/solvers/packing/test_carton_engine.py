"""Cartons are chosen, and the choice is proved."""

from itertools import combinations_with_replacement

from msgspec.structs import replace
from tests.solvers.packing.carton_instances import read_cartons
from tests.solvers.packing.packing_makers import CUBE, carton, pieces, problem
from tests.support.shared import shared

from haulier.solvers.packing.budget import PackingBudget
from haulier.solvers.packing.carton_engine import CartonEngine
from haulier.solvers.packing.checker import check_plan
from haulier.solvers.packing.choices import CartonChoices
from haulier.solvers.packing.compiled import CompiledPacking
from haulier.solvers.packing.plan import PackingPlan, PackingRule, ProofState
from haulier.solvers.packing.problem import UPRIGHT_TURNS, PackingProblem


def solve(asked: PackingProblem, steps: int = 20_000, seed: int = 0) -> PackingPlan:
    plan = CartonEngine().solve(asked, budget=PackingBudget(steps=steps), seed=seed)
    assert plan is not None
    assert check_plan(asked, plan) == []
    return plan


def test_choices_come_in_the_order_of_volume_then_number_then_cost_and_none_is_left_out() -> None:
    kinds = (
        carton("A", (100, 100, 100), cost_cents=50),
        carton("B", (200, 100, 100), cost_cents=90),
        carton("C", (200, 100, 100), cost_cents=80, stock=1),
        carton("D", (300, 100, 100), cost_cents=100),
    )
    compiled = CompiledPacking(problem(*[CUBE] * 4, cartons=kinds))
    given = [each for each in CartonChoices(compiled) if each[0][0] <= 8_000_000]
    listed = [
        ((sum(kinds[k].outer_volume for k in each), len(each), sum(kinds[k].cost_cents for k in each)), each)
        for count in range(1, 5)
        for each in combinations_with_replacement(range(4), count)
        if sum(kinds[k].outer_volume for k in each) in range(4_000_000, 8_000_001) and each.count(2) <= 1
    ]
    assert [sums for sums, _ in given] == sorted(sums for sums, _ in listed)
    assert sorted(given) == sorted(listed)


def test_the_number_and_then_the_cost_decide_between_equal_volumes() -> None:
    kinds = (
        carton("small", (100, 100, 100), cost_cents=10),
        carton("dear", (200, 100, 100), cost_cents=90),
        carton("cheap", (100, 200, 100), cost_cents=80),
    )
    assert solve(problem(CUBE, CUBE, cartons=kinds)).cartons == ("cheap",)
    assert solve(problem(CUBE, CUBE, cartons=kinds)).state == ProofState.OPTIMAL


def test_the_fill_cap_is_exact() -> None:
    """Eight cubes fill a carton exactly; at 99 % they need two, and one is refuted."""
    eight = problem(*[CUBE] * 8)
    assert solve(eight).cartons == ("S",)
    capped = solve(replace(eight, fill_cap_percent=99))
    assert (capped.cartons, capped.state) == (("S", "S"), ProofState.OPTIMAL)
    assert solve(problem((100, 100, 100), (100, 100, 60), fill_cap_percent=20)).cartons == ("S",)
    assert solve(problem((100, 100, 100), (100, 100, 61), fill_cap_percent=20)).cartons == ("S", "S")


def test_choices_with_enough_volume_are_refuted_by_size_and_search() -> None:
    """Six bricks fit around the middle of a 200 mm carton, but not at 201 mm."""
    plates = solve(problem((150, 150, 110), (150, 150, 110)))
    assert (plates.cartons, plates.state) == (("S", "S"), ProofState.OPTIMAL)
    assert plates.refuted[0].cartons == ("S",)
    kinds = (carton("S"), carton("M", (250, 250, 250)))
    for thickness, wanted in ((80, "S"), (81, "M")):
        bricks = solve(problem(*[(120, 120, thickness)] * 6, cartons=kinds))
        assert (bricks.cartons, bricks.state) == ((wanted,), ProofState.OPTIMAL)


def test_pieces_follow_their_rules() -> None:
    low = carton("low", (400, 400, 100))
    upright = problem(pieces=pieces((50, 50, 150), turns=UPRIGHT_TURNS), cartons=(low, carton("high")))
    assert solve(upright).cartons == ("high",)
    assert solve(problem((50, 50, 150), cartons=(low,))).cartons == ("low",)
    apart = pieces(CUBE, goods="food") + tuple(replace(p, id="gas", goods="gas") for p in pieces(CUBE))
    assert len(solve(problem(pieces=apart, apart=(("food", "gas"),))).cartons) == 2
    fragile = problem(pieces=pieces(*[(200, 200, 100)] * 2, bears_g=0, turns=UPRIGHT_TURNS))
    assert len(solve(fragile).cartons) == 2
    kinds = (carton("slim", (200, 100, 100)), carton("S"))
    together = problem(pieces=pieces(CUBE, CUBE, CUBE, together="set"), cartons=kinds)
    assert solve(together).cartons == ("S",)
    heavy = problem(pieces=pieces(CUBE, CUBE, weight_g=6_000))
    assert len(solve(heavy).cartons) == 2


def test_impossible_pieces_are_named_with_the_rule() -> None:
    cases = {
        PackingRule.INSIDE: (problem(CUBE, (201, 10, 10)), ("p1",)),
        PackingRule.FILL: (problem(CUBE, (200, 200, 200), fill_cap_percent=90), ("p1",)),
        PackingRule.PAYLOAD: (problem(pieces=pieces(CUBE, weight_g=10_001)), ("p0",)),
        PackingRule.TOGETHER: (problem(pieces=pieces(*[(150, 150, 110)] * 3, together="set")), ("p1", "p2")),
        PackingRule.STOCK: (problem(*[(150, 150, 150)] * 4, cartons=(carton(stock=2),)), ("p0", "p1", "p2")),
    }
    for rule, (asked, named) in cases.items():
        plan = CartonEngine().solve(asked, budget=PackingBudget(steps=5_000))
        assert plan is not None
        assert (plan.state, plan.rule, len(plan.pieces)) == (ProofState.INFEASIBLE, rule, len(named))


def test_the_same_seed_and_steps_give_the_same_plan_and_more_steps_never_a_worse_one() -> None:
    asked, _ = read_cartons(shared("instances/packing/cartons/planted-16-1016.json"))
    short, again, longer = solve(asked, 3_000, 7), solve(asked, 3_000, 7), solve(asked, 9_000, 7)
    assert short == again
    assert longer.objective is not None
    assert short.objective is not None
    assert longer.objective <= short.objective


def test_quick_instances_are_proven_optimal() -> None:
    for name in ("planted-8-1008", "planted-8-2008", "random-6-1006", "random-12-1012", "random-20-2020"):
        asked, optimum = read_cartons(shared(f"instances/packing/cartons/{name}.json"))
        plan = solve(asked, 40_000)
        assert plan.state == ProofState.OPTIMAL, name
        assert plan.objective is not None
        assert optimum in (None, plan.objective[0]), name


def test_each_better_plan_is_reported_and_the_search_can_be_stopped() -> None:
    asked, _ = read_cartons(shared("instances/packing/cartons/planted-16-1016.json"))
    told: list[PackingPlan] = []

    def stop(plan: PackingPlan) -> bool:
        told.append(plan)
        return False

    plan = CartonEngine().solve(asked, budget=PackingBudget(seconds=600), on_better=stop)
    assert len(told) == 1
    assert plan is not None
    assert plan.cartons == told[0].cartons
