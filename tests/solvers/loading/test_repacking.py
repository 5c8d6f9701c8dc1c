"""Repacking: planned, counted, and checked in every state of the journey."""

from collections.abc import Iterator
from random import Random

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.solvers.loading.loading_makers import any_problem, make_load, make_piece, make_plan, make_space
from tests.solvers.loading.repack_trials import RepackTrials

from haulier.solvers.loading.checker import check_loading_plan
from haulier.solvers.loading.engine import LoadingEngine
from haulier.solvers.loading.plan import LoadingPlan, LoadingRule, RepackedPiece
from haulier.solvers.loading.problem import Axle, Axles, DoorSide, LoadingProblem
from haulier.solvers.packing.budget import PackingBudget

TUNNEL = make_space(4, 1, 1)
ROOMS = ((3, 2, 1), (4, 1, 1), (2, 1, 3), (2, 2, 2), (3, 1, 2))


def solve(asked: LoadingProblem, steps: int = 2000, seed: int = 0) -> LoadingPlan:
    plan = LoadingEngine().solve(asked, budget=PackingBudget(steps=steps), seed=seed)
    assert check_loading_plan(asked, plan) == []
    return plan


def broken(asked: LoadingProblem, plan: LoadingPlan) -> set[tuple[str, tuple[str, ...], int | None]]:
    return {(each.rule.value, each.pieces, each.after_stop) for each in check_loading_plan(asked, plan)}


def repacked(plan: LoadingPlan, *moved: tuple[int, str, int, int, int]) -> LoadingPlan:
    return replace(plan, repacks=tuple(RepackedPiece(stop=s, piece=p, x=x, y=y, z=z) for s, p, x, y, z in moved))


def in_the_way(most: int = 1, **space: object) -> tuple[LoadingProblem, LoadingPlan]:
    """Return a problem with the first stop in front and the last stop at the door."""
    pieces = [make_piece("first", 2, 1, 1, stop=1), make_piece("last", 1, 1, 1, stop=2)]
    asked = make_load(*pieces, space=replace(TUNNEL, **space), repacks_per_stop=most)
    return asked, make_plan(("first", 0, 0, 0), ("last", 3, 0, 0))


def test_a_blocking_piece_is_unloaded_and_reloaded_in_place_or_elsewhere() -> None:
    asked, plan = in_the_way()
    assert broken(asked, plan) == {("unloading", ("first", "last"), None)}, "nothing is moved unless the plan says so"
    for x in (3, 0, 1):
        assert broken(asked, repacked(plan, (1, "last", x, 0, 0))) == set()


def test_repacks_are_counted_and_must_be_aboard() -> None:
    asked, plan = in_the_way()
    forbidden = replace(asked, repacks_per_stop=0)
    assert broken(forbidden, repacked(plan, (1, "last", 3, 0, 0))) == {("repack", ("last",), 1)}
    cases = {
        "it has left": (1, "first", 0, 0, 0),
        "nothing is unloaded there": (7, "last", 0, 0, 0),
        "that is its own stop": (2, "last", 0, 0, 0),
    }
    for said, (stop, piece, *place) in cases.items():
        moved = repacked(plan, (stop, piece, place[0], place[1], place[2]))
        assert ("repack", (piece,), stop) in broken(asked, moved), said
    twice = repacked(plan, (1, "last", 3, 0, 0), (1, "last", 0, 0, 0))
    assert ("repack", ("last", "last"), 1) in broken(asked, twice)
    assert ("repack", ("last",), 1) in broken(replace(asked, repacks_per_stop=2), twice)
    assert ("unknown", ("ghost",), None) in broken(asked, repacked(plan, (1, "ghost", 0, 0, 0)))


def test_a_plan_with_understated_repacks_is_rejected() -> None:
    asked, plan = in_the_way()
    honest = replace(repacked(plan, (1, "last", 3, 0, 0)), objective=(0, 0, 0, 1, 4, 0), bound=(0, 0, 0))
    honest = replace(honest, state="optimal")
    assert broken(asked, honest) == set()
    assert broken(asked, replace(honest, objective=(0, 0, 0, 0, 4, 0))) == {("objective", (), None)}
    assert broken(asked, replace(honest, objective=(0, 0, 0, 4, 0))) == {("objective", (), None)}


def test_every_rule_is_checked_again_where_a_piece_is_put_back() -> None:
    pieces = [
        make_piece("first", 2, 2, 2, stop=1),
        make_piece("base", 2, 2, 2, stop=3, bears_g=9),
        make_piece("last", 2, 2, 2, stop=2),
        make_piece("other", 2, 2, 2, stop=3),
    ]
    asked = make_load(*pieces, space=make_space(10, 2, 4), repacks_per_stop=2)
    plan = make_plan(("base", 0, 0, 0), ("first", 2, 0, 0), ("last", 4, 0, 0), ("other", 8, 0, 0))
    cases = {
        "support": ((1, "last", 4, 0, 1), (1, "other", 8, 0, 0)),
        "bearing": ((1, "last", 0, 0, 2), (1, "other", 8, 0, 0)),
        "overlap": ((1, "last", 1, 0, 0), (1, "other", 8, 0, 0)),
        "inside": ((1, "last", 9, 0, 0), (1, "other", 6, 0, 0)),
        "steps": ((1, "other", 6, 0, 0), (1, "last", 2, 0, 0)),
        "unloading": ((1, "last", 4, 0, 0),),
    }
    for rule, moved in cases.items():
        found = {each for each, _, _ in broken(asked, repacked(plan, *moved))}
        assert rule in found, (rule, found)
    right = repacked(plan, (1, "other", 4, 0, 0), (1, "last", 6, 0, 0))
    assert broken(asked, right) == set()


def test_axle_weights_include_repacked_pieces_at_new_positions() -> None:
    front = Axle(position_mm=0, limit_g=30, tare_g=5, least_g=8)
    axles = Axles(front=front, rear=Axle(position_mm=4, limit_g=40, tare_g=5))
    asked, plan = in_the_way(axles=axles)
    assert broken(asked, repacked(plan, (1, "last", 3, 0, 0))) == {("axles", (), 1)}
    assert broken(asked, repacked(plan, (1, "last", 0, 0, 0))) == set()


def test_a_piece_moved_twice_is_checked_at_its_last_position() -> None:
    pieces = [make_piece(name, 1, 1, 1, stop=stop) for name, stop in (("a", 1), ("b", 2), ("c", 3))]
    asked = make_load(*pieces, space=TUNNEL, repacks_per_stop=2)
    plan = make_plan(("a", 0, 0, 0), ("b", 1, 0, 0), ("c", 2, 0, 0))
    again = ((1, "b", 0, 0, 0), (1, "c", 1, 0, 0), (2, "c", 3, 0, 0))
    assert broken(asked, repacked(plan, *again)) == set()
    assert broken(asked, repacked(plan, *again[:2])) == {("unloading", ("b", "c"), 1)}
    turned = ((1, "c", 0, 0, 0), (1, "b", 1, 0, 0))
    assert broken(asked, repacked(plan, *turned)) == set()


def test_the_engine_repacks_only_to_load_more_and_within_the_limit() -> None:
    """In a tunnel of two layers, the long piece of the first stop must stay on top."""
    pieces = [
        make_piece("long", 4, 1, 1, stop=1),
        *(make_piece(f"{n}", 1, 1, 1, stop=2, floor_only=n < 1) for n in range(3)),
    ]
    room = make_space(5, 1, 2)
    kept = solve(make_load(*pieces, space=room))
    assert (kept.repacks, len(kept.objective or ())) == ((), 5)
    heavy = [make_piece("low", 2, 1, 1, stop=1, floor_only=True), make_piece("high", 2, 1, 1, stop=2)]
    shaft = make_space(2, 1, 2, doors=(DoorSide.TOP,))
    assert len(solve(make_load(*heavy, space=shaft)).left_over) == 1
    plan = solve(make_load(*heavy, space=shaft, repacks_per_stop=1))
    assert (plan.objective, plan.state) == ((0, 0, 0, 1, 2, 0), "optimal")
    assert plan.repacks == (RepackedPiece(stop=1, piece="high", x=0, y=0, z=0),)
    lid = replace(heavy[1], id="lid")
    higher = replace(shaft, inner=(2, 1, 3))
    assert len(solve(make_load(*heavy, lid, space=higher, repacks_per_stop=1)).left_over) == 1
    assert len(solve(make_load(*heavy, lid, space=higher, repacks_per_stop=2)).repacks) == 2


def tiny_problems() -> Iterator[LoadingProblem]:
    """Small spaces; most of them hold more if something is repacked."""
    kept = 0
    for seed in range(250):
        random = Random(seed)
        room = random.choice(ROOMS)
        pieces = [
            make_piece(
                f"{number}", random.randint(1, 2), random.randint(1, min(2, room[1])), 1, stop=random.randint(1, 3)
            )
            for number in range(random.randint(2, 5))
        ]
        most = random.randint(1, 2)
        asked = make_load(*pieces, space=make_space(*room), support_percent=100, repacks_per_stop=most)
        helps = RepackTrials(asked).best() != RepackTrials(replace(asked, repacks_per_stop=0)).best()
        if helps or kept < 5:
            kept += not helps
            yield asked


def test_tiny_spaces_are_loaded_as_well_as_by_exhaustive_search() -> None:
    worse, helped = [], 0
    for number, asked in enumerate(tiny_problems()):
        plan = solve(asked, steps=16_000)
        assert plan.objective
        best, found = RepackTrials(asked).best(), (plan.objective[0], plan.objective[3])
        assert found >= best, number
        helped += best[1] > 0
        if found > best:
            worse.append((number, best, found))
    assert helped > 5
    assert worse == []


@given(st.integers(0, 10_000), st.integers(1, 4))
def test_plans_with_repacks_are_valid_and_hidden_repacks_are_rejected(seed: int, most: int) -> None:
    asked = replace(any_problem(seed), repacks_per_stop=most)
    plan = solve(asked, steps=400, seed=seed)
    for at in range(len(plan.repacks)):
        less = replace(plan, repacks=(*plan.repacks[:at], *plan.repacks[at + 1 :]))
        assert LoadingRule.OBJECTIVE in {each.rule for each in check_loading_plan(asked, less)}
        assert check_loading_plan(asked, replace(less, objective=None, bound=None)) != [], "no repack is for nothing"


def test_the_same_seed_and_steps_give_the_same_plan() -> None:
    low, *high = (make_piece(f"{at}", 2, 1, 1, stop=1 + (at > 0), floor_only=not at) for at in range(4))
    asked = make_load(low, *high, space=make_space(2, 1, 4, doors=(DoorSide.TOP,)), repacks_per_stop=3)
    plan = solve(asked, seed=3)
    assert plan.repacks
    assert plan == solve(asked, seed=3)
