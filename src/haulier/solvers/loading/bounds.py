"""Lower bounds of a loading plan from total volumes and weights."""

from collections.abc import Sequence
from fractions import Fraction
from math import ceil

from haulier.solvers.loading.plan import LoadingBound
from haulier.solvers.loading.prepared import PieceKind, PreparedLoading
from haulier.solvers.packing.problem import volume_of


def loading_bound(prepared: PreparedLoading) -> LoadingBound:
    """Return lower bounds: mandatory pieces left behind, priority left behind, cost."""
    lost = [kind for kind in prepared.kinds if not fits_somewhere(prepared, kind)]
    kept = [kind for kind in prepared.kinds if fits_somewhere(prepared, kind)]
    volume, payload = _whole_room(prepared)
    mandatory = [kind for kind in kept if kind.piece.mandatory]
    beyond = max(
        _left_by(volume, [(kind.least_volume, len(kind.ids)) for kind in mandatory]),
        _left_by(payload, [(kind.piece.weight_g, len(kind.ids)) for kind in mandatory]),
    )
    left = sum(len(kind.ids) for kind in lost if kind.piece.mandatory) + beyond
    priority = sum(len(kind.ids) * kind.piece.priority for kind in lost)
    # If a piece may stay behind, all of them may: the cost has no bound then.
    return left, priority, 0 if lost or beyond else _least_cost(prepared)


def fits_somewhere(prepared: PreparedLoading, kind: PieceKind) -> bool:
    """Return True if a single piece of the kind fits into a space by size and weight."""
    return any(
        kind.sizes[number] and kind.piece.weight_g <= space.payload_g for number, space in enumerate(prepared.spaces)
    )


def _whole_room(prepared: PreparedLoading) -> tuple[int, int]:
    spaces = prepared.spaces
    volume = sum(space.stock * (space.fill_cap_percent * volume_of(space.inner) // 100) for space in spaces)
    return volume, sum(space.stock * space.payload_g for space in spaces)


def _left_by(room: int, sizes: Sequence[tuple[int, int]]) -> int:
    """Return the minimum number of pieces left behind, loading the smallest first."""
    left = 0
    for size, count in sorted(sizes):
        taken = min(count, room // size) if size else count
        room -= taken * size
        left += count - taken
    return left


def _least_cost(prepared: PreparedLoading) -> int:
    """Return a lower bound of the cost of loading all mandatory pieces.

    It is at least the cost of one space. Spaces may be used in part (fractional relaxation).
    """
    mandatory = [kind for kind in prepared.kinds if kind.piece.mandatory]
    if not mandatory:
        return 0
    volume = sum(kind.least_volume * len(kind.ids) for kind in mandatory)
    weight = sum(kind.piece.weight_g * len(kind.ids) for kind in mandatory)
    rooms = [
        (space.cost_cents, space.stock, space.fill_cap_percent * volume_of(space.inner) // 100, space.payload_g)
        for space in prepared.spaces
    ]
    by_volume = _cost_of([(cost, stock, room) for cost, stock, room, _ in rooms], volume)
    by_weight = _cost_of([(cost, stock, payload) for cost, stock, _, payload in rooms], weight)
    return max(by_volume, by_weight, min(cost for cost, *_ in rooms))


def _cost_of(rooms: Sequence[tuple[int, int, int]], needed: int) -> int:
    """Return the least cost of the needed capacity, rounded up.

    A single kind of space is only used whole.
    """
    cost = Fraction(0)
    for each, stock, room in sorted(rooms, key=lambda item: (Fraction(item[0], max(1, item[2])), item[0])):
        used = min(needed, stock * room)
        cost += Fraction(each * used, max(1, room))
        needed -= used
    if len(rooms) == 1 and rooms[0][0]:
        return ceil(cost / rooms[0][0]) * rooms[0][0]
    return ceil(cost)
