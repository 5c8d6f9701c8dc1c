"""Exact decision of carton choices with OR-Tools CP-SAT (the extra `proofs`).

One model assigns carton, orientation and position of each piece. Pieces start only at sums of edges of other pieces,
because any packing can be pushed together until that holds. Support and load-bearing are left out, so a refutation also
holds with them.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, pairwise

from ortools.sat.python import cp_model

from haulier.solvers.packing.assignment import Content, PackingVerdict
from haulier.solvers.packing.compiled import CompiledPacking
from haulier.solvers.packing.load import Box
from haulier.solvers.packing.ports import DecidedChoice, ProofLimit

STEPS_PER_UNIT = 20_000
"""Steps per deterministic time unit of CP-SAT, which takes about a second."""
LEAST_WORK = 0.01


class ConstraintProver:
    """CP-SAT with one worker, deterministic for a given question and seed."""

    name = "cp-sat"

    def decide(self, compiled: CompiledPacking, choice: Sequence[int], limit: ProofLimit) -> DecidedChoice:
        """Decide a choice; see `ChoiceProver`."""
        if not all(any(extents[kind] for kind in choice) for extents in compiled.extents):
            return DecidedChoice(PackingVerdict.REFUTED, 1)
        model = _ChoiceModel(compiled, choice)
        solver = cp_model.CpSolver()
        solver.parameters.num_workers = 1
        solver.parameters.random_seed = limit.seed % 2**31
        solver.parameters.max_deterministic_time = max(LEAST_WORK, limit.steps / STEPS_PER_UNIT)
        if limit.seconds is not None:
            solver.parameters.max_time_in_seconds = max(LEAST_WORK, limit.seconds)
        status = solver.solve(model.model)
        steps = 1 + round(solver.response_proto.deterministic_time * STEPS_PER_UNIT)
        if status == cp_model.INFEASIBLE:
            return DecidedChoice(PackingVerdict.REFUTED, steps)
        if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE) or not compiled.is_plain:
            return DecidedChoice(PackingVerdict.UNKNOWN, steps)
        return DecidedChoice(model.contents(solver), steps)


class _ChoiceModel:
    """The model of a choice.

    `_inside` is indexed by piece and carton, `_way` by piece and size, `_start` by piece and axis.
    """

    def __init__(self, compiled: CompiledPacking, choice: Sequence[int]) -> None:
        self.model = cp_model.CpModel()
        self._compiled, self._choice = compiled, choice
        self._inner = [compiled.kinds[kind].inner for kind in choice]
        self._pieces = range(len(compiled.pieces))
        self._inside = [self._inside_of(piece) for piece in self._pieces]
        self._ways = [
            sorted({way for kind in choice for way in compiled.extents[piece][kind]}) for piece in self._pieces
        ]
        self._way = [[self.model.new_bool_var("") for _ in ways] for ways in self._ways]
        self._start = [list[cp_model.IntVar]() for _ in self._pieces]
        self._extent = [list[cp_model.LinearExpr]() for _ in self._pieces]
        self._constrain_sums()
        self._constrain_groups()
        self._constrain_inside()
        for one, other in combinations(self._pieces, 2):
            self._constrain_disjoint(one, other)
        self._break_symmetry()

    def _inside_of(self, piece: int) -> dict[int, cp_model.IntVar]:
        """Create the assignment variables of a piece, by number of a carton that it fits."""
        fitting = [number for number, kind in enumerate(self._choice) if self._compiled.extents[piece][kind]]
        inside = {number: self.model.new_bool_var("") for number in fitting}
        self.model.add_exactly_one(inside.values())
        return inside

    def _constrain_sums(self) -> None:
        compiled = self._compiled
        for number, kind in enumerate(self._choice):
            held = [(inside[number], piece) for piece, inside in enumerate(self._inside) if number in inside]
            self.model.add(sum(is_in * compiled.volume[piece] for is_in, piece in held) <= compiled.capacity[kind])
            # Empty cartons need no exception: the choice without them was tried before.
            payload = compiled.loads.payload[kind]
            self.model.add(sum(is_in * compiled.loads.load[piece] for is_in, piece in held) <= payload)

    def _constrain_groups(self) -> None:
        for unit in self._compiled.units:
            for one, other in pairwise(unit):
                for number in self._inside[one].keys() | self._inside[other].keys():
                    first, second = self._inside[one].get(number, 0), self._inside[other].get(number, 0)
                    self.model.add(first == second)
        for one, other in self._compiled.apart:
            for number in self._shared(one, other) if one < other else ():
                self.model.add_bool_or(~self._inside[one][number], ~self._inside[other][number])

    def _shared(self, one: int, other: int) -> Iterator[int]:
        """Return the cartons that both pieces fit."""
        return (number for number in self._inside[one] if number in self._inside[other])

    def _constrain_inside(self) -> None:
        for axis in range(3):
            longest = max(inner[axis] for inner in self._inner)
            starts = _sums([{way[axis] for way in ways} for ways in self._ways], longest)
            for piece in self._pieces:
                least = min(way[axis] for way in self._ways[piece])
                domain = cp_model.Domain.from_values([start for start in starts if start + least <= longest])
                start = self.model.new_int_var_from_domain(domain, "")
                lengths = [way[axis] for way in self._ways[piece]]
                extent = cp_model.LinearExpr.weighted_sum(self._way[piece], lengths)
                self._start[piece].append(start)
                self._extent[piece].append(extent)
                self.model.add(start + extent <= self._room(piece, axis))
        for piece in self._pieces:
            self.model.add_exactly_one(self._way[piece])
            for lies, way in zip(self._way[piece], self._ways[piece], strict=True):
                for number, kind in enumerate(self._choice):
                    if number in self._inside[piece] and way not in self._compiled.extents[piece][kind]:
                        self.model.add_bool_or(~lies, ~self._inside[piece][number])

    def _room(self, piece: int, axis: int) -> cp_model.LinearExpr:
        """Return the length of the carton that contains the piece."""
        inside = self._inside[piece]
        lengths = [self._inner[number][axis] for number in inside]
        return cp_model.LinearExpr.weighted_sum(list(inside.values()), lengths)

    def _constrain_disjoint(self, one: int, other: int) -> None:
        """Require two pieces of one carton to be disjoint along some axis."""
        shared = list(self._shared(one, other))
        if not shared:
            return
        before: list[cp_model.IntVar] = []
        for axis in range(3):
            for first, second in ((one, other), (other, one)):
                is_before = self.model.new_bool_var("")
                end = self._start[first][axis] + self._extent[first][axis]
                self.model.add(end <= self._start[second][axis]).only_enforce_if(is_before)
                before.append(is_before)
        for number in shared:
            self.model.add_bool_or(*before, ~self._inside[one][number], ~self._inside[other][number])

    def _break_symmetry(self) -> None:
        """Order equal cartons by volume, and mirror the largest piece to the near half."""
        volume = self._compiled.volume
        for number, (kind, following) in enumerate(zip(self._choice, self._choice[1:], strict=False)):
            if kind == following:
                sums = [
                    sum(inside[carton] * volume[piece] for piece, inside in enumerate(self._inside) if carton in inside)
                    for carton in (number, number + 1)
                ]
                self.model.add(sums[0] >= sums[1])
        largest = max(self._pieces, key=lambda piece: volume[piece])
        for axis in range(3):
            self.model.add(2 * self._start[largest][axis] + self._extent[largest][axis] <= self._room(largest, axis))

    def contents(self, solver: cp_model.CpSolver) -> list[Content]:
        """Return the contents of each carton in a solution."""
        held: list[list[tuple[int, Box]]] = [[] for _ in self._choice]
        for piece in self._pieces:
            (number,) = (number for number, is_in in self._inside[piece].items() if solver.boolean_value(is_in))
            held[number].append((piece, self._box(solver, piece)))
        return [tuple(each) for each in held]

    def _box(self, solver: cp_model.CpSolver, piece: int) -> Box:
        chosen = zip(self._way[piece], self._ways[piece], strict=True)
        (way,) = (way for lies, way in chosen if solver.boolean_value(lies))
        x, y, z = (solver.value(start) for start in self._start[piece])
        return x, y, z, x + way[0], y + way[1], z + way[2]


def _sums(edges: Iterable[Iterable[int]], longest: int) -> list[int]:
    """Return the lengths that edges add up to, using at most one edge per piece."""
    reach = 1
    for lengths in edges:
        longer = 0
        for length in lengths:
            longer |= reach << length
        reach |= longer
    return [length for length in range(longest + 1) if reach >> length & 1]
