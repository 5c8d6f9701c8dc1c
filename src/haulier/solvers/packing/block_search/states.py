"""Search states: placed blocks, maximal empty boxes and remaining boxes."""

from typing import NamedTuple

import numpy as np

from haulier.solvers.packing.block_search.jit import Floats, Integers, ShortIntegers, compiled

EMPTY_MAX = 400
"""Maximum number of empty boxes; more are dropped, which loses positions but stays valid."""
CORNER_DISTANCE, CORNER = 6, 7
"""Columns of an empty box after its corners: distance of its best corner from that of the space, and the corner."""


class Task(NamedTuple):
    """Constants of a filling. Blocks are numbered by their context-free score."""

    inner: Integers
    is_supported: bool
    """If true, every base must be fully supported."""
    ways: Integers
    """Kind of box and lengths along x, y and z, by row."""
    reach: Integers
    """Longest part that edges can fill, by axis and length."""
    size: ShortIntegers
    """By axis and block."""
    need: ShortIntegers
    """Number of boxes, by kind and block."""
    base: Floats
    """Context-free score by block, greatest first."""
    value: Integers
    """Value by block."""
    load: Integers
    """Used amount of `most_load`, by block."""
    is_loaded: bool
    """True if all boxes together exceed `most_load`."""
    weights: Integers
    """Weight by axis of the distance of an empty box from the corners of the space."""
    gap: Integers
    """Maximum distance by axis at which sides count as touching."""
    contact: float
    """Exponent of the share of the sides of a block in contact."""
    usable: float


class States(NamedTuple):
    """Several states, indexed by number."""

    empty: Integers
    empty_count: Integers
    placed: Integers
    """Two corners and the number of the block."""
    placed_count: Integers
    left: Integers
    smallest: Integers
    """Shortest edge of the remaining boxes, by axis."""
    alive: ShortIntegers
    """Numbers of blocks with enough remaining boxes, best score first."""
    alive_count: Integers
    sums: Integers
    """Value of the placed blocks, and remaining load."""


class Buffers(NamedTuple):
    """Work arrays."""

    parts: Integers
    """Parts of cut empty boxes, and their side of the box."""
    near: Integers
    """Two corners of each placed block near an empty box."""
    found: Integers
    scores: Floats


def empty_states(count: int, kinds: int, blocks: int, boxes: int) -> States:
    """Allocate `count` states."""
    return States(
        np.zeros((count, EMPTY_MAX, 8), np.int64),
        np.zeros(count, np.int64),
        np.zeros((count, boxes + 1, 7), np.int64),
        np.zeros(count, np.int64),
        np.zeros((count, kinds), np.int64),
        np.zeros((count, 3), np.int64),
        np.zeros((count, blocks), np.int32),
        np.zeros(count, np.int64),
        np.zeros((count, 2), np.int64),
    )


def empty_buffers(boxes: int, width: int) -> Buffers:
    """Allocate work arrays for states of `boxes` boxes and the `width` best blocks."""
    return Buffers(
        np.zeros((EMPTY_MAX * 6, 7), np.int64),
        np.zeros((boxes + 1, 6), np.int64),
        np.zeros(width, np.int64),
        np.zeros(width, np.float64),
    )


@compiled
def copy_state(source: States, one: int, target: States, other: int) -> None:
    """Copy one state over another."""
    _copy_places(source, one, target, other)
    alive = source.alive_count[one]
    target.alive[other, :alive] = source.alive[one, :alive]
    target.alive_count[other] = alive


@compiled
def _copy_places(source: States, one: int, target: States, other: int) -> None:
    """Copy a state except its usable blocks."""
    empty, placed = source.empty_count[one], source.placed_count[one]
    target.empty[other, :empty] = source.empty[one, :empty]
    target.placed[other, :placed] = source.placed[one, :placed]
    target.left[other] = source.left[one]
    target.smallest[other] = source.smallest[one]
    target.sums[other] = source.sums[one]
    target.empty_count[other] = empty
    target.placed_count[other] = placed


@compiled
def mark_corner(task: Task, empty: Integers) -> None:
    """Find the corner of an empty box nearest to a corner of the space.

    With support, only lower corners count.
    """
    distance, corner = 0, 0
    for axis in range(3):
        near, far = empty[axis], task.inner[axis] - empty[axis + 3]
        if far < near and not (task.is_supported and axis == 2):
            distance += task.weights[axis] * far
            corner |= 1 << axis
        else:
            distance += task.weights[axis] * near
    empty[CORNER_DISTANCE] = distance
    empty[CORNER] = corner


@compiled
def _holds(outer: Integers, inner: Integers) -> bool:
    for axis in range(3):  # noqa: SIM110 - generators cannot be compiled
        if outer[axis] > inner[axis] or outer[axis + 3] < inner[axis + 3]:
            return False
    return True


@compiled
def _is_large(states: States, state: int, part: Integers) -> bool:
    """Return True if an edge of a remaining box fits along each axis."""
    for axis in range(3):  # noqa: SIM110 - generators cannot be compiled
        if part[axis + 3] - part[axis] < states.smallest[state, axis]:
            return False
    return True


@compiled
def _record_part(task: Task, states: States, state: int, part: Integers) -> None:
    """Add an empty box, unless no box fits or another empty box contains it."""
    if not _is_large(states, state, part):
        return
    empty, count = states.empty[state], states.empty_count[state]
    for at in range(count):
        if _holds(empty[at], part):
            return
    at = 0
    while at < count:
        if _holds(part, empty[at]):
            count -= 1
            empty[at] = empty[count]
        else:
            at += 1
    if count < EMPTY_MAX:
        empty[count, :6] = part[:6]
        mark_corner(task, empty[count])
        count += 1
    states.empty_count[state] = count


@compiled
def _cut_one(task: Task, states: States, state: int, at: int, box: Integers, parts: Integers, noted: int) -> int:
    """Write the parts of an empty box around a box; return the total number noted."""
    one = states.empty[state, at]
    for axis in range(3):
        is_height = task.is_supported and axis == 2
        if not is_height and box[axis] - one[axis] >= states.smallest[state, axis]:
            parts[noted, :6] = one[:6]
            parts[noted, axis + 3] = box[axis]
            parts[noted, 6] = axis
            noted += 1
        if one[axis + 3] - box[axis + 3] >= states.smallest[state, axis]:
            parts[noted, :6] = one[:6]
            parts[noted, axis] = box[axis + 3]
            parts[noted, 6] = axis + 3
            if is_height:
                for side in range(2):
                    parts[noted, side] = max(one[side], box[side])
                    parts[noted, side + 3] = min(one[side + 3], box[side + 3])
            noted += int(_is_large(states, state, parts[noted]))
    return noted


@compiled
def _is_held(empty: Integers, kept: int, parts: Integers, noted: int, number: int) -> bool:
    """Return True if another empty box, or a part on the same side, contains a part."""
    part = parts[number]
    side = part[6]
    for other in range(noted):
        if (
            other != number
            and parts[other, 6] == side
            and _holds(parts[other], part)
            and (other < number or not _holds(part, parts[other]))
        ):
            return True
    for at in range(kept):  # noqa: SIM110 - generators cannot be compiled
        if _holds(empty[at], part):
            return True
    return False


@compiled
def _cut(task: Task, states: States, state: int, box: Integers, parts: Integers) -> None:
    """Cut a box out of the empty boxes.

    With support, an empty box above it is only as large as its top.
    """
    empty = states.empty[state]
    kept, noted = 0, 0
    for at in range(states.empty_count[state]):
        if not _is_large(states, state, empty[at]):
            continue
        if (
            box[0] >= empty[at, 3]
            or box[3] <= empty[at, 0]
            or box[1] >= empty[at, 4]
            or box[4] <= empty[at, 1]
            or box[2] >= empty[at, 5]
            or box[5] <= empty[at, 2]
        ):
            if kept != at:
                empty[kept] = empty[at]
            kept += 1
        else:
            noted = _cut_one(task, states, state, at, box, parts, noted)
    before = kept
    for number in range(noted):
        if kept < EMPTY_MAX and not _is_held(empty, before, parts, noted, number):
            empty[kept, :6] = parts[number, :6]
            mark_corner(task, empty[kept])
            kept += 1
    states.empty_count[state] = kept


@compiled
def _is_free(states: States, state: int, part: Integers) -> bool:
    """Return True if no block is placed in a part of the space."""
    for at in range(states.placed_count[state]):
        box = states.placed[state, at]
        if (
            box[0] < part[3]
            and box[3] > part[0]
            and box[1] < part[4]
            and box[4] > part[1]
            and box[2] < part[5]
            and box[5] > part[2]
        ):
            return False
    return True


@compiled
def _widen(states: States, state: int, part: Integers) -> None:
    """Widen a part above a top over adjacent tops of the same height and width."""
    grown = True
    while grown:
        grown = False
        for at in range(states.placed_count[state]):
            box = states.placed[state, at]
            if box[5] != part[2]:
                continue
            for axis in range(2):
                side = 1 - axis
                if box[side] > part[side] or box[side + 3] < part[side + 3]:
                    continue
                if box[axis + 3] == part[axis]:
                    part[axis] = box[axis]
                    grown = True
                elif box[axis] == part[axis + 3]:
                    part[axis + 3] = box[axis + 3]
                    grown = True


@compiled
def _join_tops(task: Task, states: States, state: int, box: Integers, part: Integers) -> None:
    """Add empty boxes that span the top of a new box and adjacent tops of its height."""
    if box[5] + states.smallest[state, 2] > task.inner[2]:
        return
    for at in range(states.placed_count[state]):
        other = states.placed[state, at]
        if other[5] != box[5]:
            continue
        for axis in range(2):
            side = 1 - axis
            if other[axis + 3] != box[axis] and other[axis] != box[axis + 3]:
                continue
            part[axis], part[axis + 3] = min(box[axis], other[axis]), max(box[axis + 3], other[axis + 3])
            part[side], part[side + 3] = max(box[side], other[side]), min(box[side + 3], other[side + 3])
            part[2], part[5] = box[5], task.inner[2]
            if part[side] >= part[side + 3]:
                continue
            _widen(states, state, part)
            if _is_free(states, state, part):
                _record_part(task, states, state, part)


@compiled
def _shrink(task: Task, states: States, state: int) -> None:
    """Recompute the shortest edges after the last box of a kind was placed."""
    for axis in range(3):
        shortest = task.inner[axis] + 1
        for way in range(task.ways.shape[0]):
            if states.left[state, task.ways[way, 0]] > 0:
                shortest = min(shortest, task.ways[way, axis + 1])
        states.smallest[state, axis] = shortest


@compiled
def _add_boxes(task: Task, source: States, one: int, states: States, state: int, block: int) -> None:
    """Subtract the boxes of a block and drop blocks that lack boxes now.

    Usable blocks are read from `source`, which may be the same state.
    """
    left, count = states.left[state], source.alive_count[one]
    alive, kept = states.alive[state], source.alive[one]
    is_out = False
    for kind in range(left.shape[0]):
        taken = task.need[kind, block]
        if not taken:
            continue
        left[kind] -= taken
        most, last = left[kind], 0
        is_out = is_out or most == 0
        for number in range(count):
            other = kept[number]
            alive[last] = other
            last += int(task.need[kind, other] <= most)
        count, kept = last, alive
    if task.is_loaded:
        room, last = states.sums[state, 1], 0
        for number in range(count):
            other = kept[number]
            alive[last] = other
            last += int(task.load[other] <= room)
        count = last
    states.alive_count[state] = count
    if is_out:
        _shrink(task, states, state)


@compiled
def add_branches(
    task: Task, source: States, one: int, states: States, state: int, empty: int, block: int, parts: Integers
) -> None:
    """Copy a state and place a block in the best corner of an empty box."""
    _copy_places(source, one, states, state)
    _put(task, states, state, empty, block)
    _add_boxes(task, source, one, states, state, block)
    _make_room(task, states, state, parts)


@compiled
def place(task: Task, states: States, state: int, empty: int, block: int, parts: Integers) -> None:
    """Place a block in the best corner of an empty box."""
    _put(task, states, state, empty, block)
    _add_boxes(task, states, state, states, state, block)
    _make_room(task, states, state, parts)


@compiled
def _put(task: Task, states: States, state: int, empty: int, block: int) -> None:
    at = states.placed_count[state]
    box, one = states.placed[state, at], states.empty[state, empty]
    for axis in range(3):
        length = task.size[axis, block]
        low = one[axis + 3] - length if one[CORNER] & (1 << axis) else one[axis]
        box[axis], box[axis + 3] = low, low + length
    box[6] = block
    states.placed_count[state] = at + 1
    states.sums[state, 0] += task.value[block]
    states.sums[state, 1] -= task.load[block]


@compiled
def _make_room(task: Task, states: States, state: int, parts: Integers) -> None:
    """Cut the block placed last out of the empty boxes."""
    box = states.placed[state, states.placed_count[state] - 1]
    _cut(task, states, state, box, parts)
    if task.is_supported:
        _join_tops(task, states, state, box, parts[0])
