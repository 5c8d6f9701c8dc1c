"""States of the search: what is placed, the largest empty boxes around it (maximal spaces), and what is left to place."""

from typing import NamedTuple

import numpy as np

from haulier.solvers.packing.block_search.blocks import Blocks
from haulier.solvers.packing.block_search.jit import Floats, Integers, compiled

EMPTY_MAX = 400
"""More empty boxes than this are forgotten, which loses places and breaks nothing."""
CORNER_DISTANCE, CORNER = 6, 7
"""Columns of an empty box after its two corners: how far its best corner is from that of the space, and which one it is."""


class Task(NamedTuple):
    """What does not change while a space is filled."""

    inner: Integers
    is_supported: bool
    """Whether every base rests wholly on others."""
    smallest: Integers
    """By axis: the shortest edge that any box may have there."""
    reach: Integers
    """By axis and length: the longest part of it that edges can fill."""
    base: Floats
    """By block: its score without what is around it, largest first."""
    value: Integers
    """By block: what it is worth."""
    load: Integers
    """By block: what it takes of `most_load`."""
    weights: Integers
    """By axis: how much a millimetre counts in the distance of an empty box from the corners of the space."""
    contact: float
    """The exponent of the share of a block's sides that touch something."""
    usable: float


class States(NamedTuple):
    """Several states, each at a number of its own."""

    empty: Integers
    empty_count: Integers
    placed: Integers
    """Two corners and the number of the block."""
    placed_count: Integers
    left: Integers
    alive: Integers
    """Numbers of blocks of which there are boxes enough, best score first."""
    alive_count: Integers
    sums: Integers
    """Value and load of what is placed, and the room of the load that is left."""


def empty_states(count: int, kinds: int, blocks: int, boxes: int) -> States:
    """Room for so many states."""
    return States(
        np.zeros((count, EMPTY_MAX, 8), np.int64),
        np.zeros(count, np.int64),
        np.zeros((count, boxes + 1, 7), np.int64),
        np.zeros(count, np.int64),
        np.zeros((count, kinds), np.int64),
        np.zeros((count, blocks), np.int64),
        np.zeros(count, np.int64),
        np.zeros((count, 2), np.int64),
    )


@compiled
def copy_state(source: States, one: int, target: States, other: int) -> None:
    """Write one state over another."""
    empty, placed, alive = source.empty_count[one], source.placed_count[one], source.alive_count[one]
    target.empty[other, :empty] = source.empty[one, :empty]
    target.placed[other, :placed] = source.placed[one, :placed]
    target.alive[other, :alive] = source.alive[one, :alive]
    target.left[other] = source.left[one]
    target.sums[other] = source.sums[one]
    target.empty_count[other] = empty
    target.placed_count[other] = placed
    target.alive_count[other] = alive


@compiled
def mark_corner(task: Task, empty: Integers) -> None:
    """Find the corner of an empty box that is nearest to a corner of the space; with support, only those below."""
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
    for axis in range(3):  # noqa: SIM110 - Why: generators cannot be compiled
        if outer[axis] > inner[axis] or outer[axis + 3] < inner[axis + 3]:
            return False
    return True


@compiled
def _note_part(task: Task, empty: Integers, count: int, part: Integers) -> int:
    """Add an empty box, unless nothing fits into it or another one holds it."""
    for axis in range(3):
        if part[axis + 3] - part[axis] < task.smallest[axis]:
            return count
    for at in range(count):
        if _holds(empty[at], part):
            return count
    at = 0
    while at < count:
        if _holds(part, empty[at]):
            count -= 1
            empty[at] = empty[count]
        else:
            at += 1
    if count < EMPTY_MAX:
        empty[count, :6] = part
        mark_corner(task, empty[count])
        count += 1
    return count


@compiled
def _cut(task: Task, states: States, state: int, box: Integers, parts: Integers) -> None:
    """Cut a box out of the empty boxes. With support, what is above it is only as large as its top."""
    empty = states.empty[state]
    count, kept, noted = states.empty_count[state], 0, 0
    for at in range(count):
        one = empty[at]
        if (
            box[0] >= one[3]
            or box[3] <= one[0]
            or box[1] >= one[4]
            or box[4] <= one[1]
            or box[2] >= one[5]
            or box[5] <= one[2]
        ):
            if kept != at:
                empty[kept] = one
            kept += 1
            continue
        for axis in range(3):
            if box[axis] > one[axis] and not (task.is_supported and axis == 2):
                parts[noted] = one[:6]
                parts[noted, axis + 3] = box[axis]
                noted += 1
            if box[axis + 3] < one[axis + 3]:
                parts[noted] = one[:6]
                parts[noted, axis] = box[axis + 3]
                if task.is_supported and axis == 2:
                    for side in range(2):
                        parts[noted, side] = max(one[side], box[side])
                        parts[noted, side + 3] = min(one[side + 3], box[side + 3])
                noted += 1
    for at in range(noted):
        kept = _note_part(task, empty, kept, parts[at])
    states.empty_count[state] = kept


@compiled
def _is_free(states: States, state: int, part: Integers) -> bool:
    """Whether nothing is placed in a part of the space."""
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
    """Widen what is above a top over all tops of the same height beside it that are as wide."""
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
    """Empty boxes above the top of a new box and of those beside it that are as high."""
    if box[5] + task.smallest[2] > task.inner[2]:
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
                states.empty_count[state] = _note_part(task, states.empty[state], states.empty_count[state], part)


@compiled
def _take_boxes(task: Task, blocks: Blocks, states: States, state: int, block: int) -> None:
    """Take a block's boxes off what is left, and forget the blocks for which there are too few now."""
    left, alive, kept = states.left[state], states.alive[state], 0
    taken = np.empty(left.shape[0], np.int64)
    kinds = 0
    for kind in range(left.shape[0]):
        if blocks.boxes[block, kind]:
            left[kind] -= blocks.boxes[block, kind]
            taken[kinds] = kind
            kinds += 1
    for number in range(states.alive_count[state]):
        other = alive[number]
        enough = task.load[other] <= states.sums[state, 1]
        for at in range(kinds):
            enough = enough and blocks.boxes[other, taken[at]] <= left[taken[at]]
        if enough:
            alive[kept] = other
            kept += 1
    states.alive_count[state] = kept


@compiled
def place(task: Task, blocks: Blocks, states: States, state: int, empty: int, block: int, parts: Integers) -> None:
    """Put a block into the best corner of an empty box."""
    at = states.placed_count[state]
    box = states.placed[state, at]
    one = states.empty[state, empty]
    corner = one[CORNER]
    for axis in range(3):
        length = blocks.size[block, axis]
        low = one[axis + 3] - length if corner & (1 << axis) else one[axis]
        box[axis], box[axis + 3] = low, low + length
    box[6] = block
    states.placed_count[state] = at + 1
    states.sums[state, 0] += task.value[block]
    states.sums[state, 1] -= task.load[block]
    _take_boxes(task, blocks, states, state, block)
    _cut(task, states, state, box, parts)
    if task.is_supported:
        _join_tops(task, states, state, box, parts[0])
