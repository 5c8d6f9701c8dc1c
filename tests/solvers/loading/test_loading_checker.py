"""The loading checker names each broken rule at departure and after every stop."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from typing import Any

import pytest
from tests.solvers.loading.loading_makers import make_load, make_piece, make_plan, make_space

from haulier.solvers.loading.checker import check_loading_plan
from haulier.solvers.loading.journey_rules import WeighedBox, axle_weights
from haulier.solvers.loading.plan import LeftOver, LoadedPiece, LoadingPlan
from haulier.solvers.loading.problem import Axle, Axles, Balance, DoorSide, LoadingProblem
from haulier.solvers.packing.problem import Turn


def broken(problem: LoadingProblem, plan: LoadingPlan) -> set[tuple[str, tuple[str, ...]]]:
    return {(each.rule.value, each.pieces) for each in check_loading_plan(problem, plan)}


@dataclass(frozen=True)
class Case:
    """Two pieces, `a` and `b`, and what is wrong with where they lie."""

    rule: str | None
    pieces: tuple[str, ...]
    a: dict[str, Any]
    b: dict[str, Any]
    at: tuple[tuple[str, int, int, int], ...]
    space: dict[str, Any]


BESIDE = (("a", 0, 0, 0), ("b", 2, 0, 0))
STACKED = (("a", 0, 0, 0), ("b", 0, 0, 2))
CASES = [
    Case(None, (), {}, {}, BESIDE, {}),
    Case(None, (), {}, {}, STACKED, {}),
    Case("inside", ("b",), {}, {}, (("a", 0, 0, 0), ("b", 9, 0, 0)), {}),
    Case("inside", ("a",), {}, {}, (("a", 0, -1, 0), ("b", 2, 0, 0)), {}),
    Case("overlap", ("a", "b"), {}, {}, (("a", 0, 0, 0), ("b", 1, 1, 0)), {}),
    Case("obstacle", ("b",), {}, {}, BESIDE, {"obstacles": ((3, 1, 0, 4, 2, 1),)}),
    Case("fill", ("a", "b"), {}, {}, BESIDE, {"fill_cap_percent": 9}),
    Case("payload", ("a", "b"), {"weight_g": 991}, {}, BESIDE, {}),
    Case("support", ("b",), {}, {}, (("a", 0, 0, 0), ("b", 1, 1, 2)), {}),
    Case("support", ("b",), {}, {}, (("a", 0, 0, 0), ("b", 0, 0, 3)), {}),
    Case("bearing", ("a",), {"bears_g": 9}, {}, STACKED, {}),
    Case(None, (), {"bears_g": 10}, {}, STACKED, {}),
    Case("layers", ("a",), {"layers_above": 0}, {}, STACKED, {}),
    Case("stack_group", ("b", "a"), {}, {"stack_group": 1}, STACKED, {}),
    Case(None, (), {"stack_group": 1}, {}, STACKED, {}),
    Case("floor_only", ("b",), {}, {"floor_only": True}, STACKED, {}),
    Case("top_only", ("a", "b"), {"top_only": True}, {}, STACKED, {}),
    Case("apart", ("a", "b"), {"goods": "food"}, {"goods": "acid"}, BESIDE, {}),
    Case("unloading", ("a", "b"), {"stop": 1}, {"stop": 2}, BESIDE, {}),
    Case(None, (), {"stop": 2}, {"stop": 1}, BESIDE, {}),
    Case(None, (), {"stop": 1}, {"stop": 2}, BESIDE, {"doors": (DoorSide.LEFT,)}),
    Case(None, (), {"stop": 1}, {"stop": 2}, BESIDE, {"doors": (DoorSide.REAR, DoorSide.RIGHT)}),
    Case("unloading", ("a", "b"), {"stop": 1}, {"stop": 2}, STACKED, {}),
    Case("support", ("b",), {"stop": 1}, {"stop": 2}, STACKED, {"doors": ()}),
    Case("steps", ("a",), {}, {}, (("b", 2, 0, 0), ("a", 0, 0, 0)), {}),
    Case(None, (), {}, {}, (("b", 2, 0, 0), ("a", 0, 0, 0)), {"doors": ()}),
    Case("steps", ("b",), {}, {}, (("b", 0, 0, 2), ("a", 0, 0, 0)), {}),
    Case("balance", (), {}, {}, BESIDE, {"balance": Balance(x_from=3, x_to=10, y_from=0, y_to=4)}),
    Case(None, (), {}, {}, BESIDE, {"balance": Balance(x_from=2, x_to=2, y_from=1, y_to=1)}),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case.rule))
def test_each_rule_is_named_with_its_pieces(case: Case) -> None:
    problem = make_load(
        make_piece("a", 2, 2, 2, **case.a),
        make_piece("b", 2, 2, 2, **case.b),
        space=make_space(**case.space),
        apart=(("acid", "food"),),
    )
    found = broken(problem, make_plan(*case.at))
    assert (case.rule, case.pieces) in found if case.rule else not found


def test_pieces_and_spaces_are_counted() -> None:
    problem = make_load(make_piece("a", 1, 1, 1, together="x"), make_piece("b", 1, 1, 1, together="x"))
    place = LoadedPiece(piece="a", space=0, x=0, y=0, z=0)
    plan = LoadingPlan(spaces=("van",), placements=(place,))
    assert broken(problem, plan) == {("missing", ("b",))}
    left = LoadingPlan(spaces=("van",), placements=(place,), left_over=(LeftOver("b"),))
    assert broken(problem, left) == {("together", ("a", "b"))}
    twice = LoadingPlan(spaces=("van", "van"), placements=(place, place), left_over=(LeftOver("b"), LeftOver("c")))
    assert {rule for rule, _ in broken(problem, twice)} >= {"twice", "unknown", "empty", "stock"}
    turned = LoadedPiece(piece="a", space=0, x=0, y=0, z=0, turn=Turn.HLW)
    assert ("orientation", ("a",)) in broken(problem, LoadingPlan(spaces=("van",), placements=(turned,)))


def test_axle_weights_are_checked_after_every_stop() -> None:
    """A van is valid at departure, and too light in front after the front is unloaded."""
    front = Axle(position_mm=0, limit_g=30, tare_g=5, least_g=6)
    axles = Axles(front=front, rear=Axle(position_mm=8, limit_g=40, tare_g=5))
    problem = make_load(
        make_piece("first off", 2, 2, 2, stop=1),
        make_piece("last off", 2, 2, 2, stop=2),
        space=make_space(axles=axles, doors=(DoorSide.LEFT,)),
    )
    (found,) = check_loading_plan(problem, make_plan(("last off", 8, 0, 0), ("first off", 0, 0, 0)))
    assert (found.rule.value, found.after_stop, found.axle) == ("axles", 1, "front")
    assert check_loading_plan(problem, make_plan(("last off", 5, 0, 0), ("first off", 0, 0, 0))) == []


def test_the_load_on_a_king_pin_is_shared_by_the_axles_of_the_tractor() -> None:
    tractor = (Axle(position_mm=-3000, limit_g=9000, tare_g=5000), Axle(position_mm=1800, limit_g=9000, tare_g=2000))
    axles = Axles(
        front=Axle(position_mm=1000, limit_g=10_000, tare_g=2000),
        rear=Axle(position_mm=9000, limit_g=20_000, tare_g=3000),
        tractor=tractor,
    )
    weights = axle_weights(axles, [WeighedBox(8000, (2000, 4000), (0, 2000))])
    # Three quarters of the load are on the king pin, and five sixths of what is there on the driven axle.
    assert [each.weight_g for each in weights] == [8000, 5000, 5000 + Fraction(8000, 6), 2000 + Fraction(5 * 8000, 6)]


def test_unloading_paths_match_a_grid_of_cubes() -> None:
    """Second implementation: cubes move to the door without meeting a later stop."""
    cubes = [("a", 1, (0, 0, 0)), ("b", 2, (2, 0, 0)), ("c", 3, (2, 1, 0)), ("d", 2, (0, 1, 0))]
    for stops in permutations((1, 2, 3, 4)):
        pieces = [make_piece(name, 1, 1, 1, stop=stop) for (name, _, _), stop in zip(cubes, stops, strict=True)]
        problem = make_load(*pieces, space=make_space(3, 2, 2))
        where = {name: place for name, _, place in cubes}
        stop_of = {piece.id: piece.stop for piece in pieces}
        stuck = {
            name
            for name, (x, y, z) in where.items()
            for other, place in where.items()
            if stop_of[other] > stop_of[name] and place in {(further, y, z) for further in range(x + 1, 3)}
        }
        order = sorted(where, key=lambda name: where[name])
        found = check_loading_plan(problem, make_plan(*((name, *where[name]) for name in order)))
        assert {each.pieces[0] for each in found if each.rule == "unloading"} == stuck
