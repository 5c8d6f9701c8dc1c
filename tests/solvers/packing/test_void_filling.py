"""Filling of empty room: cushions, payload and cost."""

from random import Random

from msgspec.structs import replace
from tests.solvers.packing.filling_trials import least_objective, small_problem
from tests.solvers.packing.packing_makers import CUBE, at, carton, pieces, plan_of, problem

from haulier.solvers.packing.budget import PackingBudget
from haulier.solvers.packing.carton_engine import CartonEngine
from haulier.solvers.packing.checker import check_plan
from haulier.solvers.packing.plan import PackingPlan, PackingRule, ProofState
from haulier.solvers.packing.problem import PackingProblem, VoidFill

AIR = VoidFill(id="AIR", unit_mm3=1_000_000, unit_g=100, unit_cents=7)
"""A carton of 200 mm with one cube of 100 mm leaves seven units empty."""


def rules(asked: PackingProblem, plan: PackingPlan) -> set[PackingRule]:
    return {broken.rule for broken in check_plan(asked, plan)}


def solve(asked: PackingProblem, steps: int = 5_000) -> PackingPlan:
    plan = CartonEngine().solve(asked, budget=PackingBudget(steps=steps))
    assert plan is not None
    assert check_plan(asked, plan) == []
    return plan


def test_each_rule_of_filling_is_named_by_a_plan_that_breaks_it_alone() -> None:
    one, two = plan_of(at("p0", 0, 0, 0)), plan_of(at("p0", 0, 0, 0), at("p1", 100, 0, 0))
    kinds = (carton(payload_g=800),)
    filled = problem(CUBE, cartons=kinds, filling=AIR)
    walls = problem(CUBE, wall_cushion=10)
    fragile = problem(pieces=pieces(CUBE, cushion=10) + pieces(CUBE, CUBE)[1:])
    cases = {
        "the filling is as heavy as allowed": (filled, one, set[PackingRule]()),
        "a gram too heavy": (replace(filled, cartons=(carton(payload_g=799),)), one, {PackingRule.PAYLOAD}),
        "right sum": (filled, replace(one, objective=(8_000_000, 1, 149)), set[PackingRule]()),
        "sum without filling": (filled, replace(one, objective=(8_000_000, 1, 100)), {PackingRule.OBJECTIVE}),
        "away from the walls": (walls, plan_of(at("p0", 10, 90, 10)), set[PackingRule]()),
        "near a wall": (walls, plan_of(at("p0", 9, 90, 10)), {PackingRule.CUSHION}),
        "near the lid": (walls, plan_of(at("p0", 10, 90, 91)), {PackingRule.CUSHION}),
        "on the cushion of the floor": (replace(walls, support_percent=100), plan_of(at("p0", 10, 90, 10)), set()),
        "above it": (replace(walls, support_percent=100), plan_of(at("p0", 10, 90, 11)), {PackingRule.SUPPORT}),
        "beside a fragile one": (fragile, two, {PackingRule.CUSHION}),
    }
    big = (carton(inner=(300, 300, 300)),)
    fragile = replace(fragile, cartons=big)
    cases["a fragile one with room"] = (fragile, plan_of(at("p0", 10, 10, 10), at("p1", 120, 0, 0)), set())
    cases["a millimetre too near"] = (
        fragile,
        plan_of(at("p0", 10, 10, 10), at("p1", 119, 0, 0)),
        {PackingRule.CUSHION},
    )
    faults = {name: rules(asked, plan) for name, (asked, plan, wanted) in cases.items() if rules(asked, plan) != wanted}
    assert faults == {}


def test_void_fill_decides_between_cartons_of_equal_outer_volume() -> None:
    """The thicker walls leave less to fill, and so cost less."""
    kinds = (carton("thin", outer=(210, 210, 210)), carton("thick", (190, 190, 190), outer=(210, 210, 210)))
    asked = problem(CUBE, cartons=kinds)
    assert solve(replace(asked, cartons=(replace(kinds[0], cost_cents=99), kinds[1]))).cartons == ("thin",)
    filled = solve(replace(asked, cartons=(replace(kinds[0], cost_cents=99), kinds[1]), filling=AIR))
    assert (filled.cartons, filled.state) == (("thick",), ProofState.OPTIMAL)
    assert filled.objective == (9_261_000, 1, 100 + 42)


def test_pieces_that_fit_only_without_cushion_are_named_with_it() -> None:
    for asked in (problem((190, 190, 190), wall_cushion=6), problem(pieces=pieces((190, 190, 190), cushion=6))):
        plan = CartonEngine().solve(asked, budget=PackingBudget(steps=500))
        assert plan is not None
        assert (plan.state, plan.rule, plan.pieces) == (ProofState.INFEASIBLE, PackingRule.CUSHION, ("p0",))


def test_two_fragile_pieces_have_two_cushions_between_them() -> None:
    kinds = (carton("S", (220, 100, 100)), carton("M", (240, 120, 120)))
    plan = solve(problem(pieces=pieces(CUBE, CUBE, cushion=5), cartons=kinds))
    assert plan.cartons == ("M",)
    low, high = sorted(place.x for place in plan.placements)
    assert (low, high - low >= 110) == (5, True)


def test_small_problems_with_cushions_and_void_fill_match_exhaustive_search() -> None:
    random = Random(2)
    answered = {"optimal": 0, "infeasible": 0}
    for number in range(25):
        asked = small_problem(random)
        plan = CartonEngine().solve(asked, budget=PackingBudget(steps=4_000))
        wanted = least_objective(asked)
        assert plan is not None or wanted is None, number
        if plan is None:
            continue
        assert check_plan(asked, plan) == [], number
        assert plan.objective == wanted, number
        answered[plan.state] += 1
    assert answered["optimal"] > 12
    assert answered["infeasible"] > 0


def test_plans_of_the_engine_pass_and_intrusion_into_a_cushion_is_named() -> None:
    random = Random(3)
    for _ in range(40):
        sizes = [(random.randint(20, 70), random.randint(20, 70), random.randint(20, 70)) for _ in range(6)]
        boxes = tuple(replace(piece, cushion=random.choice([0, 5, 10])) for piece in pieces(*sizes))
        kinds = (carton("S", (150, 120, 100)), carton("L", (200, 180, 150)))
        asked = PackingProblem(pieces=boxes, cartons=kinds, filling=AIR, wall_cushion=random.choice([0, 4]))
        plan = solve(asked, 400)
        lowest = min(plan.placements, key=lambda place: place.z)
        nearer = [replace(p, z=p.z - 1) if p is lowest else p for p in plan.placements]
        wide = {piece.id: piece.cushion for piece in boxes}[lowest.piece] + asked.wall_cushion
        named = rules(asked, replace(plan, placements=tuple(nearer)))
        assert PackingRule.CUSHION in named if wide else PackingRule.INSIDE in named
