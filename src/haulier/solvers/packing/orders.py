"""Packing of a carton choice by ruin and recreate, and a construction heuristic."""

from collections.abc import Sequence
from random import Random

from haulier.solvers.packing.assignment import Content
from haulier.solvers.packing.budget import StepMeter
from haulier.solvers.packing.compiled import CompiledPacking, Unit
from haulier.solvers.packing.load import CartonLoad

PackedCartons = list[tuple[int, Content]]
"""The kind and content of each carton."""
EMPTIED = (2, 6)
"""Minimum and maximum number of cartons emptied at once."""
MOVED_SHARE = 0.4
"""Share of new orders in which only one unit moves, the effective move for a single carton."""


def contents_of(loads: Sequence[CartonLoad]) -> PackedCartons:
    """Return the contents of filled cartons, without empty ones."""
    return [(load.kind, tuple(zip(load.pieces, load.boxes, strict=True))) for load in loads if load.pieces]


def pack_choice(
    compiled: CompiledPacking, choice: Sequence[int], meter: StepMeter, random: Random, tries: int
) -> PackedCartons | None:
    """Pack all pieces into the chosen cartons; None if tries run out.

    Each try empties some cartons and repacks them together with unplaced pieces.
    """
    search = _RepackSearch(compiled, choice, meter, random)
    while search.waiting and tries > 0 and not meter.is_spent:
        search.repack_some()
        tries -= 1
    return None if search.waiting else contents_of(sorted(search.loads, key=lambda load: load.kind))


class _RepackSearch:
    """A packing with a decreasing volume of unplaced pieces."""

    def __init__(self, compiled: CompiledPacking, choice: Sequence[int], meter: StepMeter, random: Random) -> None:
        self._compiled, self._meter, self._random = compiled, meter, random
        self._order = list(compiled.units)
        self.loads = [CartonLoad(compiled, kind) for kind in choice]
        self.waiting = self._fill(self.loads, self._order)

    def repack_some(self) -> None:
        """Empty and repack some cartons; accept the result if no more volume is unplaced."""
        emptied = self._random.sample(range(len(self.loads)), min(len(self.loads), self._random.randint(*EMPTIED)))
        taken = {piece for number in emptied for piece in self.loads[number].pieces}
        taken.update(unit[0] for unit in self.waiting)
        order = self._varied([unit for unit in self._order if unit[0] in taken])
        fresh = [CartonLoad(self._compiled, self.loads[number].kind) for number in emptied]
        waiting = self._fill(fresh, order)
        if self._volume(waiting) > self._volume(self.waiting):
            return
        self.waiting = waiting
        for number, load in zip(emptied, fresh, strict=True):
            self.loads[number] = load
        turns = iter(order)
        self._order = [next(turns) if unit[0] in taken else unit for unit in self._order]

    def _fill(self, loads: Sequence[CartonLoad], order: Sequence[Unit]) -> list[Unit]:
        """Place each unit by first fit; return the units without a place."""
        self._meter.steps += sum(map(len, order))
        return [unit for unit in order if not any(load.add(unit) for load in loads)]

    def _varied(self, order: list[Unit]) -> list[Unit]:
        """Return a varied order: randomised by decreasing volume, or with one unit moved."""
        if self._random.random() < MOVED_SHARE:
            order.insert(self._random.randrange(len(order)), order.pop(self._random.randrange(len(order))))
            return order
        chance = self._random.uniform(0.05, 0.55)
        return sorted(order, key=lambda unit: -self._volume([unit]) * (1 + self._random.uniform(-chance, chance)))

    def _volume(self, units: Sequence[Unit]) -> int:
        return sum(self._compiled.volume[piece] for unit in units for piece in unit)


def pack_anyhow(compiled: CompiledPacking, meter: StepMeter) -> PackedCartons | None:
    """Return a first plan: open cartons as needed, then reduce each to a smaller kind.

    Each kind in turn is preferred for new cartons. None if the stock does not suffice.
    """
    best: tuple[tuple[int, int, int], PackedCartons] | None = None
    for preferred in range(len(compiled.kinds)):
        loads = _open_as_needed(compiled, preferred, meter)
        if loads is None:
            continue
        packed = contents_of(_make_smaller(compiled, loads, meter))
        sums = objective_of(compiled, [kind for kind, _ in packed])
        if best is None or sums < best[0]:
            best = sums, packed
        if meter.is_spent:
            break
    return best[1] if best else None


def objective_of(compiled: CompiledPacking, kinds: Sequence[int]) -> tuple[int, int, int]:
    """Return the outer volume, number and cost of cartons, including void fill."""
    return sum(compiled.kinds[kind].outer_volume for kind in kinds), len(kinds), compiled.costs.of_choice(kinds)


def _open_as_needed(compiled: CompiledPacking, preferred: int, meter: StepMeter) -> list[CartonLoad] | None:
    loads: list[CartonLoad] = []
    for unit in compiled.units:
        meter.steps += len(unit)
        if any(load.add(unit) for load in loads):
            continue
        for kind in sorted(range(len(compiled.kinds)), key=lambda k: (k != preferred, compiled.kinds[k].outer_volume)):
            stock = compiled.kinds[kind].stock
            if stock is not None and sum(load.kind == kind for load in loads) >= stock:
                continue
            load = CartonLoad(compiled, kind)
            if load.add(unit):
                loads.append(load)
                break
        else:
            return None
    return loads


def _make_smaller(compiled: CompiledPacking, loads: list[CartonLoad], meter: StepMeter) -> list[CartonLoad]:
    """Move the content of each carton into the smallest kind in stock that holds it."""
    by_volume = sorted(range(len(compiled.kinds)), key=lambda kind: compiled.kinds[kind].outer_volume)
    result = list(loads)
    for number, load in enumerate(loads):
        held = set(load.pieces)
        units = [unit for unit in compiled.units if unit[0] in held]
        for kind in by_volume:
            if compiled.kinds[kind].outer_volume >= compiled.kinds[load.kind].outer_volume:
                break
            stock = compiled.kinds[kind].stock
            if stock is not None and sum(each.kind == kind for each in result) >= stock:
                continue
            smaller = CartonLoad(compiled, kind)
            meter.steps += len(held)
            if all(smaller.add(unit) for unit in units):
                result[number] = smaller
                break
    return result
