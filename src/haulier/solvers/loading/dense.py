"""Loading with engines that fill one space densely.

These engines consider only sizes, totals, worth and sometimes support, but no stacking rules, stops or axles. Problems
with such rules are left to the search in `filling`. An engine that supports bases places them wholly on others, which
satisfies any required share.
"""

from collections.abc import Sequence
from heapq import heapify, heappop, heappush

from haulier.solvers.loading.filling import FilledSpace
from haulier.solvers.loading.prepared import PieceKind, PreparedLoading
from haulier.solvers.loading.problem import Box, DoorSide, LoadSpace
from haulier.solvers.packing.budget import StepMeter
from haulier.solvers.packing.ports import FillKind, FillTask, SpaceFiller
from haulier.solvers.packing.problem import volume_of

SHARE_OF_THE_CLOCK = 0.85
"""Share of the remaining time for the last engine.

It may find nothing on a busy machine; `filling` then uses the rest.
"""


class DenseLoading:
    """Fills one space after the other with the remaining pieces."""

    def __init__(self, prepared: PreparedLoading, filler: SpaceFiller, meter: StepMeter) -> None:
        self._prepared, self._filler, self._meter = prepared, filler, meter
        self._is_supported = bool(prepared.problem.support_percent)
        self.is_usable = (
            (filler.knows_support or not self._is_supported)
            and prepared.stacks_freely
            and all(_is_plain_space(space, len(prepared.stops) > 1) for space in prepared.spaces)
            and all(_is_plain_kind(kind) for kind in prepared.kinds)
        )

    def load(self, order: Sequence[int], left: list[int], engines: int = 1) -> list[FilledSpace]:
        """Load spaces in the given order and subtract their pieces from `left`.

        `engines` is the number of engines, including this one, that share the rest of the budget.
        """
        filled: list[FilledSpace] = []
        for place, space in enumerate(order):
            if not any(left) or self._meter.is_spent:
                break
            if one := self._fill(space, left, (len(order) - place) * engines):
                filled.append(one)
        return filled

    def _fill(self, space: int, left: list[int], shares: int) -> FilledSpace | None:
        one, kinds = self._prepared.spaces[space], self._prepared.kinds
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
        task = self._task(one, most, tuple(wanted), shares)
        if task is None:
            return None
        filled = self._filler.fill(task)
        fixed = self._filler.fixed_steps(sum(left))
        self._meter.steps += filled.steps if fixed is None else fixed
        boxes = _in_order_of_loading(filled.placed) if self._is_supported else _along_the_space(filled.placed)
        placed = tuple((kinds[number], box) for number, box in boxes)
        if not placed or sum(kind.piece.weight_g for kind, _ in placed) > one.payload_g:
            return None
        for kind, _ in placed:
            left[kind.number] -= 1
        return FilledSpace(space, placed)

    def _task(self, space: LoadSpace, most: int, kinds: tuple[FillKind, ...], shares: int) -> FillTask | None:
        """Build the task of the engine; None if too few steps remain."""
        seconds, steps = self._meter.seconds_left, self._meter.steps_left
        if steps is not None and (fixed := self._filler.fixed_steps(sum(kind.count for kind in kinds))) is not None:
            if steps < fixed:
                return None
            steps = fixed
        elif steps is not None:
            steps = max(1, round(steps * SHARE_OF_THE_CLOCK / shares))
        share = None if seconds is None else seconds * SHARE_OF_THE_CLOCK / shares
        return FillTask(
            space.inner,
            most,
            kinds,
            share,
            is_open_ended=share is not None,
            is_supported=self._is_supported,
            steps=steps,
            is_processor_time=self._meter.is_processor_time,
        )

    def _worth(self, kind: PieceKind) -> int:
        """Return the penalty of leaving a piece behind.

        With several spaces it is the volume, so that large pieces are not postponed.
        """
        if sum(space.stock for space in self._prepared.spaces) > 1:
            return kind.volume
        every = sum(len(each.ids) * each.piece.priority for each in self._prepared.kinds)
        return max(1, kind.piece.priority + kind.piece.mandatory * (every + 1))


def _is_plain_space(space: LoadSpace, has_stops: bool) -> bool:
    asks_for_more = space.obstacles or space.axles or space.balance or space.reach
    return not asks_for_more and (not space.doors or (DoorSide.REAR in space.doors and not has_stops))


def _is_plain_kind(kind: PieceKind) -> bool:
    return not (kind.piece.floor_only or kind.piece.together or kind.piece.goods or kind.piece.nesting_mm)


def _along_the_space(placed: Sequence[tuple[int, Box]]) -> list[tuple[int, Box]]:
    """Sort by distance from the front wall, the loading order through the rear door."""
    return sorted(placed, key=lambda each: _nearness(each[1]))


def _nearness(box: Box) -> tuple[int, int, int]:
    return box[0], box[2], box[1]


def _in_order_of_loading(placed: Sequence[tuple[int, Box]]) -> list[tuple[int, Box]]:
    """Sort into a loading order: lower before upper, front wall before rear door.

    Pieces that no such order can load are left out.
    """
    boxes = [box for _, box in placed]
    after: list[list[int]] = [[] for _ in boxes]
    waits = [0] * len(boxes)
    for at, box in enumerate(boxes):
        for number, other in enumerate(boxes):
            is_beyond = (
                other[0] >= box[3]
                and other[1] < box[4]
                and box[1] < other[4]
                and other[2] < box[5]
                and box[2] < other[5]
            )
            is_upon = (
                other[2] == box[5]
                and other[0] < box[3]
                and box[0] < other[3]
                and other[1] < box[4]
                and box[1] < other[4]
            )
            if is_beyond or is_upon:
                after[at].append(number)
                waits[number] += 1
    ready = [(_nearness(box), at) for at, box in enumerate(boxes) if not waits[at]]
    heapify(ready)
    ordered: list[tuple[int, Box]] = []
    while ready:
        _, at = heappop(ready)
        ordered.append(placed[at])
        for number in after[at]:
            waits[number] -= 1
            if not waits[number]:
                heappush(ready, (_nearness(boxes[number]), number))
    return ordered
