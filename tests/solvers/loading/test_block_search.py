"""Block and beam search: support, totals, reproducibility, and compilation.

The functions run as Python here (`NUMBA_DISABLE_JIT`), without compilation.
"""

from itertools import combinations
from random import Random

import pytest
from msgspec.structs import replace
from tests.solvers.loading.loading_makers import make_load, make_piece

from haulier.solvers.loading.checker import check_loading_plan
from haulier.solvers.loading.engine import LoadingEngine
from haulier.solvers.loading.plan import LoadingPlan, LoadingState
from haulier.solvers.loading.problem import LoadingProblem
from haulier.solvers.packing import installed
from haulier.solvers.packing.block_search.filler import BlockFiller
from haulier.solvers.packing.block_search.search import BlockSearch
from haulier.solvers.packing.budget import PackingBudget
from haulier.solvers.packing.load import Box, resting_area
from haulier.solvers.packing.ports import FillKind, FillTask
from haulier.solvers.packing.problem import Turn, turned_size, volume_of

BRICKS = FillKind(((2, 1, 1), (1, 2, 1), (1, 1, 2)), 24, 2, 1)
CUBES = FillKind(((2, 2, 2),), 4, 8, 8)


def filled(task: FillTask) -> list[tuple[int, Box]]:
    return list(BlockFiller().fill(task).placed)


def is_disjoint(boxes: list[Box]) -> bool:
    return not any(
        all(one[axis] < other[axis + 3] and other[axis] < one[axis + 3] for axis in range(3))
        for one, other in combinations(boxes, 2)
    )


def random_kinds(random: Random) -> tuple[FillKind, ...]:
    sizes = [tuple(random.randint(1, 4) for _ in range(3)) for _ in range(3)]
    ways = [tuple(dict.fromkeys(turned_size((x, y, z), turn) for turn in Turn)) for x, y, z in sizes]
    return tuple(FillKind(way, random.randint(1, 5), volume_of(way[0]), random.randint(0, 3)) for way in ways)


def test_pieces_that_fit_exactly_are_all_placed() -> None:
    placed = filled(FillTask((4, 5, 4), 100, (BRICKS, CUBES), steps=3))
    assert len(placed) == 28
    assert is_disjoint([box for _, box in placed])


def test_boxes_are_inside_disjoint_within_load_and_supported_if_required() -> None:
    random = Random(5)
    for number in range(12):
        kinds, most = random_kinds(random), random.choice((3, 9, 1_000))
        placed = filled(FillTask((7, 5, 6), most, kinds, steps=1, is_supported=number % 2 == 0))
        boxes = [box for _, box in placed]
        assert placed
        assert is_disjoint(boxes)
        assert all(box[axis] >= 0 and box[axis + 3] <= (7, 5, 6)[axis] for box in boxes for axis in range(3))
        assert all((box[3] - box[0], box[4] - box[1], box[5] - box[2]) in kinds[kind].ways for kind, box in placed)
        assert all(sum(kind == at for kind, _ in placed) <= each.count for at, each in enumerate(kinds))
        assert sum(kinds[kind].load for kind, _ in placed) <= most
        if number % 2 == 0:
            bases = [(box, (box[3] - box[0]) * (box[4] - box[1])) for box in boxes if box[2]]
            assert all(resting_area(box, boxes) == base for box, base in bases)


def test_the_same_steps_give_the_same_filling_and_no_more_than_they_allow() -> None:
    task = FillTask((7, 5, 6), 1_000, random_kinds(Random(3)), steps=1)
    once, again = BlockFiller().fill(task), BlockFiller().fill(task)
    assert once == again
    assert once.steps <= 2


def test_lanes_give_the_same_result_in_threads_and_in_turn() -> None:
    task = FillTask((7, 5, 6), 1_000, random_kinds(Random(3)))
    found = []
    for threads in (1, 2):
        search = BlockSearch(task)
        search.run(lambda: False, most_steps=150, threads=threads)
        found.append((search.placed(), search.steps))
    assert found[0] == found[1]
    assert found[0][0]


def test_the_time_limit_ends_each_lane_and_keeps_the_best_filling() -> None:
    for threads in (1, 2):
        looks = iter(range(1_000_000))
        search = BlockSearch(FillTask((7, 5, 6), 1_000, random_kinds(Random(3))))
        search.run(lambda looks=looks: next(looks) > 40, threads=threads)
        assert search.placed()
        assert next(looks) < 60
    assert BlockFiller().fill(FillTask((7, 5, 6), 1_000, random_kinds(Random(3)), seconds=0)).placed == ()


def test_without_a_step_limit_the_search_ends_when_everything_is_placed() -> None:
    search = BlockSearch(FillTask((4, 5, 4), 100, (BRICKS, CUBES)))
    search.run(lambda: False, threads=2)
    assert search.is_whole
    assert len(search.placed()) == 28


def test_sums_beyond_64_bits_are_refused() -> None:
    assert not filled(FillTask((4, 4, 4), 1, (replace(BRICKS, value=2**60),), steps=1))
    assert not filled(FillTask((4, 4, 4), 1, (), steps=1))


def solve(problem: LoadingProblem, seconds: float | None = None) -> LoadingPlan:
    budget = PackingBudget(steps=60, seconds=seconds, is_processor_time=seconds is not None)
    plan = LoadingEngine([BlockFiller()]).solve(problem, budget=budget)
    assert check_loading_plan(problem, plan) == []
    return plan


@pytest.mark.parametrize("support", [0, 75, 100])
def test_a_load_enters_through_the_rear_door_after_everything_below_it(support: int) -> None:
    slabs = [make_piece(f"slab{n}", 4, 2, 1, turns=(Turn.LWH, Turn.WLH)) for n in range(10)]
    cubes = [make_piece(f"cube{n}", 2, 2, 2) for n in range(10)]
    plan = solve(make_load(*slabs, *cubes, support_percent=support))
    assert plan.state is not LoadingState.PARTLY
    assert solve(make_load(*slabs, *cubes, support_percent=support), seconds=60) == plan


def test_callers_that_cannot_wait_skip_the_compiled_search_during_compilation(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    started: list[tuple[str, ...]] = []
    monkeypatch.delenv("NUMBA_DISABLE_JIT")
    monkeypatch.setattr(
        "haulier.solvers.packing.block_search.jit.READY_MARK", tmp_path_factory.mktemp("code") / "ready"
    )
    monkeypatch.setattr(installed, "start_making", lambda: started.append(("made",)))
    look = installed.installed_fillers.__wrapped__
    without = [each.name for each in look(may_wait=False)]
    assert (without, started) == (["packingsolver3d"], [("made",)])
    assert [each.name for each in look(may_wait=True)] == ["blocks", "packingsolver3d"]
    monkeypatch.setattr("sys.argv", ["worker", installed.WITHOUT_LIBRARIES])
    installed.installed_filler.cache_clear()
    assert look(may_wait=True) == ()
    installed.installed_filler.cache_clear()
