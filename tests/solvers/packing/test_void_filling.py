"""Filling of empty room: cushions, payload and cost."""

from itertools import combinations_with_replacement, product
from random import Random

from msgspec.structs import replace
from tests.solvers.packing.packing_makers import CUBE, at, carton, pieces, plan_of, problem

from haulier.solvers.packing.budget import PackingBudget
from haulier.solvers.packing.carton_engine import CartonEngine
from haulier.solvers.packing.checker import check_plan
from haulier.solvers.packing.plan import Objective, PackingPlan, PackingRule, PiecePlace, ProofState
from haulier.solvers.packing.problem import PackingPiece, PackingProblem, VoidFill, turned_size

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


def test_filling_decides_between_cartons_of_one_outer_volume() -> None:
    """The thicker walls leave less to fill, and so cost less."""
    kinds = (carton("thin", outer=(210, 210, 210)), carton("thick", (190, 190, 190), outer=(210, 210, 210)))
    asked = problem(CUBE, cartons=kinds)
    assert solve(replace(asked, cartons=(replace(kinds[0], cost_cents=99), kinds[1]))).cartons == ("thin",)
    filled = solve(replace(asked, cartons=(replace(kinds[0], cost_cents=99), kinds[1]), filling=AIR))
    assert (filled.cartons, filled.state) == (("thick",), ProofState.OPTIMAL)
    assert filled.objective == (9_261_000, 1, 100 + 42)


def test_what_fits_without_a_cushion_only_is_named_with_the_cushion() -> None:
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


def small_problem(random: Random) -> PackingProblem:
    boxes = tuple(
        PackingPiece(
            id=f"p{number}",
            size=(random.randint(1, 3), random.randint(1, 2), random.randint(1, 2)),
            weight_g=random.choice([0, 2, 30]),
            cushion=random.choice([0, 0, 1]),
        )
        for number in range(random.randint(1, 3))
    )
    kinds = (
        carton("A", (4, 3, 3), outer=(4, 4, 4), payload_g=random.choice([25, 40, 90]), cost_cents=10),
        carton("B", (4, 4, 4), outer=(4, 4, 4), payload_g=random.choice([30, 60, 90]), cost_cents=9),
        carton("C", (5, 4, 4), outer=(6, 4, 4), payload_g=90, cost_cents=20),
    )
    filling = VoidFill(id="F", unit_mm3=random.choice([4, 7]), unit_g=random.choice([0, 3, 9]), unit_cents=3)
    return PackingProblem(
        pieces=boxes,
        cartons=kinds,
        fill_cap_percent=random.choice([70, 100]),
        filling=random.choice([None, filling, filling]),
        wall_cushion=random.choice([0, 0, 1]),
    )


Block = tuple[tuple[int, int, int], tuple[int, int, int]]


def places_of(piece: PackingPiece, inner: tuple[int, int, int], wall: int) -> dict[PiecePlace, Block]:
    """Where a piece may lie with its cushion, and the corners of the cushion; turns that come to the same once."""
    found: dict[PiecePlace, Block] = {}
    away, around = wall + piece.cushion, piece.cushion
    for extents, turn in {turned_size(piece.size, turn): turn for turn in piece.turns}.items():
        ranges = (range(away, room - away - edge + 1) for room, edge in zip(inner, extents, strict=True))
        for x, y, z in product(*ranges):
            low = (x - around, y - around, z - around)
            high = (x + extents[0] + around, y + extents[1] + around, z + extents[2] + around)
            found[PiecePlace(piece=piece.id, carton=0, x=x, y=y, z=z, turn=turn)] = (low, high)
    return found


def takes(asked: PackingProblem, kind: str, held: tuple[PackingPiece, ...]) -> bool:
    """Whether a carton takes pieces, by trying all places of each; the checker is the judge in the end."""
    part = replace(asked, pieces=held)
    inner = next(each.inner for each in asked.cartons if each.id == kind)
    places = [places_of(piece, inner, asked.wall_cushion) for piece in held]
    anyhow = plan_of(*(at(piece.id, 0, 0, 0) for piece in held), cartons=(kind,))
    if {PackingRule.PAYLOAD, PackingRule.FILL} & rules(part, anyhow):
        return False

    def go_on(placed: tuple[PiecePlace, ...], blocks: tuple[Block, ...]) -> bool:
        if len(placed) == len(held):
            return check_plan(part, plan_of(*placed, cartons=(kind,))) == []
        return any(
            go_on((*placed, place), (*blocks, block))
            for place, block in places[len(placed)].items()
            if not any(all(a[0][i] < block[1][i] and block[0][i] < a[1][i] for i in range(3)) for a in blocks)
        )

    return go_on((), ())


def least_objective(asked: PackingProblem) -> Objective | None:
    """The least objective of all choices of up to as many cartons as pieces, and all ways to divide the pieces."""
    known: dict[tuple[str, tuple[PackingPiece, ...]], bool] = {}
    best: Objective | None = None
    for count in range(1, len(asked.pieces) + 1):
        for chosen in combinations_with_replacement(asked.cartons, count):
            void = sum(a * b * c for a, b, c in (kind.inner for kind in chosen))
            void -= sum(a * b * c for a, b, c in (piece.size for piece in asked.pieces))
            fill = -(-max(0, void) * asked.filling.unit_cents // asked.filling.unit_mm3) if asked.filling else 0
            sums = (sum(k.outer_volume for k in chosen), count, sum(k.cost_cents for k in chosen) + fill)
            if best and sums >= best:
                continue
            for division in product(range(count), repeat=len(asked.pieces)):
                shares = [tuple(p for p, n in zip(asked.pieces, division, strict=True) if n == i) for i in range(count)]
                if not all(shares):
                    continue
                keys = [(kind.id, held) for kind, held in zip(chosen, shares, strict=True)]
                for key in keys:
                    if key not in known:
                        known[key] = takes(asked, *key)
                if all(known[key] for key in keys):
                    best = sums
                    break
    return best


def test_small_questions_with_cushions_and_filling_are_answered_as_by_trying_everything() -> None:
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


def test_plans_of_the_engine_pass_and_a_step_into_a_cushion_is_named() -> None:
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
