"""A search over orders of pieces: for one choice of cartons, and for a first plan without a choice."""

from collections.abc import Sequence
from random import Random

from haulier.solvers.packing.assignment import Content
from haulier.solvers.packing.budget import StepMeter
from haulier.solvers.packing.compiled import CompiledPacking, Unit
from haulier.solvers.packing.load import CartonLoad

PackedCartons = list[tuple[int, Content]]
"""The kind of each carton, and its content."""


def contents_of(loads: Sequence[CartonLoad]) -> PackedCartons:
    """What lies in cartons that were filled; empty ones are left out."""
    return [(load.kind, tuple(zip(load.pieces, load.boxes, strict=True))) for load in loads if load.pieces]


def pack_choice(
    compiled: CompiledPacking, choice: Sequence[int], meter: StepMeter, random: Random, tries: int
) -> PackedCartons | None:
    """Pack all pieces into the chosen cartons, by so many orders; each that packs as much as the best is kept."""
    order = list(compiled.units)
    best, best_volume = order, -1
    cartons = list(choice)
    for _ in range(tries):
        loads = [CartonLoad(compiled, kind) for kind in cartons]
        volume = _fill(compiled, loads, order, meter)
        if volume is None:
            return contents_of(sorted(loads, key=lambda load: load.kind))
        if meter.is_spent:
            return None
        if volume >= best_volume:
            best, best_volume = order, volume
        order = _neighbour(best, random)
        random.shuffle(cartons)
    return None


def _fill(
    compiled: CompiledPacking, loads: Sequence[CartonLoad], order: Sequence[Unit], meter: StepMeter
) -> int | None:
    """The volume that found a place; None when all did. Ends early where too little room is left for the rest."""
    packed = 0
    missing = 0
    slack = sum(load.room for load in loads) - sum(compiled.volume)
    for unit in order:
        meter.steps += len(unit)
        if any(load.add(unit) for load in loads):
            packed += sum(compiled.volume[piece] for piece in unit)
        else:
            missing += 1
    return None if not missing else packed + min(0, slack)


def _neighbour(order: Sequence[Unit], random: Random) -> list[Unit]:
    """An order with a unit moved elsewhere, or two exchanged."""
    other = list(order)
    i, j = random.randrange(len(other)), random.randrange(len(other))
    if random.random() < 0.5:
        other[i], other[j] = other[j], other[i]
    else:
        other.insert(j, other.pop(i))
    return other


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
