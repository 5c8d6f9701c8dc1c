"""Pieces that cannot be packed, found before any search, with the violated rule."""

from collections.abc import Callable, Sequence

from haulier.solvers.packing.bounds import refute_by_sums
from haulier.solvers.packing.budget import StepMeter
from haulier.solvers.packing.compiled import CompiledPacking, Unit
from haulier.solvers.packing.plan import PackingRule
from haulier.solvers.packing.problem import PackingPiece, Size, turned_size
from haulier.solvers.packing.relations import search_one_carton

GROUP_NODES = 2_000
"""Node limit of the exact search for a group that stays together, for each kind of carton."""
GROUP_PIECES = 10

ImpossiblePieces = tuple[tuple[str, ...], PackingRule]


def find_impossible(compiled: CompiledPacking, meter: StepMeter) -> ImpossiblePieces | None:
    """Return a minimal set of pieces that cannot be packed; None if not found.

    Pieces are removed one by one while the proof still holds.
    """
    for unit in compiled.units:
        for piece in unit:
            if not any(compiled.extents[piece]):
                return (compiled.pieces[piece].id,), _why_alone(compiled, piece)
    for unit in compiled.units:
        if len(unit) > 1 and _no_carton_takes(compiled, unit, meter):
            smallest = _shrink(unit, lambda rest: _no_carton_takes(compiled, rest, meter))
            return tuple(compiled.pieces[piece].id for piece in smallest), PackingRule.TOGETHER
    return _beyond_stock(compiled)


def _why_alone(compiled: CompiledPacking, piece: int) -> PackingRule:
    """Return the least restrictive rule that keeps a piece out of the carton kinds."""
    one = compiled.pieces[piece]
    rules: set[PackingRule] = set()
    for kind, carton in enumerate(compiled.kinds):
        if not _fits(one, compiled.problem.cartons[kind].inner, one.size):
            rules.add(PackingRule.INSIDE)
        elif not _fits(one, carton.inner, compiled.bulk[piece]):
            rules.add(PackingRule.CUSHION)
        elif compiled.volume[piece] > compiled.capacity[kind]:
            rules.add(PackingRule.FILL)
        else:
            rules.add(PackingRule.PAYLOAD)
    order = (PackingRule.PAYLOAD, PackingRule.FILL, PackingRule.CUSHION, PackingRule.INSIDE)
    return next((rule for rule in order if rule in rules), PackingRule.INSIDE)


def _fits(piece: PackingPiece, inner: Size, size: Size) -> bool:
    return any(all(a <= b for a, b in zip(turned_size(size, turn), inner, strict=True)) for turn in piece.turns)


def _no_carton_takes(compiled: CompiledPacking, unit: Unit, meter: StepMeter) -> bool:
    return all(_cannot_take(compiled, unit, kind, meter) for kind in range(len(compiled.kinds)))


def _cannot_take(compiled: CompiledPacking, unit: Unit, kind: int, meter: StepMeter) -> bool:
    if not compiled.unit_fits(unit, kind) or refute_by_sums(compiled, (kind,), [unit]):
        return True
    if len(unit) > GROUP_PIECES:
        return False
    turns = [compiled.extents[piece][kind] for piece in unit]
    return search_one_carton(compiled.kinds[kind].inner, turns, meter, GROUP_NODES) is False


def _shrink(unit: Sequence[int], still_impossible: Callable[[tuple[int, ...]], bool]) -> tuple[int, ...]:
    rest = tuple(unit)
    for piece in unit:
        fewer = tuple(other for other in rest if other != piece)
        if fewer and still_impossible(fewer):
            rest = fewer
    return rest


def _beyond_stock(compiled: CompiledPacking) -> ImpossiblePieces | None:
    """Return pieces that exceed the total capacity of the cartons in stock."""
    if not compiled.units or any(kind.stock is None for kind in compiled.kinds):
        return None
    most = len(compiled.units)
    everything = [kind for kind, each in enumerate(compiled.kinds) for _ in range(min(each.stock or 0, most))]

    def exceeds(units: Sequence[Unit]) -> bool:
        return refute_by_sums(compiled, everything, units) is not None

    if not exceeds(compiled.units):
        return None
    rest = list(compiled.units)
    for unit in compiled.units[::-1]:
        fewer = [other for other in rest if other != unit]
        if fewer and exceeds(fewer):
            rest = fewer
    return tuple(compiled.pieces[piece].id for unit in rest for piece in unit), PackingRule.STOCK
