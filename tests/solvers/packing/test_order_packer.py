"""Compiled ruin and recreate: rules, reproducibility, and when it is left out.

The functions run as Python here (`NUMBA_DISABLE_JIT`): the same lines, and nothing has to be compiled.
"""

import sys
from random import Random

import pytest
from tests.solvers.packing.packing_makers import CUBE, carton, pieces, problem

from haulier.solvers.packing import installed
from haulier.solvers.packing.block_search.order_packer import OrderPacker
from haulier.solvers.packing.budget import PackingBudget, StepMeter
from haulier.solvers.packing.carton_engine import CartonEngine
from haulier.solvers.packing.checker import check_plan
from haulier.solvers.packing.compiled import CompiledPacking
from haulier.solvers.packing.orders import PackedCartons
from haulier.solvers.packing.plan import PackingPlan
from haulier.solvers.packing.problem import PackingProblem, Turn

HALF = (200, 200, 100)


def packed(
    asked: PackingProblem, choice: tuple[int, ...], tries: int = 30, steps: int = 10_000
) -> PackedCartons | None:
    compiled = CompiledPacking(asked)
    assert OrderPacker().is_usable(compiled)
    return OrderPacker().pack(compiled, choice, StepMeter(PackingBudget(steps=steps)), 0, tries)


def some_pieces(random: Random, count: int) -> PackingProblem:
    sizes = [(random.randrange(40, 150), random.randrange(40, 150), random.randrange(40, 150)) for _ in range(count)]
    return problem(*sizes, cartons=(carton(), carton("L", (300, 200, 200))), fill_cap_percent=random.choice((80, 100)))


def test_either_all_pieces_or_none_are_packed_into_mixed_cartons() -> None:
    asked = problem(*[HALF] * 5, cartons=(carton(), carton("L", (300, 200, 200))))
    found = packed(asked, (0, 1))
    assert found is not None
    assert [kind for kind, _ in found] == [0, 1]
    assert sorted(piece for _, content in found for piece, _ in content) == [0, 1, 2, 3, 4]
    assert packed(asked, (0, 0)) is None


def test_weights_and_the_fill_limit_are_respected() -> None:
    assert packed(problem(CUBE, CUBE), (0,)) is not None
    assert packed(problem(CUBE, CUBE, cartons=(carton(payload_g=199),)), (0,)) is None
    assert packed(problem(HALF, HALF, fill_cap_percent=99), (0,)) is None


def test_repacking_some_cartons_places_pieces_that_first_fit_leaves_out() -> None:
    # Each carton is full only with the three pieces that were cut from it.
    cut = [(200, 200, 90), (200, 110, 110), (200, 90, 110)]
    other = [(200, 200, 70), (200, 130, 130), (200, 70, 130)]
    sizes = [*cut, *other, *cut, *other]
    for seed in range(3):
        Random(seed).shuffle(sizes)
        found = packed(problem(*sizes), (0, 0, 0, 0), tries=400)
        assert found is not None
        assert len(found) == 4


def test_the_carton_search_with_many_tries_is_valid_and_reproducible() -> None:
    random = Random(4)
    for _ in range(4):
        asked = some_pieces(random, 21)

        def plan(asked: PackingProblem = asked) -> PackingPlan:
            engine = CartonEngine(find_packer=lambda _: OrderPacker())
            solved = engine.solve(asked, budget=PackingBudget(steps=1_500))
            assert solved is not None
            return solved

        found = plan()
        assert check_plan(asked, found) == []
        assert plan() == found


def test_the_search_ends_when_the_budget_is_spent() -> None:
    meter = StepMeter(PackingBudget(steps=3))
    compiled = CompiledPacking(problem(*[HALF] * 3))
    assert OrderPacker().pack(compiled, (0,), meter, 0, 10**9) is None
    assert meter.is_spent


@pytest.mark.parametrize(
    "asked",
    [
        problem(CUBE, support_percent=75),
        problem(pieces=pieces(CUBE, CUBE, together="set")),
        problem(pieces=pieces(CUBE, bears_g=0)),
        problem(CUBE, cartons=(carton(payload_g=2**62),)),
    ],
)
def test_unsupported_rules_and_numbers_beyond_64_bits_are_declined(asked: PackingProblem) -> None:
    assert not OrderPacker().is_usable(CompiledPacking(asked))


def test_a_piece_has_only_allowed_orientations() -> None:
    flat = pieces((200, 100, 50), turns=(Turn.LWH, Turn.WLH))
    assert packed(problem(pieces=flat, cartons=(carton(inner=(100, 200, 50)),)), (0,)) is not None
    assert packed(problem(pieces=flat, cartons=(carton(inner=(50, 200, 100)),)), (0,)) is None


def test_the_library_is_not_loaded_if_little_time_remains(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NUMBA_DISABLE_JIT")
    monkeypatch.delitem(sys.modules, "numba")
    assert installed.find_packer(1.0) is None
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    assert installed.find_packer(None) is None
