"""Loads spaces by a library that fills one space densely, where nothing but sizes, sums and worth matters.

It knows no support and no stacking, no stops and no axles: where one of these is asked for, only the search of ours loads.
"""

from collections.abc import Sequence

from haulier.solvers.loading.filling import FilledSpace
from haulier.solvers.loading.prepared import PieceKind, PreparedLoading
from haulier.solvers.loading.problem import DoorSide, LoadSpace
from haulier.solvers.packing.budget import StepMeter
from haulier.solvers.packing.ports import FillKind, FillTask, SpaceFiller
from haulier.solvers.packing.problem import volume_of

STEPS_PER_PIECE = 70
"""What a piece in a filling counts for: as long as so many blocks of ours take."""
SHARE_OF_THE_CLOCK = 0.85
"""What the library may use of the time that is left: it may find nothing on a busy machine, and then ours goes on."""


class DenseLoading:
    """Fills one space after the other with what is left."""

    def __init__(self, prepared: PreparedLoading, filler: SpaceFiller, meter: StepMeter) -> None:
        self._prepared, self._filler, self._meter = prepared, filler, meter
        self.is_usable = (
            not prepared.problem.support_percent
            and prepared.stacks_freely
            and all(_is_plain_space(space, len(prepared.stops) > 1) for space in prepared.spaces)
            and all(_is_plain_kind(kind) for kind in prepared.kinds)
        )

    def load(self, order: Sequence[int], left: list[int]) -> list[FilledSpace]:
        """Load spaces in an order with pieces that are left, and take them off `left`."""
        filled: list[FilledSpace] = []
        for place, space in enumerate(order):
            if not any(left) or self._meter.is_spent:
                break
            if one := self._fill(space, left, len(order) - place):
                filled.append(one)
        return filled

    def _fill(self, space: int, left: list[int], spaces_left: int) -> FilledSpace | None:
        one, kinds, seconds = self._prepared.spaces[space], self._prepared.kinds, self._meter.seconds_left
        is_capped = one.fill_cap_percent < 100
        most = one.fill_cap_percent * volume_of(one.inner) // 100 if is_capped else one.payload_g
        wanted = [
            FillKind(
                tuple(kind.sizes[space]),
                left[kind.number],
                self._worth(kind),
                kind.volume if is_capped else kind.piece.weight_g,
            )
            for kind in kinds
        ]
        cost = STEPS_PER_PIECE * sum(left)
        if self._meter.steps_left is not None and self._meter.steps_left < cost:
            return None
        share = None if seconds is None else seconds * SHARE_OF_THE_CLOCK / spaces_left
        filled = self._filler.fill(FillTask(one.inner, most, tuple(wanted), share, is_open_ended=share is not None))
        self._meter.steps += cost
        # Why sorted along the space: what stands nearer to the front wall goes in through the rear door before the rest.
        boxes = sorted(filled.placed, key=lambda each: (each[1][0], each[1][2], each[1][1]))
        placed = tuple((kinds[number], box) for number, box in boxes)
        if not placed or sum(kind.piece.weight_g for kind, _ in placed) > one.payload_g:
            return None
        for kind, _ in placed:
            left[kind.number] -= 1
        return FilledSpace(space, placed)

    def _worth(self, kind: PieceKind) -> int:
        """What leaving a piece behind costs; by volume where there are several spaces, so that large pieces do not wait."""
        if sum(space.stock for space in self._prepared.spaces) > 1:
            return kind.volume
        every = sum(len(each.ids) * each.piece.priority for each in self._prepared.kinds)
        return max(1, kind.piece.priority + kind.piece.mandatory * (every + 1))


def _is_plain_space(space: LoadSpace, has_stops: bool) -> bool:
    asks_for_more = space.obstacles or space.axles or space.balance
    return not asks_for_more and (not space.doors or (DoorSide.REAR in space.doors and not has_stops))


def _is_plain_kind(kind: PieceKind) -> bool:
    return not (kind.piece.floor_only or kind.piece.together or kind.piece.goods)
