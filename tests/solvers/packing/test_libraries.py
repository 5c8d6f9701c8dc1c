"""Optional libraries fill spaces densely and decide choices; results are checked."""

import subprocess
import sys
from itertools import permutations
from random import Random

import pytest
from tests.solvers.packing.carton_instances import read_cartons
from tests.solvers.packing.packing_makers import CUBE, carton, pieces, problem
from tests.support.shared import shared

from haulier.solvers.packing.assignment import PackingVerdict
from haulier.solvers.packing.bounded import run_bounded
from haulier.solvers.packing.budget import PackingBudget
from haulier.solvers.packing.carton_engine import CartonEngine
from haulier.solvers.packing.checker import check_plan
from haulier.solvers.packing.compiled import CompiledPacking
from haulier.solvers.packing.installed import installed_filler, installed_prover
from haulier.solvers.packing.plan import PackingPlan, ProofState
from haulier.solvers.packing.ports import ChoiceProver, FillKind, FillTask, ProofLimit, SpaceFiller
from haulier.solvers.packing.problem import PackingPiece, PackingProblem, Turn


@pytest.fixture
def filler() -> SpaceFiller:
    found = installed_filler()
    assert found is not None
    return found


@pytest.fixture
def prover() -> ChoiceProver:
    found = installed_prover()
    assert found is not None
    return found


def solve(asked: PackingProblem, engine: CartonEngine, steps: int = 40_000) -> PackingPlan:
    plan = engine.solve(asked, budget=PackingBudget(steps=steps))
    assert plan is not None
    assert check_plan(asked, plan) == []
    return plan


def test_a_space_is_filled_with_the_most_valuable_pieces_within_its_load(filler: SpaceFiller) -> None:
    cheap, dear = FillKind((CUBE,), 9, 1, 10), FillKind((CUBE,), 3, 5, 20)
    filled = filler.fill(FillTask((200, 200, 200), 1_000, (cheap, dear)))
    assert sorted(kind for kind, _ in filled.placed) == [0] * 5 + [1] * 3
    light = filler.fill(FillTask((200, 200, 200), 65, (cheap, dear)))
    assert sorted(kind for kind, _ in light.placed) == [1, 1, 1]
    assert filler.fill(FillTask((90, 90, 90), 1_000, (cheap,))).placed == ()
    assert filler.fill(FillTask((200, 200, 200), 1_000, ())).placed == ()


def test_a_piece_has_only_allowed_orientations(filler: SpaceFiller) -> None:
    for length, width, height in permutations((10, 20, 30)):
        way = (length, width, height)
        (placed,) = filler.fill(FillTask((40, 40, 40), 9, (FillKind(((30, 10, 20), way), 1, 1, 1),))).placed
        x0, y0, z0, x1, y1, z1 = placed[1]
        assert (x1 - x0, y1 - y0, z1 - z0) in {(30, 10, 20), way}
        tight = filler.fill(FillTask(way, 9, (FillKind((way,), 1, 1, 1),)))
        assert tight.placed == ((0, (0, 0, 0, *way)),)


def test_the_filling_is_reproducible(filler: SpaceFiller) -> None:
    random = Random(1)
    kinds = tuple(
        FillKind(((length, width, height),), 2, 7, 1)
        for length, width, height in (sorted(random.choices(range(30, 90, 5), k=3)) for _ in range(3))
    )
    task = FillTask((200, 150, 120), 100, kinds)
    assert filler.fill(task) == filler.fill(task)


def test_a_library_that_ignores_its_time_limit_is_killed() -> None:
    def endless() -> bytes:
        while True:
            pass

    def failing() -> bytes:
        raise ValueError

    assert run_bounded(endless, seconds=0.05, processor_seconds=60) is None
    assert run_bounded(endless, seconds=None, processor_seconds=1) is None
    assert run_bounded(failing, seconds=None, processor_seconds=60) is None
    assert run_bounded(lambda: b"x" * 200_000, seconds=None, processor_seconds=60) == b"x" * 200_000


def test_a_choice_is_packed_or_refuted(prover: ChoiceProver) -> None:
    plates = CompiledPacking(problem((150, 150, 110), (150, 150, 110)))
    assert prover.decide(plates, (0,), ProofLimit(20_000)).found is PackingVerdict.REFUTED
    assert isinstance(prover.decide(plates, (0, 0), ProofLimit(20_000)).found, list)
    hard = CompiledPacking(problem(*[(70 + i, 90 - i, 60 + 2 * i) for i in range(12)], cartons=(carton(),)))
    assert prover.decide(hard, (0,), ProofLimit(1)).found is not PackingVerdict.REFUTED


def test_problems_with_support_rules_are_only_refuted_never_packed(prover: ChoiceProver) -> None:
    fragile = CompiledPacking(problem(pieces=pieces(CUBE, CUBE, bears_g=0)))
    assert prover.decide(fragile, (0,), ProofLimit(20_000)).found is PackingVerdict.UNKNOWN


def test_groups_stay_together(prover: ChoiceProver) -> None:
    pair = pieces(CUBE, CUBE, together="set")
    food, acid = (PackingPiece(id=goods, size=CUBE, goods=goods) for goods in ("food", "acid"))
    asked = problem(pieces=(*pair, food, acid), apart=(("acid", "food"),))
    plan = solve(asked, CartonEngine(prover=prover))
    assert (len(plan.cartons), plan.state) == (2, ProofState.OPTIMAL)
    assert prover.decide(CompiledPacking(asked), (0,), ProofLimit(20_000)).found is PackingVerdict.REFUTED


def test_the_same_optimum_is_proven_with_and_without_a_prover(prover: ChoiceProver, filler: SpaceFiller) -> None:
    random = Random(7)
    kinds = (carton("S", (120, 120, 100)), carton("M", (200, 150, 100)), carton("L", (200, 200, 200), stock=1))
    for _ in range(12):
        sizes = [(random.randrange(40, 110), random.randrange(40, 110), random.randrange(40, 100)) for _ in range(5)]
        turns = random.choice((tuple(Turn), (Turn.LWH, Turn.WLH)))
        asked = problem(pieces=pieces(*sizes, turns=turns), cartons=kinds, fill_cap_percent=random.choice((80, 100)))
        ours, helped = solve(asked, CartonEngine()), solve(asked, CartonEngine(filler, prover))
        assert helped.state is ProofState.OPTIMAL
        assert ours.bound is not None
        assert helped.objective is not None
        assert ours.bound <= helped.objective
        assert ours.objective is not None
        assert helped.objective <= ours.objective
        assert solve(asked, CartonEngine(filler, prover)) == helped


def test_random_problems_of_twelve_pieces_are_proven(prover: ChoiceProver) -> None:
    """The library decides in a second what the built-in search leaves open.

    See docs/decisions/packing.md.
    """
    for name in ("random-12-2012", "random-12-4012"):
        asked, _ = read_cartons(shared(f"instances/packing/cartons/{name}.json"))
        assert solve(asked, CartonEngine(prover=prover)).state is ProofState.OPTIMAL


def test_cartons_filled_exactly_are_found_one_by_one(filler: SpaceFiller) -> None:
    kinds = (carton("S", (100, 100, 100)), carton("M", (200, 100, 100)), carton("L", (300, 200, 200)))
    cut = [(150, 120, 200), (150, 120, 200), (300, 80, 130), (300, 80, 70), (60, 100, 100), (40, 100, 100)]
    asked = problem(*cut, cartons=kinds)
    plan = solve(asked, CartonEngine(filler))
    assert (plan.cartons, plan.state) == (("S", "L"), ProofState.OPTIMAL)


def test_the_serving_process_loads_no_library() -> None:
    code = """
import sys
from haulier.solvers.packing.budget import PackingBudget
from haulier.solvers.packing.problem import CartonKind, PackingPiece, PackingProblem
from haulier.solvers.packing.worker import solve_task
import haulier.adapters.packing_solver
box = CartonKind(id="box", inner=(200, 200, 200), outer=(200, 200, 200), payload_g=1000)
plates = tuple(PackingPiece(id=name, size=(150, 150, 110)) for name in "ab")
solve_task((PackingProblem(pieces=plates, cartons=(box,)), PackingBudget(steps=1500), 0))
print([name for name in ("ortools", "packingsolver3d", "pandas", "numpy") if name in sys.modules])
"""
    ran = subprocess.run([sys.executable, "-c", code], text=True, capture_output=True, timeout=60, check=True)
    assert ran.stdout.strip() == "[]"
