"""The engine loads what fits, follows every rule, and explains left-over pieces."""

import pytest
from tests.solvers.loading.loading_makers import any_problem, make_load, make_piece, make_space

from haulier.solvers.loading.checker import check_loading_plan
from haulier.solvers.loading.engine import LoadingEngine
from haulier.solvers.loading.plan import LoadingPlan
from haulier.solvers.loading.problem import Axle, Axles, DoorSide, LoadingProblem, LoadSpace
from haulier.solvers.loading.space_load import SpaceLoad
from haulier.solvers.packing.budget import PackingBudget


def solve(problem: LoadingProblem, steps: int = 400, seed: int = 0) -> LoadingPlan:
    plan = LoadingEngine().solve(problem, budget=PackingBudget(steps=steps), seed=seed)
    assert check_loading_plan(problem, plan) == []
    return plan


def test_no_plan_breaks_a_rule_for_any_problem() -> None:
    left = 0
    for seed in range(30):
        left += len(solve(any_problem(seed), steps=60, seed=seed).left_over)
    assert left > 0


def test_the_same_seed_and_steps_give_the_same_plan() -> None:
    problem = any_problem(7)
    assert solve(problem, seed=3) == solve(problem, seed=3)


def test_a_full_space_is_filled_to_the_last_millimetre_and_the_last_stop_goes_in_first() -> None:
    pieces = [make_piece(f"{stop}-{n}", 2, 2, 2, stop=stop) for stop in (1, 2, 3) for n in range(4)]
    plan = solve(make_load(*pieces, space=make_space(6, 4, 4)))
    assert plan.state == "optimal"
    assert [place.piece[0] for place in plan.placements] == ["3"] * 4 + ["2"] * 4 + ["1"] * 4
    assert plan.objective == (0, 0, 0, 6, 0)


def test_left_over_pieces_have_a_reason() -> None:
    van = make_space(4, 2, 2)
    reasons = {
        "too_large": make_load(make_piece("x", 5, 1, 1), space=van),
        "too_heavy": make_load(make_piece("x", 1, 1, 1, weight_g=1001), space=van),
        "payload": make_load(make_piece("y", 1, 1, 1, weight_g=900), make_piece("x", 1, 1, 1, weight_g=200), space=van),
        "volume": make_load(*(make_piece(name, 4, 2, 2) for name in "xy"), space=van),
        "no_place": make_load(make_piece("y", 2, 2, 1), make_piece("x", 3, 2, 2), space=van),
        "together": make_load(
            make_piece("y", 3, 2, 1, mandatory=False, together="t"),
            make_piece("x", 3, 2, 2, mandatory=False, together="t"),
            space=van,
        ),
        "apart": make_load(
            make_piece("y", 1, 1, 1, goods="food"),
            make_piece("x", 1, 1, 1, goods="acid"),
            space=van,
            apart=(("food", "acid"),),
        ),
    }
    for reason, problem in reasons.items():
        plan = solve(problem)
        assert reason in {each.reason.value for each in plan.left_over}, reason
        assert plan.state == "partly"


def test_pieces_of_the_highest_priority_are_loaded_first() -> None:
    big = make_piece("big", 4, 2, 2, mandatory=False, priority=1, stop=2)
    wanted = [make_piece(f"wanted-{n}", 2, 2, 2, stop=1) for n in range(2)]
    plan = solve(make_load(big, *wanted, space=make_space(4, 2, 2)))
    assert [each.piece for each in plan.left_over] == ["big"]


def test_a_load_is_shifted_to_satisfy_axle_limits_on_the_whole_route() -> None:
    axles = Axles(
        front=Axle(position_mm=-100, limit_g=10_000, tare_g=1000, least_g=1300),
        rear=Axle(position_mm=2000, limit_g=1600, tare_g=1000),
    )
    pieces = [make_piece(f"{stop}", 500, 500, 500, stop=stop, weight_g=400) for stop in (1, 2, 3)]
    space = LoadSpace(id="van", inner=(3000, 500, 500), payload_g=5000, axles=axles, doors=(DoorSide.REAR,))
    plan = solve(make_load(*pieces, space=space))
    assert plan.left_over == ()
    heavy = [make_piece(f"{stop}", 500, 500, 500, stop=stop, weight_g=1900) for stop in (1, 2)]
    burdened = solve(make_load(*heavy, space=space))
    assert [each.reason.value for each in burdened.left_over] == ["axles"]


def test_the_cheapest_spaces_are_used() -> None:
    pieces = tuple(make_piece(str(number), 2, 2, 2) for number in range(4))
    large = LoadSpace(id="large", inner=(8, 2, 2), payload_g=1000, cost_cents=100)
    small = LoadSpace(id="small", inner=(4, 2, 2), payload_g=1000, cost_cents=40, stock=2)
    plan = solve(LoadingProblem(pieces=pieces, spaces=(large, small)))
    assert (plan.spaces, plan.state) == (("small", "small"), "optimal")


def test_skipped_empty_boxes_accept_no_block(monkeypatch: pytest.MonkeyPatch) -> None:
    def first_plans() -> list[LoadingPlan]:
        budget = PackingBudget(steps=1)
        return [
            LoadingEngine().solve(any_problem(seed), budget=budget, on_better=lambda _: False) for seed in range(40)
        ]

    found, may_take = first_plans(), SpaceLoad.may_take
    refused: list[bool] = []
    monkeypatch.setattr(SpaceLoad, "may_take", lambda *asked: refused.append(not may_take(*asked)) or True)
    assert first_plans() == found
    assert any(refused)


def test_better_plans_are_reported_and_the_search_can_be_stopped() -> None:
    told: list[LoadingPlan] = []

    def stop(plan: LoadingPlan) -> bool:
        told.append(plan)
        return False

    problem = any_problem(5)
    plan = LoadingEngine().solve(problem, budget=PackingBudget(steps=100_000), on_better=stop)
    assert len(told) == 1
    assert plan.objective == told[0].objective
