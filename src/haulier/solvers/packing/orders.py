"""Packs one choice of cartons by emptying and packing some of them anew, and makes a first plan without a choice."""

from collections.abc import Sequence
from random import Random

from haulier.solvers.packing.assignment import Content
from haulier.solvers.packing.budget import StepMeter
from haulier.solvers.packing.compiled import CompiledPacking, Unit
from haulier.solvers.packing.load import CartonLoad

PackedCartons = list[tuple[int, Content]]
"""The kind of each carton, and its content."""
EMPTIED = (2, 6)
"""So many cartons are emptied at once."""
MOVED_SHARE = 0.4
"""Of the new orders, so many are the old one with one unit moved, which alone helps where one carton takes all."""


def contents_of(loads: Sequence[CartonLoad]) -> PackedCartons:
    """What lies in cartons that were filled; empty ones are left out."""
    return [(load.kind, tuple(zip(load.pieces, load.boxes, strict=True))) for load in loads if load.pieces]


def pack_choice(
    compiled: CompiledPacking, choice: Sequence[int], meter: StepMeter, random: Random, tries: int
) -> PackedCartons | None:
    """Pack all pieces into the chosen cartons: some are emptied and packed anew, with what has no place yet, so many times."""
    search = _RepackSearch(compiled, choice, meter, random)
    while search.waiting and tries > 0 and not meter.is_spent:
        search.repack_some()
        tries -= 1
    return None if search.waiting else contents_of(sorted(search.loads, key=lambda load: load.kind))


class _RepackSearch:
    """A packing that leaves out less and less."""

    def __init__(self, compiled: CompiledPacking, choice: Sequence[int], meter: StepMeter, random: Random) -> None:
        self._compiled, self._meter, self._random = compiled, meter, random
        self._order = list(compiled.units)
        self.loads = [CartonLoad(compiled, kind) for kind in choice]
        self.waiting = self._fill(self.loads, self._order)

    def repack_some(self) -> None:
        """Empty some cartons and pack them anew; what comes of it is kept where it leaves out no more volume."""
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
        """Put each unit into the first carton that has a place for it; what found none."""
        self._meter.steps += sum(map(len, order))
        return [unit for unit in order if not any(load.add(unit) for load in loads)]

    def _varied(self, order: list[Unit]) -> list[Unit]:
        """Another order: the greatest first, with some chance, or with only one unit moved."""
        if self._random.random() < MOVED_SHARE:
            order.insert(self._random.randrange(len(order)), order.pop(self._random.randrange(len(order))))
            return order
        chance = self._random.uniform(0.05, 0.55)
        return sorted(order, key=lambda unit: -self._volume([unit]) * (1 + self._random.uniform(-chance, chance)))

    def _volume(self, units: Sequence[Unit]) -> int:
        return sum(self._compiled.volume[piece] for unit in units for piece in unit)


def pack_anyhow(compiled: CompiledPacking, meter: StepMeter) -> PackedCartons | None:
    """A first plan: each kind of carton by turns takes what does not fit elsewhere, and each carton is then made smaller.

    None where the stock does not suffice in this way.
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
    """Outer volume, number and cost of cartons with what fills them."""
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
    """Put the content of each carton into the smallest kind that takes it, as far as there is stock."""
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
