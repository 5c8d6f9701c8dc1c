"""Pieces are within reach of their loading method when loaded and unloaded."""

from itertools import product
from random import Random
from typing import Any

from msgspec.structs import replace
from tests.solvers.loading.loading_makers import make_load, make_piece, make_plan, make_space

from haulier.solvers.loading.checker import check_loading_plan
from haulier.solvers.loading.engine import LoadingEngine
from haulier.solvers.loading.plan import LeftOverReason, LoadingPlan, LoadingRule
from haulier.solvers.loading.problem import DoorSide, LoadingMethod, LoadingProblem, LoadSpace, Reach
from haulier.solvers.packing.budget import PackingBudget
from haulier.solvers.packing.problem import UPRIGHT_TURNS, Turn

REAR, LEFT, RIGHT, TOP = DoorSide.REAR, DoorSide.LEFT, DoorSide.RIGHT, DoorSide.TOP


def rules(asked: LoadingProblem, plan: LoadingPlan) -> set[LoadingRule]:
    return {each.rule for each in check_loading_plan(asked, plan)}


def solve(asked: LoadingProblem, steps: int = 60) -> LoadingPlan:
    plan = LoadingEngine().solve(asked, budget=PackingBudget(steps=steps))
    assert check_loading_plan(asked, plan) == []
    return plan


def reached(method: LoadingMethod = LoadingMethod.HAND, **words: Any) -> tuple[Reach, ...]:
    return (Reach(method=method, **words),)


def test_an_unreachable_piece_is_named() -> None:
    """Cubes of 2 in a space of 10 by 4 by 4; `a` goes in first."""
    low = (("a", 0, 0, 0), ("b", 2, 0, 0))
    behind = (("b", 4, 0, 0), ("a", 0, 0, 2))
    cases: dict[str, tuple[tuple[tuple[str, int, int, int], ...], dict[str, Any], set[LoadingRule]]] = {
        "one walks in": (low, {"reach": reached(depth_mm=0)}, set()),
        "from the door": (low, {"reach": reached(enters=False, depth_mm=8)}, set()),
        "from the door, too deep": (low, {"reach": reached(enters=False, depth_mm=7)}, {LoadingRule.REACH}),
        "on top": ((("a", 0, 0, 0), ("b", 0, 0, 2)), {"reach": reached(height_mm=2)}, set()),
        "too high": ((("a", 0, 0, 0), ("b", 0, 0, 2)), {"reach": reached(height_mm=1)}, {LoadingRule.REACH}),
        "lifted through the top": (
            (("a", 0, 0, 0), ("b", 0, 0, 2)),
            {"reach": reached(height_mm=1), "doors": (TOP,)},
            set(),
        ),
        "another method": (low, {"reach": reached(LoadingMethod.FORKLIFT, enters=False, depth_mm=0)}, set()),
        "over what stands before it": (behind, {"reach": reached(depth_mm=4)}, set()),
        "farther than over what stands before it": (behind, {"reach": reached(depth_mm=3)}, {LoadingRule.REACH}),
        "from the left only": (
            (("a", 0, 0, 0), ("b", 2, 0, 0)),
            {"reach": reached(doors=(LEFT,))},
            {LoadingRule.REACH},
        ),
        "from the left, too": (low, {"reach": reached(doors=(LEFT,)), "doors": (REAR, LEFT)}, set()),
    }
    faults = {}
    for name, (places, words, wanted) in cases.items():
        asked = make_load(
            make_piece("a", 2, 2, 2), make_piece("b", 2, 2, 2), space=make_space(**words), support_percent=0
        )
        if rules(asked, make_plan(*places)) != wanted:
            faults[name] = rules(asked, make_plan(*places))
    assert faults == {}


def test_a_piece_is_reached_at_its_stop_past_remaining_pieces() -> None:
    """`a` is loaded into an empty space; at its stop, the later `b` blocks it."""
    pieces = (make_piece("base", 2, 2, 2, stop=2), make_piece("a", 2, 2, 2, stop=1), make_piece("b", 4, 2, 2, stop=2))
    plan = make_plan(("base", 0, 0, 0), ("a", 0, 0, 2), ("b", 2, 0, 0))
    for depth, wanted in ((4, set()), (3, {LoadingRule.REACH})):
        asked = make_load(*pieces, space=make_space(reach=reached(depth_mm=depth)))
        assert rules(asked, plan) == wanted
    first_off = (pieces[0], pieces[1], replace(pieces[2], stop=1))
    assert rules(make_load(*first_off, space=make_space(reach=reached(depth_mm=3))), plan) == set()


def test_unreachable_pieces_are_left_over_with_this_reason() -> None:
    pieces = [make_piece(f"p{number}", 2, 4, 4) for number in range(5)]
    space = make_space(reach=reached(enters=False, depth_mm=4))
    plan = solve(make_load(*pieces, space=space))
    assert sorted(place.x for place in plan.placements) == [4, 6, 8]
    assert {each.reason for each in plan.left_over} == {LeftOverReason.REACH}
    fork = [replace(piece, method=LoadingMethod.FORKLIFT) for piece in pieces]
    assert solve(make_load(*fork, space=space)).left_over == ()
    none = make_space(reach=reached(doors=(LEFT,)))
    assert {each.reason for each in solve(make_load(*pieces, space=none)).left_over} == {LeftOverReason.REACH}


def test_stacks_are_within_the_lifting_height() -> None:
    pieces = [make_piece(f"p{number}", 2, 2, 1) for number in range(40)]
    plan = solve(make_load(*pieces, space=make_space(reach=reached(height_mm=2))))
    assert (len(plan.placements), max(place.z for place in plan.placements)) == (30, 2)


def any_reach(random: Random) -> tuple[Reach, ...]:
    return tuple(
        Reach(
            method=method,
            doors=random.choice([None, (REAR,), (LEFT, RIGHT)]),
            enters=random.random() < 0.6,
            depth_mm=random.choice([None, 200, 600, 1500]),
            height_mm=random.choice([None, 400, 1000]),
        )
        for method in LoadingMethod
        if random.random() < 0.8
    )


def test_plans_within_reach_pass_and_a_shorter_reach_is_named() -> None:
    random = Random(9)
    named = 0
    for _ in range(40):
        space = LoadSpace(
            id="van",
            inner=(3000, 1700, 1800),
            payload_g=10**6,
            doors=random.choice([(REAR,), (REAR, LEFT), (LEFT, RIGHT), (TOP,)]),
            reach=any_reach(random),
        )
        pieces = [
            make_piece(
                f"p{number}",
                *(random.randint(2, 9) * 100 for _ in range(3)),
                turns=random.choice([UPRIGHT_TURNS, tuple(Turn)]),
                stop=random.randint(1, 3),
                method=random.choice(list(LoadingMethod)),
            )
            for number in range(random.randint(2, 14))
        ]
        asked = make_load(*pieces, space=space)
        plan = replace(solve(asked), objective=None, bound=None)
        highest = max((place.z for place in plan.placements), default=0)
        if highest and TOP not in space.doors:
            lower = tuple(Reach(method=each, height_mm=highest - 1) for each in LoadingMethod)
            assert LoadingRule.REACH in rules(replace(asked, spaces=(replace(space, reach=lower),)), plan)
            named += 1
    assert named > 10


def test_rows_within_reach_are_as_many_as_by_trying_every_place() -> None:
    """One row of equal pieces, reached from the rear door: every place in it is tried."""
    for length, size, depth in product((7, 10), (2, 3), (0, 1, 4, 20)):
        reachable = [x for x in range(length - size + 1) if length - x - size <= depth]
        most = 0
        at = length
        for x in reversed(reachable):
            if x + size <= at:
                most, at = most + 1, x
        pieces = [make_piece(f"p{number}", size, 2, 2) for number in range(6)]
        space = make_space(length, 2, 2, reach=reached(enters=False, depth_mm=depth))
        assert len(solve(make_load(*pieces, space=space)).placements) == most, (length, size, depth)
