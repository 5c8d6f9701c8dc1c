"""Check of the extra `proofs`: proves that two plates do not fit one box together.

Each plate fits on its own, and so does their total volume.
"""

from haulier.solvers.packing.assignment import PackingVerdict
from haulier.solvers.packing.compiled import CompiledPacking
from haulier.solvers.packing.installed import installed_prover
from haulier.solvers.packing.ports import ProofLimit
from haulier.solvers.packing.problem import CartonKind, PackingPiece, PackingProblem

prover = installed_prover()
assert prover is not None
box = CartonKind(id="box", inner=(200, 200, 200), outer=(200, 200, 200), payload_g=1_000)
plates = tuple(PackingPiece(id=name, size=(150, 150, 110)) for name in ("one", "other"))
compiled = CompiledPacking(PackingProblem(pieces=plates, cartons=(box,)))
decided = prover.decide(compiled, (0,), ProofLimit(20_000))
assert decided.found is PackingVerdict.REFUTED
assert isinstance(prover.decide(compiled, (0, 0), ProofLimit(20_000)).found, list)
print("one box refuted, two packed")
