"""Exact assignment of pieces to the chosen cartons.

The search finds a packing or proves that there is none.
"""

from collections.abc import Sequence
from enum import Enum
from math import gcd
from random import Random

from haulier.solvers.packing.bounds import is_within_dual
from haulier.solvers.packing.budget import StepMeter
from haulier.solvers.packing.compiled import CompiledPacking
from haulier.solvers.packing.load import Box, CartonLoad
from haulier.solvers.packing.perfect import search_perfect_filling
from haulier.solvers.packing.problem import volume_of
from haulier.solvers.packing.relations import search_one_carton

Content = tuple[tuple[int, Box], ...]
"""Pieces and their positions."""
ORDERS_OF_ONE_CARTON = 12
SUM_BITS = 300_000
"""Maximum number of distinct volume sums kept in the lookup table."""
EXACT_PIECES = 12
"""Maximum number of pieces in one carton for the exact search."""


class PackingVerdict(Enum):
    """Verdict on pieces in a carton, or on a choice of cartons."""

    REFUTED = "refuted"
    UNKNOWN = "unknown"


class CartonContents:
    """Cache of packings of single cartons; equal questions have equal answers."""

    def __init__(self, compiled: CompiledPacking, meter: StepMeter, seed: int) -> None:
        self._compiled, self._meter, self._seed = compiled, meter, seed
        self._known: dict[tuple[int, tuple[int, ...]], tuple[Content | PackingVerdict, int]] = {}
        self._pairs: dict[tuple[int, int, int], bool] = {}

    def pack(self, kind: int, pieces: Sequence[int], nodes: int) -> Content | PackingVerdict:
        """Return a packing of pieces in a carton, REFUTED, or UNKNOWN after `nodes` nodes."""
        looks = tuple(sorted(self._compiled.look[piece] for piece in pieces))
        known, tried = self._known.get((kind, looks), (PackingVerdict.UNKNOWN, -1))
        if known is PackingVerdict.REFUTED or (known is PackingVerdict.UNKNOWN and tried >= nodes):
            return known
        if not isinstance(known, PackingVerdict) and {piece for piece, _ in known} == set(pieces):
            return known
        found = self._search(kind, pieces, nodes)
        self._known[kind, looks] = (found, nodes)
        return found

    def _search(self, kind: int, pieces: Sequence[int], nodes: int) -> Content | PackingVerdict:
        compiled = self._compiled
        if not is_within_dual(compiled, kind, pieces):
            return PackingVerdict.REFUTED
        if found := self._try_orders(kind, pieces):
            return found
        boxes = self._search_exactly(kind, pieces, nodes)
        if boxes is False:
            return PackingVerdict.REFUTED
        if isinstance(boxes, list) and compiled.is_plain:
            return tuple(zip(pieces, boxes, strict=True))
        return PackingVerdict.UNKNOWN

    def _search_exactly(self, kind: int, pieces: Sequence[int], nodes: int) -> list[Box] | bool | None:
        compiled = self._compiled
        inner, turns = compiled.kinds[kind].inner, [compiled.extents[piece][kind] for piece in pieces]
        if sum(compiled.volume[piece] for piece in pieces) == volume_of(inner):
            looks = [compiled.look[piece] for piece in pieces]
            return search_perfect_filling(inner, turns, looks, self._meter, nodes)
        return search_one_carton(inner, turns, self._meter, nodes) if len(pieces) <= EXACT_PIECES else None

    def _try_orders(self, kind: int, pieces: Sequence[int]) -> Content | None:
        random = Random(self._seed)
        order = sorted(pieces, key=lambda piece: (-self._compiled.volume[piece], piece))
        for _ in range(ORDERS_OF_ONE_CARTON):
            load = CartonLoad(self._compiled, kind)
            self._meter.steps += len(order)
            if all(load.add((piece,)) for piece in order):
                return tuple(zip(load.pieces, load.boxes, strict=True))
            i, j = random.randrange(len(order)), random.randrange(len(order))
            order[i], order[j] = order[j], order[i]
        return None

    def may_share(self, kind: int, one: int, other: int) -> bool:
        """Return True if two pieces fit together into one carton of a kind."""
        if (one, other) in self._compiled.apart:
            return False
        key = (kind, min(one, other), max(one, other))
        if key not in self._pairs:
            inner, extents = self._compiled.kinds[kind].inner, self._compiled.extents
            self._pairs[key] = any(
                a[axis] + b[axis] <= inner[axis]
                for a in extents[one][kind]
                for b in extents[other][kind]
                for axis in range(3)
            )
        return self._pairs[key]


class _SizeSums:
    """Sums that suffixes of a list of sizes can reach.

    Each set of sums is a bit mask, one bit per multiple of the greatest common divisor.
    """

    def __init__(self, sizes: Sequence[int]) -> None:
        self._unit = gcd(*sizes)
        self._smallest = [min(sizes[first:], default=0) for first in range(len(sizes) + 1)]
        self._reach: list[int] = []
        if sum(sizes) // self._unit <= SUM_BITS:
            reach = 1
            self._reach.append(reach)
            for size in reversed(sizes):
                reach |= reach << size // self._unit
                self._reach.append(reach)
            self._reach.reverse()

    def least_lost(self, first: int, room: int) -> int:
        """Return the minimum unused part of a capacity, using only sizes from `first` on."""
        if not self._reach:
            return room if room < self._smallest[first] else 0
        whole = room // self._unit
        return room - self._unit * ((self._reach[first] & ((2 << whole) - 1)).bit_length() - 1)


class AssignmentSearch:
    """Depth-first assignment of units, largest first, to the cartons of a choice."""

    def __init__(
        self, compiled: CompiledPacking, contents: CartonContents, choice: Sequence[int], meter: StepMeter, nodes: int
    ) -> None:
        self._compiled, self._contents, self._meter = compiled, contents, meter
        self._choice = choice
        self._units = compiled.units
        self._nodes_left = nodes
        self._exact_nodes = nodes
        self._room = [compiled.capacity[kind] for kind in choice]
        self._payload = [compiled.loads.payload[kind] for kind in choice]
        self._held: list[list[int]] = [[] for _ in choice]
        self._slack = sum(self._room) - sum(compiled.volume)
        self._sizes = [sum(compiled.volume[piece] for piece in unit) for unit in self._units]
        self._sums = _SizeSums(self._sizes)
        self._put: list[int] = []
        self._complete = True

    def run(self) -> list[Content] | PackingVerdict:
        """Return the contents of the cartons in order, or a verdict without a packing."""
        found = self._place(0)
        if found is not None:
            return found
        return PackingVerdict.REFUTED if self._complete else PackingVerdict.UNKNOWN

    def _place(self, number: int) -> list[Content] | None:
        if number == len(self._units):
            return self._pack_all()
        self._nodes_left -= 1
        self._meter.steps += 1
        if self._nodes_left < 0 or self._meter.is_spent:
            self._complete = False
            return None
        unit, size = self._units[number], self._sizes[number]
        weight = sum(self._compiled.loads.load[piece] for piece in unit)
        spare = self._compiled.loads.lightening
        seen: set[tuple[int, int, tuple[int, ...]]] = set()
        for carton in range(self._first_carton(number), len(self._choice)):
            kind = self._choice[carton]
            state = (kind, self._room[carton], tuple(self._held[carton]))
            if state in seen or size > self._room[carton] or weight > self._payload[carton] + spare:
                continue
            seen.add(state)
            if not self._may_join(unit, carton, kind):
                continue
            self._held[carton] += unit
            self._room[carton] -= size
            self._payload[carton] -= weight
            self._put.append(carton)
            found = self._place(number + 1) if self._is_promising(number, carton) else None
            self._put.pop()
            self._payload[carton] += weight
            self._room[carton] += size
            del self._held[carton][len(self._held[carton]) - len(unit) :]
            if found is not None or self._nodes_left < 0:
                return found
        return None

    def _first_carton(self, number: int) -> int:
        """Return the first carton to try for a unit.

        Pieces that look the same are assigned in order, which breaks symmetry.
        """
        if number and len(self._units[number]) == len(self._units[number - 1]) == 1:
            (one,), (before,) = self._units[number], self._units[number - 1]
            if self._compiled.look[one] == self._compiled.look[before]:
                return self._put[-1]
        return 0

    def _may_join(self, unit: Sequence[int], carton: int, kind: int) -> bool:
        fits = all(self._compiled.extents[piece][kind] for piece in unit)
        return fits and all(
            self._contents.may_share(kind, piece, other) for piece in unit for other in self._held[carton]
        )

    def _is_promising(self, number: int, carton: int) -> bool:
        """Return False if too much capacity is lost or the new content is impossible."""
        if sum(self._sums.least_lost(number + 1, room) for room in self._room) > self._slack:
            return False
        held, kind = self._held[carton], self._choice[carton]
        if not is_within_dual(self._compiled, kind, held):
            return False
        if 3 <= len(held) <= EXACT_PIECES and 2 * self._room[carton] < self._compiled.capacity[kind]:
            return self._contents.pack(kind, held, min(60, self._exact_nodes)) is not PackingVerdict.REFUTED
        return True

    def _pack_all(self) -> list[Content] | None:
        if any(pieces and self._payload[carton] < 0 for carton, pieces in enumerate(self._held)):
            return None
        packed: list[Content] = []
        for carton, pieces in enumerate(self._held):
            content = self._contents.pack(self._choice[carton], pieces, self._exact_nodes) if pieces else ()
            if content is PackingVerdict.UNKNOWN:
                self._complete = False
            if isinstance(content, PackingVerdict):
                return None
            packed.append(content)
        return packed
