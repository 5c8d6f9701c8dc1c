"""Optional libraries give correct results with cushions and void fill."""

from random import Random

import pytest
from msgspec.structs import replace
from tests.solvers.packing.filling_trials import least_objective, small_problem, takes
from tests.solvers.packing.packing_makers import carton, pieces

from haulier.solvers.packing.assignment import PackingVerdict
from haulier.solvers.packing.budget import PackingBudget
from haulier.solvers.packing.carton_engine import CartonEngine
from haulier.solvers.packing.checker import check_plan
from haulier.solvers.packing.compiled import CompiledPacking
from haulier.solvers.packing.installed import installed_filler, installed_prover
from haulier.solvers.packing.plan import ProofState
from haulier.solvers.packing.ports import ChoiceProver, ProofLimit, SpaceFiller
from haulier.solvers.packing.problem import PackingProblem, VoidFill


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


def test_the_prover_decides_correctly_for_every_carton(prover: ChoiceProver) -> None:
    random = Random(11)
    said = {PackingVerdict.REFUTED: 0, "packed": 0}
    for number in range(30):
        asked = small_problem(random)
        for kind in asked.cartons:
            one = replace(asked, cartons=(kind,))
            verdict = prover.decide(CompiledPacking(one), (0,), ProofLimit(20_000)).found
            really = takes(one, kind.id, one.pieces)
            if verdict is PackingVerdict.REFUTED:
                assert not really, (number, kind.id)
                said[PackingVerdict.REFUTED] += 1
            elif isinstance(verdict, list):
                assert really, (number, kind.id)
                said["packed"] += 1
    assert min(said.values()) > 10


def test_small_problems_with_libraries_match_exhaustive_search(filler: SpaceFiller, prover: ChoiceProver) -> None:
    random, proved = Random(5), 0
    for number in range(12):
        asked = small_problem(random)
        plan = CartonEngine(filler, prover).solve(asked, budget=PackingBudget(steps=4_000))
        wanted = least_objective(asked)
        assert plan is not None, number
        assert check_plan(asked, plan) == [], number
        assert plan.objective == wanted, number
        proved += plan.state is ProofState.OPTIMAL
    assert proved > 6


def test_densely_filled_cartons_respect_cushions_and_payload(filler: SpaceFiller) -> None:
    """Tree search results are valid with cushions, void fill and a tight payload."""
    random = Random(9)
    chips = VoidFill(id="CHIPS", unit_mm3=1_000_000, unit_g=400, unit_cents=3)
    for wall, around, payload in ((0, 0, 4_000), (10, 0, 4_000), (0, 5, 2_600), (8, 4, 3_000)):
        sizes = [(random.randint(40, 90), random.randint(40, 90), random.randint(30, 80)) for _ in range(16)]
        kinds = (carton("S", (200, 150, 150), payload_g=payload), carton("L", (300, 250, 200), payload_g=payload))
        boxes = tuple(replace(piece, cushion=around) for piece in pieces(*sizes))
        asked = PackingProblem(pieces=boxes, cartons=kinds, filling=chips, wall_cushion=wall)
        plan = CartonEngine(filler).solve(asked, budget=PackingBudget(steps=6_000))
        assert plan is not None
        assert plan.cartons
        assert check_plan(asked, plan) == []
