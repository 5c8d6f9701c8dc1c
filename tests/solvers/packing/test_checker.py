"""The independent checker names the broken rule."""

from itertools import product
from random import Random

from msgspec.structs import replace
from tests.solvers.packing.packing_makers import CUBE, at, carton, pieces, plan_of, problem

from haulier.solvers.packing.budget import PackingBudget
from haulier.solvers.packing.carton_engine import CartonEngine
from haulier.solvers.packing.checker import check_plan
from haulier.solvers.packing.plan import PackingPlan, PackingRule, ProofState
from haulier.solvers.packing.problem import UPRIGHT_TURNS, PackingProblem, Turn, turned_size


def rules(asked: PackingProblem, plan: PackingPlan) -> set[PackingRule]:
    return {broken.rule for broken in check_plan(asked, plan)}


def test_each_rule_is_named_by_a_plan_that_breaks_it_alone() -> None:
    two = problem(CUBE, CUBE)
    right = plan_of(at("p0", 0, 0, 0), at("p1", 100, 0, 0))
    flat = problem(pieces=pieces((100, 100, 50), turns=UPRIGHT_TURNS))
    tower = plan_of(at("p0", 0, 0, 0), at("p1", 0, 0, 100))
    heavy = plan_of(at("p0", 0, 0, 0), at("p1", 50, 0, 100))
    cases = {
        "right": (two, right, set[PackingRule]()),
        "unknown piece": (two, plan_of(*right.placements, at("ghost", 0, 100, 0)), {PackingRule.UNKNOWN}),
        "twice": (two, plan_of(*right.placements, at("p0", 0, 100, 0)), {PackingRule.TWICE}),
        "missing": (two, plan_of(at("p0", 0, 0, 0)), {PackingRule.MISSING}),
        "empty": (two, replace(right, cartons=("S", "S")), {PackingRule.EMPTY}),
        "outside": (two, plan_of(at("p0", 0, 0, 0), at("p1", 101, 0, 0)), {PackingRule.INSIDE}),
        "overlap": (two, plan_of(at("p0", 0, 0, 0), at("p1", 99, 0, 0)), {PackingRule.OVERLAP}),
        "lying": (flat, plan_of(at("p0", 0, 0, 0, turn=Turn.LHW)), {PackingRule.ORIENTATION}),
        "fill": (replace(two, fill_cap_percent=24), right, {PackingRule.FILL}),
        "payload": (replace(two, cartons=(carton(payload_g=199),)), right, {PackingRule.PAYLOAD}),
        "stock": (replace(two, cartons=(carton(stock=0),)), right, {PackingRule.STOCK}),
        "floating": (
            replace(two, support_percent=75),
            plan_of(at("p0", 0, 0, 0), at("p1", 0, 100, 100)),
            {PackingRule.SUPPORT},
        ),
        "half on": (replace(two, support_percent=50), heavy, set[PackingRule]()),
        "too little": (replace(two, support_percent=51), heavy, {PackingRule.SUPPORT}),
        "off balance": (
            replace(two, support_percent=10),
            plan_of(at("p0", 0, 0, 0), at("p1", 51, 0, 100)),
            {PackingRule.SUPPORT},
        ),
        "fragile": (problem(pieces=pieces(CUBE, CUBE, bears_g=0)), tower, {PackingRule.BEARING}),
        "bears it": (problem(pieces=pieces(CUBE, CUBE, bears_g=100)), tower, set[PackingRule]()),
        "together": (
            problem(pieces=pieces(CUBE, CUBE, together="set")),
            plan_of(at("p0", 0, 0, 0), at("p1", 0, 0, 0, carton=1), cartons=("S", "S")),
            {PackingRule.TOGETHER},
        ),
        "apart": (problem(pieces=pieces(CUBE, CUBE, goods="gas"), apart=(("gas", "gas"),)), right, {PackingRule.APART}),
        "wrong sum": (two, replace(right, objective=(8_000_000, 1, 99)), {PackingRule.OBJECTIVE}),
        "bound above": (two, replace(right, bound=(8_000_001, 1, 100)), {PackingRule.OBJECTIVE}),
    }
    faults = {name: rules(asked, plan) for name, (asked, plan, wanted) in cases.items() if rules(asked, plan) != wanted}
    assert faults == {}


def test_weight_passes_down_in_proportion_to_contact_areas() -> None:
    """Two boxes bear one and two thirds: 100 g become 33 1/3 and 66 2/3, not integers."""
    asked = problem((100, 100, 100), (100, 100, 100), (150, 100, 100))
    plan = plan_of(at("p0", 0, 0, 0), at("p1", 100, 0, 0), at("p2", 50, 0, 100))
    for bears, wanted in (((33, None), {PackingRule.BEARING}), ((34, 66), {PackingRule.BEARING}), ((34, 67), set())):
        first, second, third = asked.pieces
        limited = (replace(first, bears_g=bears[0]), replace(second, bears_g=bears[1]), third)
        assert rules(replace(asked, pieces=limited), plan) == wanted
    lopsided = plan_of(at("p0", 0, 0, 0), at("p1", 100, 0, 0), at("p2", 50, 0, 100))
    assert rules(asked, lopsided) == set()


def random_problem(random: Random) -> PackingProblem:
    sizes = [(random.randint(2, 7), random.randint(2, 7), random.randint(2, 7)) for _ in range(random.randint(2, 7))]
    boxes = tuple(
        replace(
            piece,
            turns=random.choice([tuple(Turn), UPRIGHT_TURNS]),
            bears_g=random.choice([None, None, 0, 150]),
            goods=random.choice([None, "food", "gas"]),
        )
        for piece in pieces(*sizes)
    )
    kinds = (carton("S", (8, 8, 8), outer=(9, 9, 9)), carton("L", (14, 10, 9), outer=(15, 11, 10), cost_cents=150))
    return PackingProblem(
        pieces=boxes,
        cartons=kinds,
        fill_cap_percent=random.choice([80, 100]),
        support_percent=random.choice([0, 75, 100]),
        apart=(("food", "gas"),),
    )


def voxels_of(asked: PackingProblem, plan: PackingPlan) -> dict[tuple[int, int, int, int], list[str]]:
    """Return the pieces in each cubic millimetre, as a second implementation."""
    sizes = {piece.id: piece.size for piece in asked.pieces}
    filled: dict[tuple[int, int, int, int], list[str]] = {}
    for place in plan.placements:
        extents = turned_size(sizes[place.piece], place.turn)
        corner = (place.x, place.y, place.z)
        for x, y, z in product(*(range(a, a + b) for a, b in zip(corner, extents, strict=True))):
            filled.setdefault((place.carton, x, y, z), []).append(place.piece)
    return filled


def test_plans_of_the_engine_pass_and_changes_to_them_are_detected() -> None:
    """Checker and voxels agree on shifted, swapped, turned or missing pieces."""
    random = Random(22)
    for _ in range(60):
        asked = random_problem(random)
        plan = CartonEngine().solve(asked, budget=PackingBudget(steps=400), seed=1)
        assert plan is not None
        assert plan.state != ProofState.INFEASIBLE
        assert check_plan(asked, plan) == []
        number = random.randrange(len(plan.placements))
        place = plan.placements[number]
        less = replace(plan, placements=plan.placements[:number] + plan.placements[number + 1 :])
        assert PackingRule.MISSING in rules(asked, less)
        changes = (
            replace(place, x=place.x + random.choice([-3, -1, 1, 3])),
            replace(place, z=place.z + random.choice([-2, 2])),
            replace(place, turn=random.choice(list(Turn))),
            replace(place, carton=random.randrange(len(plan.cartons))),
        )
        for changed in changes:
            other = replace(plan, placements=(*less.placements, changed))
            cells = voxels_of(asked, other)
            inner = {kind.id: kind.inner for kind in asked.cartons}
            inside = all(
                all(0 <= a < most for a, most in zip(cell[1:], inner[plan.cartons[cell[0]]], strict=True))
                for cell in cells
            )
            found = rules(asked, other)
            assert (PackingRule.INSIDE in found) is not inside
            assert (PackingRule.OVERLAP in found) is any(len(there) > 1 for there in cells.values())
            allowed = {piece.id: piece.turns for piece in asked.pieces}[changed.piece]
            assert (PackingRule.ORIENTATION in found) is (changed.turn not in allowed)
            if inside and PackingRule.OVERLAP not in found:
                assert (PackingRule.SUPPORT in found) is (not all_rest(asked, other, cells))


def all_rest(asked: PackingProblem, plan: PackingPlan, cells: dict[tuple[int, int, int, int], list[str]]) -> bool:
    """Return True if enough cubes of each base rest on others.

    From one half on, its centre is supported too.
    """
    sizes = {piece.id: piece.size for piece in asked.pieces}
    for place in plan.placements:
        x, y, _ = turned_size(sizes[place.piece], place.turn)
        under = [
            (place.carton, a, b, place.z - 1) for a in range(place.x, place.x + x) for b in range(place.y, place.y + y)
        ]
        if place.z > 0 and sum(cell in cells for cell in under) * 100 < asked.support_percent * x * y:
            return False
    return True
