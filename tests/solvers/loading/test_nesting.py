"""Nesting pieces such as crates: each one adds the height outside the one below."""

from collections.abc import Iterator
from itertools import product
from random import Random

from msgspec.structs import replace
from tests.solvers.loading.loading_makers import make_load, make_piece, make_plan, make_space

from haulier.solvers.loading.checker import check_loading_plan
from haulier.solvers.loading.engine import LoadingEngine
from haulier.solvers.loading.plan import LoadedPiece, LoadingPlan, LoadingRule
from haulier.solvers.loading.problem import LoadingProblem, LoadPiece
from haulier.solvers.packing.budget import PackingBudget
from haulier.solvers.packing.problem import Turn

STACK = make_plan(("c0", 0, 0, 0), ("c1", 0, 0, 1), ("c2", 0, 0, 2))
"""Three crates in each other."""


def rules(asked: LoadingProblem, plan: LoadingPlan) -> set[LoadingRule]:
    return {each.rule for each in check_loading_plan(asked, plan)}


def solve(asked: LoadingProblem, steps: int = 60) -> LoadingPlan:
    plan = LoadingEngine().solve(asked, budget=PackingBudget(steps=steps))
    assert check_loading_plan(asked, plan) == []
    return plan


def crates(count: int, **words: object) -> list[LoadPiece]:
    return [make_piece(f"c{number}", 2, 2, 3, **{"nesting_mm": 2, **words}) for number in range(count)]


def test_the_checker_allows_nesting_up_to_the_nesting_depth() -> None:
    high = make_space(z=9)
    two, three = make_load(*crates(2), space=high), make_load(*crates(3), space=high)
    cases = {
        "nested": (two, make_plan(("c0", 0, 0, 0), ("c1", 0, 0, 1)), set[LoadingRule]()),
        "too deep": (
            make_load(*crates(2, nesting_mm=1)),
            make_plan(("c0", 0, 0, 0), ("c1", 0, 0, 1)),
            {LoadingRule.OVERLAP},
        ),
        "held above": (two, make_plan(("c0", 0, 0, 0), ("c1", 0, 0, 2)), {LoadingRule.SUPPORT}),
        "on the rim": (two, make_plan(("c0", 0, 0, 0), ("c1", 0, 0, 3)), {LoadingRule.SUPPORT}),
        "shifted and nested": (two, make_plan(("c0", 0, 0, 0), ("c1", 1, 0, 1)), {LoadingRule.OVERLAP}),
        "put in from above first": (two, make_plan(("c1", 0, 0, 1), ("c0", 0, 0, 0)), {LoadingRule.STEPS}),
        "one of them does not nest": (
            make_load(*crates(1), make_piece("c1", 2, 2, 3), space=high),
            make_plan(("c0", 0, 0, 0), ("c1", 0, 0, 1)),
            {LoadingRule.OVERLAP},
        ),
        "another base": (
            make_load(*crates(1), make_piece("c1", 2, 1, 3, nesting_mm=2), space=high),
            make_plan(("c0", 0, 0, 0), ("c1", 0, 0, 1)),
            {LoadingRule.OVERLAP},
        ),
        "three": (three, STACK, set()),
        "too high": (
            make_load(*crates(3)),
            make_plan(("c0", 0, 0, 0), ("c1", 0, 0, 1), ("c2", 0, 0, 3)),
            {LoadingRule.INSIDE},
        ),
        "borne": (make_load(*crates(3, bears_g=20), space=high), STACK, set()),
        "not borne": (
            make_load(*crates(3, bears_g=19), space=high),
            STACK,
            {LoadingRule.BEARING},
        ),
        "layers": (
            make_load(*crates(3, layers_above=1), space=high),
            STACK,
            {LoadingRule.LAYERS},
        ),
    }
    faults = {
        name: rules(asked, plan)
        for name, (asked, plan, wanted) in cases.items()
        if not (wanted <= rules(asked, plan) if wanted else not rules(asked, plan))
    }
    assert faults == {}


def test_a_nested_piece_uses_only_the_volume_outside_the_other() -> None:
    """Three crates of 12 take 12 + 4 + 4 of a space of 24: 83 per cent, and not 150."""
    room = make_space(2, 2, 6)
    assert rules(make_load(*crates(3), space=replace(room, fill_cap_percent=84)), STACK) == set()
    assert rules(make_load(*crates(3), space=replace(room, fill_cap_percent=83)), STACK) == {LoadingRule.FILL}


def test_stacks_are_built_as_units_and_hold_more_than_single_pieces() -> None:
    """In a column of 6: with 2 of 3 nested four crates stand, without only two."""
    column = make_space(2, 2, 6)
    plan = solve(make_load(*crates(4), space=column))
    assert (plan.left_over, sorted(place.z for place in plan.placements)) == ((), [0, 1, 2, 3])
    assert len(solve(make_load(*crates(4, nesting_mm=0), space=column)).left_over) == 2
    assert len(solve(make_load(*crates(5), space=column)).left_over) == 1
    assert len(solve(make_load(*crates(4, bears_g=10), space=column)).left_over) == 2


def test_plans_with_crates_pass_and_a_moved_crate_is_named() -> None:
    random = Random(5)
    for seed in range(25):
        kinds = [
            make_piece(
                f"{number}",
                random.randint(2, 4) * 100,
                random.randint(2, 4) * 100,
                random.randint(2, 5) * 100,
                turns=random.choice([(Turn.LWH, Turn.WLH), tuple(Turn)]),
                nesting_mm=random.choice([0, 50, 150]),
                stop=random.randint(1, 2),
                bears_g=random.choice([None, 30]),
            )
            for number in range(3)
        ]
        pieces = [replace(kind, id=f"{kind.id}-{i}") for kind in kinds for i in range(random.randint(3, 12))]
        asked = make_load(*pieces, space=make_space(2000, 1200, 1500, fill_cap_percent=random.choice([100, 50])))
        plan = solve(asked)
        nested = [
            number
            for number, place in enumerate(plan.placements)
            if any(_stands_in(asked, place, other) for other in plan.placements if other is not place)
        ]
        for number in nested[:1]:
            place = plan.placements[number]
            for moved, rule in (
                (replace(place, z=place.z - 1), LoadingRule.OVERLAP),
                (replace(place, z=place.z + 1), None),
            ):
                places = (*plan.placements[:number], moved, *plan.placements[number + 1 :])
                found = rules(asked, replace(plan, placements=places, objective=None, bound=None))
                assert rule in found if rule else found, seed


def _stands_in(asked: LoadingProblem, upper: LoadedPiece, lower: LoadedPiece) -> bool:
    pieces = {piece.id: piece for piece in asked.pieces}
    one, other = pieces[upper.piece], pieces[lower.piece]
    return bool(one.nesting_mm) and (upper.x, upper.y, upper.z) == (
        lower.x,
        lower.y,
        lower.z + other.size[2] - one.nesting_mm,
    )


def columns_of(count: int, height: int, nesting: int, room: int) -> Iterator[tuple[int, ...]]:
    """Return all ways to arrange crates in two columns within the height."""
    for split in product(range(count + 1), repeat=2):
        if sum(split) <= count and all(not n or height + (n - 1) * (height - nesting) <= room for n in split):
            yield split


def test_small_columns_hold_as_many_crates_as_exhaustive_search() -> None:
    for height, nesting, room in product((2, 3, 4), (0, 1, 2), (4, 5, 7)):
        if nesting >= height:
            continue
        most = max(sum(split) for split in columns_of(8, height, nesting, room))
        pieces = [make_piece(f"c{number}", 2, 2, height, nesting_mm=nesting) for number in range(8)]
        plan = solve(make_load(*pieces, space=make_space(4, 2, room)))
        assert len(plan.placements) == most, (height, nesting, room)
