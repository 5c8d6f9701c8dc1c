"""Reasons why pieces are left over."""

from collections.abc import Collection, Sequence

from haulier.solvers.loading.filling import FilledSpace
from haulier.solvers.loading.plan import LeftOverReason
from haulier.solvers.loading.prepared import PieceKind, PreparedLoading
from haulier.solvers.packing.problem import volume_of


def why_left(
    prepared: PreparedLoading, filled: Sequence[FilledSpace], unreached: Collection[int], kind: PieceKind
) -> LeftOverReason:
    """Return the simplest reason that applies to the left-over pieces of a kind.

    `unreached` holds the kinds with a block refused because it is out of reach.
    """
    if not any(kind.sizes):
        return LeftOverReason.TOO_LARGE
    fitting = [number for number in range(len(prepared.spaces)) if kind.sizes[number]]
    if all(kind.piece.weight_g > prepared.spaces[number].payload_g for number in fitting):
        return LeftOverReason.TOO_HEAVY
    rooms = [_room_left(prepared, each) for each in filled if each.space in fitting]
    if rooms and all(weight < kind.piece.weight_g for _, weight in rooms):
        return LeftOverReason.PAYLOAD
    if rooms and all(volume < kind.least_volume for volume, _ in rooms):
        return LeftOverReason.VOLUME
    if filled and all(_is_kept_apart(prepared, each, kind) for each in filled):
        return LeftOverReason.APART
    if any(kind.number in each.moved_out for each in filled):
        return LeftOverReason.AXLES
    if kind.number in unreached:
        return LeftOverReason.REACH
    if kind.piece.together is not None:
        return LeftOverReason.TOGETHER
    return LeftOverReason.NO_PLACE


def _room_left(prepared: PreparedLoading, filled: FilledSpace) -> tuple[int, int]:
    space = prepared.spaces[filled.space]
    volume = space.fill_cap_percent * volume_of(space.inner) // 100 - sum(
        kind.least_volume for kind, _ in filled.placed
    )
    return volume, space.payload_g - sum(kind.piece.weight_g for kind, _ in filled.placed)


def _is_kept_apart(prepared: PreparedLoading, filled: FilledSpace, kind: PieceKind) -> bool:
    goods = {other.piece.goods for other, _ in filled.placed}
    return any(frozenset((kind.piece.goods, other)) in prepared.apart for other in goods)
