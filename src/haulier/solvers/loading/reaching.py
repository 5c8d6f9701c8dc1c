"""Reach of loading methods, as checked by the engine for blocks."""

from collections.abc import Iterable

from haulier.solvers.loading.blocks import PieceBlock
from haulier.solvers.loading.problem import Box, DoorSide, LoadPiece, LoadSpace, Reach


def reach_of(space: LoadSpace, piece: LoadPiece) -> Reach | None:
    """Return the reach of the method of a piece; None if it reaches everything."""
    return next((each for each in space.reach if each.method == piece.method), None)


def corner_box(space: LoadSpace, block: PieceBlock, empty: Box) -> Box | None:
    """Return the position of a block in an empty box; None if it does not fit there.

    It is in the front corner at the nearer wall, or closer to the door if the reach is limited.
    """
    x, y, z = block.extents
    at_left = empty[1] <= space.inner[1] - empty[4]
    x0, y0 = empty[0], empty[1] if at_left else empty[4] - y
    reach = reach_of(space, block.kind.piece)
    if reach and not reach.enters and reach.depth_mm is not None:
        doors = set(space.doors) & set(reach.doors or space.doors)
        if doors == {DoorSide.REAR}:
            x0 = max(x0, space.inner[0] - reach.depth_mm - block.size[0])
        elif doors in ({DoorSide.LEFT}, {DoorSide.RIGHT}):
            y0 = empty[1] if DoorSide.LEFT in doors else empty[4] - y
    return None if x0 + x > empty[3] else (x0, y0, empty[2], x0 + x, y0 + y, empty[2] + z)


def reaches(space: LoadSpace, reach: Reach, block: PieceBlock, box: Box, door: DoorSide, there: Iterable[Box]) -> bool:
    """Return True if every piece of a block can be loaded through a door.

    `there` holds the boxes in the way. The piece farthest from the door is the hardest to reach and is loaded before
    the others of its block.
    """
    if reach.doors is not None and door not in reach.doors:
        return False
    highest = box[2] + (block.counts[2] - 1) * (block.size[2] - block.sunk)
    if reach.height_mm is not None and door is not DoorSide.TOP and highest > reach.height_mm:
        return False
    if reach.depth_mm is None:
        return True
    axis, forward = _axis(door)
    face = box[axis] + block.size[axis] if forward else box[axis + 3] - block.size[axis]
    if reach.enters and door is not DoorSide.TOP:
        ends = [_end(other, axis, forward) for other in there if _is_beside(box, other, axis)]
        deep = max([0, *(end - face if forward else face - end for end in ends)])
    else:
        deep = space.inner[axis] - face if forward else face
    return deep <= reach.depth_mm


def hides(reach: Reach, box: Box, other: Box, door: DoorSide) -> bool:
    """Return True if a box puts another one out of reach through a door."""
    if not reach.enters or reach.depth_mm is None or door is DoorSide.TOP:
        return False
    axis, forward = _axis(door)
    end, face = _end(box, axis, forward), _end(other, axis, forward)
    deep = end - face if forward else face - end
    return _is_beside(box, other, axis) and deep > reach.depth_mm


def _axis(door: DoorSide) -> tuple[int, bool]:
    if door is DoorSide.TOP:
        return 2, True
    return (0, door is DoorSide.REAR) if door in (DoorSide.REAR, DoorSide.FRONT) else (1, door is DoorSide.RIGHT)


def _end(box: Box, axis: int, forward: bool) -> int:
    return box[axis + 3] if forward else box[axis]


def _is_beside(box: Box, other: Box, axis: int) -> bool:
    across = 1 - axis
    return box[across] < other[across + 3] and other[across] < box[across + 3]
