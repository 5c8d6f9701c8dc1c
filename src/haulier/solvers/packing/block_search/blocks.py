"""Blocks of equal boxes in rows, layers and stacks, and dense pairs of blocks.

These are the simple blocks of Fanslau and Bortfeldt (2010) and the general blocks of Zhu and Lim (2012).
"""

from typing import NamedTuple

import numpy as np

from haulier.solvers.packing.block_search.jit import Integers, compiled

HASH_FACTOR, HASH_BITS = 1_000_003, (1 << 40) - 1


class Blocks(NamedTuple):
    """Blocks by number. Rows of `boxes` count the boxes of each kind."""

    size: Integers
    """Lengths along x, y and z."""
    volume: Integers
    """Total volume of the boxes, without gaps."""
    boxes: Integers
    made: Integers
    """Construction: orientation and counts along x, y, z; or -1, first block, second block and their common axis."""


@compiled
def fits(size: Integers, inner: Integers) -> bool:
    """Return True if a size fits into another."""
    return size[0] <= inner[0] and size[1] <= inner[1] and size[2] <= inner[2]


@compiled
def _find(table: Integers, blocks: Blocks, number: int) -> int:
    """Return the slot of a block in the hash table, or the free slot to insert it."""
    value = 0
    for axis in range(3):
        value = (value * HASH_FACTOR + blocks.size[number, axis]) & HASH_BITS
    for kind in range(blocks.boxes.shape[1]):
        value = (value * HASH_FACTOR + blocks.boxes[number, kind]) & HASH_BITS
    mask = table.shape[0] - 1
    at = (value ^ (value >> 20)) & mask
    while table[at] >= 0:
        other = table[at]
        same = True
        for axis in range(3):
            same = same and blocks.size[other, axis] == blocks.size[number, axis]
        if same:
            for kind in range(blocks.boxes.shape[1]):
                if blocks.boxes[other, kind] != blocks.boxes[number, kind]:
                    same = False
                    break
        if same:
            return at
        at = (at + 1) & mask
    return at


@compiled
def _count_kept(table: Integers, blocks: Blocks, count: int) -> int:
    """Count the block written last, unless it is a duplicate."""
    at = _find(table, blocks, count)
    if table[at] >= 0:
        return count
    table[at] = count
    return count + 1


@compiled
def simple_blocks(
    ways: Integers, volumes: Integers, left: Integers, inner: Integers, blocks: Blocks, table: Integers, most: int
) -> int:
    """Write all blocks of one kind that fit, up to `most`; return their number.

    A row of `ways` holds a kind and its lengths along x, y and z.
    """
    count = 0
    for axes in range(4):
        for way in range(ways.shape[0]):
            kind = ways[way, 0]
            caps = inner // ways[way, 1:]
            for axis in range(3):
                caps[axis] = min(caps[axis], left[kind])
            for nx in range(1, caps[0] + 1):
                for ny in range(1, min(caps[1], left[kind] // nx) + 1):
                    for nz in range(1, min(caps[2], left[kind] // (nx * ny)) + 1):
                        # Single boxes, rows, layers, then stacks: if the limit is reached, stacks are left out.
                        if (nx > 1) + (ny > 1) + (nz > 1) != axes:
                            continue
                        if count >= most:
                            return count
                        blocks.size[count, 0] = nx * ways[way, 1]
                        blocks.size[count, 1] = ny * ways[way, 2]
                        blocks.size[count, 2] = nz * ways[way, 3]
                        blocks.boxes[count, :] = 0
                        blocks.boxes[count, kind] = nx * ny * nz
                        blocks.volume[count] = nx * ny * nz * volumes[kind]
                        blocks.made[count, 0] = way
                        blocks.made[count, 1] = nx
                        blocks.made[count, 2] = ny
                        blocks.made[count, 3] = nz
                        count = _count_kept(table, blocks, count)
    return count


@compiled
def _join(
    blocks: Blocks, count: int, one: int, other: int, axis: int, left: Integers, inner: Integers, least: float
) -> bool:
    """Write the pair of two blocks along an axis; return False if invalid.

    It must fit, with boxes in stock and at least the share `least` of its volume filled.
    """
    whole = 1
    for each in range(3):
        a, b = blocks.size[one, each], blocks.size[other, each]
        length = a + b if each == axis else max(a, b)
        if length > inner[each]:
            return False
        blocks.size[count, each] = length
        whole *= length
    volume = blocks.volume[one] + blocks.volume[other]
    if volume < least * whole:
        return False
    for kind in range(left.shape[0]):
        boxes = blocks.boxes[one, kind] + blocks.boxes[other, kind]
        if boxes > left[kind]:
            return False
        blocks.boxes[count, kind] = boxes
    blocks.volume[count] = volume
    blocks.made[count, 0] = -1
    blocks.made[count, 1] = one
    blocks.made[count, 2] = other
    blocks.made[count, 3] = axis
    return True


@compiled
def joined_blocks(
    blocks: Blocks,
    count: int,
    left: Integers,
    inner: Integers,
    least: float,
    table: Integers,
    most: int,
    pairs: int,
) -> int:
    """Combine blocks into pairs repeatedly; return the number of blocks.

    Stops at `most` blocks or `pairs` examined pairs.
    """
    looked = 0
    first = 0
    while first < count:
        last = count
        for one in range(first, last):
            for other in range(one + 1):
                for axis in range(3):
                    if count >= most or looked >= pairs:
                        return count
                    looked += 1
                    if _join(blocks, count, one, other, axis, left, inner, least):
                        count = _count_kept(table, blocks, count)
        first = last
    return count


def empty_blocks(most: int, kinds: int) -> tuple[Blocks, Integers]:
    """Allocate arrays for `most` blocks and an empty hash table."""
    rows = most + 1
    blocks = Blocks(
        np.zeros((rows, 3), np.int64),
        np.zeros(rows, np.int64),
        np.zeros((rows, kinds), np.int64),
        np.zeros((rows, 4), np.int64),
    )
    bits = max(4, (2 * rows).bit_length())
    return blocks, np.full(1 << bits, -1, np.int64)
