"""Space filler based on the tree search of PackingSolver (the extra `packing`)."""

import os
from collections.abc import Sequence

import msgspec
from packingsolver3d import BinType, Instance, ItemType, OptimizationMode, Rotation, box
from packingsolver3d import Objective as Aim

from haulier.solvers.packing.bounded import run_bounded
from haulier.solvers.packing.load import Box
from haulier.solvers.packing.ports import Filled, FillKind, FillTask
from haulier.solvers.packing.problem import Size

STEPS_PER_PIECE = 400
"""Steps counted per piece of a task; a task of thirty pieces takes about one processor second."""
LOADING_STEPS_PER_PIECE = 70
"""The same in steps of the loading search, where placing as many blocks one by one takes equally long."""
MOST_PROCESSOR_S = 15
"""Processor time limit of a fixed filling."""
SHARE_OF_THE_CLOCK = 0.9
"""Share of the time after which the library is asked to stop; it is killed when all time is used."""
EXACT_FLOAT = 2**53
"""Largest exact sum; the library computes values in floating point."""
ROTATIONS = (Rotation.XYZ, Rotation.YXZ, Rotation.XZY, Rotation.ZYX, Rotation.YZX, Rotation.ZXY)


class TreeSearchFiller:
    """PackingSolver for one space; deterministic for a fixed amount of work."""

    name = "packingsolver3d"
    knows_support = False

    def fixed_steps(self, pieces: int) -> int | None:
        """Return the steps to count; see `SpaceFiller`."""
        return LOADING_STEPS_PER_PIECE * pieces

    def fill(self, task: FillTask) -> Filled:
        """Fill a space; see `SpaceFiller`. Empty if the library fails."""
        kinds = [number for number, kind in enumerate(task.kinds) if kind.count and kind.ways]
        pieces = sum(task.kinds[number].count for number in kinds)
        if not kinds or sum(task.kinds[number].value * task.kinds[number].count for number in kinds) > EXACT_FLOAT:
            return Filled((), 1)
        # Limit processor time as well: most fillings take a second or two, and some never check the clock.
        processor = MOST_PROCESSOR_S
        if task.is_open_ended and task.seconds is not None:
            processor = round(task.seconds + 1) * (os.cpu_count() or 1)
        answer = run_bounded(
            lambda: msgspec.msgpack.encode(self._search(task, kinds)), seconds=task.seconds, processor_seconds=processor
        )
        placed = () if answer is None else msgspec.msgpack.decode(answer, type=tuple[tuple[int, Box], ...])
        return Filled(placed, STEPS_PER_PIECE * pieces)

    def _search(self, task: FillTask, kinds: Sequence[int]) -> tuple[tuple[int, Box], ...]:
        x, y, z = task.inner
        instance = Instance(
            bin_types=(BinType(x=x, y=y, z=z, maximum_weight=float(task.most_load)),),
            item_types=tuple(_item(task.kinds[number]) for number in kinds),
            objective=Aim.KNAPSACK,
        )
        is_fixed = not task.is_open_ended
        result = box.solve(
            instance,
            time_limit=None if task.seconds is None else task.seconds * SHARE_OF_THE_CLOCK,
            optimization_mode=OptimizationMode.NOT_ANYTIME_DETERMINISTIC if is_fixed else OptimizationMode.ANYTIME,
            use_tree_search=False if is_fixed else None,
            use_tree_search_maximal_spaces=True if is_fixed else None,
        )
        return tuple((kinds[p.item_type_id], _corners(p.x, p.y, p.z, p.lx, p.ly, p.lz)) for p in result.placements)


def _item(kind: FillKind) -> ItemType:
    x, y, z = kind.ways[0]
    return ItemType(
        x=x,
        y=y,
        z=z,
        profit=float(kind.value),
        weight=float(kind.load),
        copies=kind.count,
        rotations=_rotations(kind.ways),
    )


def _rotations(ways: Sequence[Size]) -> tuple[Rotation, ...]:
    """Return the rotations of the first size that give each of the sizes.

    The letters of a rotation name the edges along x, y and z.
    """
    first = dict(zip("XYZ", ways[0], strict=True))
    by_extents = {tuple(first[letter] for letter in turn.value): turn for turn in reversed(ROTATIONS)}
    return tuple(by_extents[way] for way in ways)


def _corners(x: int, y: int, z: int, wide: int, deep: int, high: int) -> Box:
    return x, y, z, x + wide, y + deep, z + high
