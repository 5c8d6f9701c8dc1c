"""Dense fillers load plain problems; others use the built-in search."""

import asyncio

import pytest
from msgspec.structs import replace
from tests.solvers.loading.loading_makers import any_problem, make_load, make_piece, make_space

from haulier.adapters import packing_solver
from haulier.adapters.packing_solver import ProcessLoadingSolver, search_gate
from haulier.contexts.warehouse.ports import LoadingSearch, PackingSearchFailed
from haulier.solvers.loading.checker import check_loading_plan
from haulier.solvers.loading.dense import DenseLoading
from haulier.solvers.loading.engine import LoadingEngine
from haulier.solvers.loading.plan import LoadingPlan, LoadingState
from haulier.solvers.loading.prepared import PreparedLoading
from haulier.solvers.loading.problem import Axle, Axles, Balance, LoadingProblem
from haulier.solvers.packing.budget import PackingBudget, StepMeter
from haulier.solvers.packing.installed import installed_fillers
from haulier.solvers.packing.problem import Turn

MIXED = make_load(
    *(make_piece(f"long{n}", 5, 2, 2, mandatory=False, priority=20) for n in range(3)),
    *(make_piece(f"flat{n}", 3, 3, 1, mandatory=False, priority=9, turns=tuple(Turn)) for n in range(9)),
    *(make_piece(f"cube{n}", 2, 2, 2, mandatory=False, priority=8) for n in range(9)),
    support_percent=0,
)


def solve(problem: LoadingProblem, steps: int = 4_000) -> LoadingPlan:
    plan = LoadingEngine(installed_fillers()).solve(problem, budget=PackingBudget(steps=steps))
    assert check_loading_plan(problem, plan) == []
    return plan


def is_for_the_library(problem: LoadingProblem) -> bool:
    (filler,) = installed_fillers()
    return DenseLoading(PreparedLoading(problem), filler, StepMeter(PackingBudget(steps=1))).is_usable


def test_the_library_loads_no_less_and_reproducibly() -> None:
    plan = solve(MIXED)
    ours = LoadingEngine().solve(MIXED, budget=PackingBudget(steps=4_000))
    assert plan.objective is not None
    assert ours.objective is not None
    assert plan.objective <= ours.objective
    assert solve(MIXED) == plan


def test_mandatory_pieces_come_before_any_worth() -> None:
    wanted = [make_piece(f"wanted{n}", 5, 4, 2) for n in range(4)]
    dear = [make_piece(f"dear{n}", 10, 4, 1, mandatory=False, priority=1_000) for n in range(2)]
    plan = solve(make_load(*dear, *wanted, support_percent=0))
    assert {each.piece for each in plan.left_over} == {"dear0", "dear1"}


def test_payload_and_fill_limits_hold_over_several_spaces() -> None:
    cubes = [make_piece(f"c{n}", 2, 2, 2, weight_g=90) for n in range(16)]
    heavy = make_load(*cubes, support_percent=0)
    assert len(solve(heavy).placements) == 11
    two = replace(heavy, spaces=(make_space(stock=2),))
    assert solve(two).state is LoadingState.OPTIMAL
    capped = make_load(*cubes, space=make_space(fill_cap_percent=50), support_percent=0)
    assert len(solve(capped).placements) == 10


def test_problems_with_more_rules_do_not_use_the_library() -> None:
    axles = Axles(front=Axle(position_mm=0, limit_g=9_000), rear=Axle(position_mm=8, limit_g=9_000))
    piece, balance = make_piece("p", 2, 2, 2), Balance(x_from=0, x_to=10, y_from=0, y_to=4)
    assert is_for_the_library(make_load(piece, support_percent=0))
    assert not is_for_the_library(make_load(piece))
    obstacle = (0, 0, 0, 1, 1, 1)
    for space in (make_space(axles=axles), make_space(balance=balance), make_space(obstacles=(obstacle,))):
        assert not is_for_the_library(make_load(piece, space=space, support_percent=0))
    for rules in ({"floor_only": True}, {"bears_g": 5}, {"together": "set"}, {"goods": "acid"}, {"stack_group": 1}):
        assert not is_for_the_library(make_load(make_piece("p", 2, 2, 2, **rules), support_percent=0))
    later = make_piece("q", 2, 2, 2, stop=1)
    assert not is_for_the_library(make_load(piece, later, support_percent=0))
    assert is_for_the_library(make_load(piece, later, space=make_space(doors=()), support_percent=0))


def test_no_random_problem_breaks_a_rule() -> None:
    for seed in range(6):
        solve(replace(any_problem(seed), support_percent=0), steps=300)


def test_a_library_that_exits_leaves_the_search_unharmed(monkeypatch: pytest.MonkeyPatch) -> None:
    words: list[tuple[str, ...]] = []
    run = packing_solver._run_process

    async def failing(asked: tuple[str, ...], task: bytes, budget: PackingBudget) -> bytes:
        words.append(asked)
        if len(words) == 1:
            raise PackingSearchFailed("signal 11")
        return await run(asked, task, budget)

    monkeypatch.setattr(packing_solver, "_run_process", failing)
    search = LoadingSearch(problem=MIXED, budget=PackingBudget(steps=100))
    plan = asyncio.run(ProcessLoadingSolver(search_gate()).solve(search))
    assert check_loading_plan(MIXED, plan) == []
    assert [each[1:] for each in words] == [(), ("ours",)]
