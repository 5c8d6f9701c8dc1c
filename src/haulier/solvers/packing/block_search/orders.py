"""Compiled ruin and recreate for packing boxes into several spaces.

Each iteration empties some spaces and repacks their boxes together with unplaced ones, by first fit in a varied order.
The new packing is accepted if no more volume is unplaced than before.
"""

from typing import NamedTuple

import numpy as np

from haulier.solvers.packing.block_search.jit import Floats, Integers, compiled

EMPTY_MAX = 200
"""Maximum number of empty boxes of a space; more are dropped, which loses positions but stays valid."""
FACTOR, MODULUS = 16_807, 2**31 - 1
RANDOM, TRIED = 0, 1
"""Indices of `OrderTask.state`."""
EMPTIED_MIN, EMPTIED_MAX = 2, 6
"""Minimum and maximum number of spaces emptied at once."""
MEASURES = 4
"""Volume, base, height and longest edge; most orders sort by one of them, greatest first."""
GRAIN = 1_000
"""Resolution of random shares."""


class OrderTask(NamedTuple):
    """Boxes, spaces and the random state, which persists between calls."""

    ways: Integers
    """Lengths along x, y and z by box and orientation, padded with zero rows."""
    volume: Integers
    weight: Integers
    inner: Integers
    """By space."""
    room: Integers
    payload: Integers
    smallest: Integers
    """Shortest edge of any box, by axis."""
    measures: Floats
    """By box and measure."""
    state: Integers
    """The last random number, and the number of boxes tried."""


class SpacePacking(NamedTuple):
    """Positions of boxes."""

    placed: Integers
    """Two corners, by box."""
    held: Integers
    """Number of the space, by box; negative if it has no place."""
    order: Integers
    """The order in which boxes were placed."""


class OrderRoom(NamedTuple):
    """A packing under trial, and work arrays."""

    empty: Integers
    """Two corners of each empty box, by space."""
    empty_count: Integers
    room: Integers
    payload: Integers
    tried: SpacePacking
    """The first `count` entries of its order are the boxes to place."""
    spaces: Integers
    """Numbers of spaces, emptied ones first."""
    places: Integers
    """Positions of the boxes to place in the accepted order."""
    keys: Floats
    parts: Integers


@compiled
def draw(state: Integers, below: int) -> int:
    """Return a random number from 0 to `below` - 1."""
    state[RANDOM] = state[RANDOM] * FACTOR % MODULUS
    return int(state[RANDOM] % below)


@compiled
def _holds(outer: Integers, inner: Integers) -> bool:
    for axis in range(3):  # noqa: SIM110 - generators cannot be compiled
        if outer[axis] > inner[axis] or outer[axis + 3] < inner[axis + 3]:
            return False
    return True


@compiled
def _record_parts(task: OrderTask, one: Integers, box: Integers, parts: Integers, noted: int) -> int:
    """Write the parts of an empty box around a box; return the total number noted."""
    for axis in range(3):
        if box[axis] - one[axis] >= task.smallest[axis]:
            parts[noted] = one
            parts[noted, axis + 3] = box[axis]
            noted += 1
        if one[axis + 3] - box[axis + 3] >= task.smallest[axis]:
            parts[noted] = one
            parts[noted, axis] = box[axis + 3]
            noted += 1
    return noted


@compiled
def _is_held(empty: Integers, kept: int, parts: Integers, noted: int, number: int) -> bool:
    """Return True if another empty box contains a part.

    Of equal parts, the first contains the others.
    """
    part = parts[number]
    for other in range(kept):
        if _holds(empty[other], part):
            return True
    for other in range(noted):
        if other != number and _holds(parts[other], part) and (other < number or not _holds(part, parts[other])):
            return True
    return False


@compiled
def _cut(task: OrderTask, room: OrderRoom, space: int, box: Integers) -> None:
    """Cut a box out of the empty boxes of a space."""
    empty, parts, kept, noted = room.empty[space], room.parts, 0, 0
    for at in range(room.empty_count[space]):
        one = empty[at]
        is_apart = False
        for axis in range(3):
            is_apart = is_apart or box[axis] >= one[axis + 3] or box[axis + 3] <= one[axis]
        if is_apart:
            empty[kept] = one
            kept += 1
        else:
            noted = _record_parts(task, one, box, parts, noted)
    before = kept
    for number in range(noted):
        if kept < EMPTY_MAX and not _is_held(empty, before, parts, noted, number):
            empty[kept] = parts[number]
            kept += 1
    room.empty_count[space] = kept


@compiled
def _put(task: OrderTask, room: OrderRoom, space: int, piece: int, is_low: bool) -> bool:
    """Place a box as low, or as near the origin, as possible; False if none fits."""
    if task.volume[piece] > room.room[space] or task.weight[piece] > room.payload[space]:
        return False
    far, empty, box, best = task.inner[space], room.empty[space], room.tried.placed[piece], -1
    for at in range(room.empty_count[space]):
        one = empty[at]
        for way in range(task.ways.shape[1]):
            x, y, z = task.ways[piece, way, 0], task.ways[piece, way, 1], task.ways[piece, way, 2]
            if not x:
                break
            if x > one[3] - one[0] or y > one[4] - one[1] or z > one[5] - one[2]:
                continue
            left_x, left_y, left_z = far[0] - one[0] - x, far[1] - one[1] - y, far[2] - one[2] - z
            if is_low:
                worth = ((far[2] - one[2]) * far[1] + far[1] - one[1]) * far[0] + far[0] - one[0]
            else:
                worth = left_x * left_x + left_y * left_y + left_z * left_z
            if worth > best:
                best = worth
                box[0], box[1], box[2] = one[0], one[1], one[2]
                box[3], box[4], box[5] = one[0] + x, one[1] + y, one[2] + z
    if best < 0:
        return False
    room.room[space] -= task.volume[piece]
    room.payload[space] -= task.weight[piece]
    _cut(task, room, space, box)
    return True


@compiled
def _pack_in_hand(task: OrderTask, room: OrderRoom, count: int, emptied: int, most_missing: int) -> int:
    """Pack the boxes to place into emptied spaces; return the volume left unplaced.

    Stops early if it exceeds `most_missing`.
    """
    for space in room.spaces[:emptied]:
        room.empty[space, 0, :3] = 0
        room.empty[space, 0, 3:] = task.inner[space]
        room.empty_count[space] = 1
        room.room[space], room.payload[space] = task.room[space], task.payload[space]
    held, missing, is_low = room.tried.held, 0, draw(task.state, 2) == 0
    for piece in room.tried.order[:count]:
        task.state[TRIED] += 1
        held[piece] = -1
        for space in room.spaces[:emptied]:
            if _put(task, room, space, piece, is_low):
                held[piece] = space
                break
        if held[piece] < 0:
            missing += int(task.volume[piece])
            if missing > most_missing:
                return missing
    return missing


@compiled
def _empty_random_spaces(task: OrderTask, kept: SpacePacking, room: OrderRoom, emptied: int) -> int:
    """Empty random spaces; return the number of boxes to place, with unplaced ones."""
    spaces, order, count = room.spaces, room.tried.order, 0
    for at in range(emptied):
        other = at + draw(task.state, spaces.shape[0] - at)
        spaces[at], spaces[other] = spaces[other], spaces[at]
    for place in range(kept.order.shape[0]):
        piece = kept.order[place]
        is_in_hand = kept.held[piece] < 0
        for space in spaces[:emptied]:
            is_in_hand = is_in_hand or kept.held[piece] == space
        if is_in_hand:
            order[count], room.places[count] = piece, place
            count += 1
    return count


@compiled
def _vary(task: OrderTask, kept: SpacePacking, room: OrderRoom, count: int) -> None:
    """Vary the order of the boxes to place: randomised by a measure, or one box moved."""
    order, keys, measure = room.tried.order[:count], room.keys[:count], draw(task.state, MEASURES + 1)
    if measure < MEASURES:
        chance = 0.05 + draw(task.state, GRAIN) / (2 * GRAIN)
        for at in range(count):
            share = 2 * draw(task.state, GRAIN) / GRAIN - 1
            keys[at] = -task.measures[order[at], measure] * (1 + chance * share)
        order[:] = order[np.argsort(keys, kind="mergesort")]
        return
    first, second = draw(task.state, count), draw(task.state, count)
    if kept.held[order[second]] < 0 <= kept.held[order[first]]:
        first, second = second, first
    piece = order[first]
    while first < second:
        order[first] = order[first + 1]
        first += 1
    while first > second:
        order[first] = order[first - 1]
        first -= 1
    order[second] = piece


@compiled
def _accept_if_better(kept: SpacePacking, room: OrderRoom, count: int) -> None:
    """Accept the trial; its order takes the positions that its boxes had before."""
    for at in range(count):
        piece = room.tried.order[at]
        kept.order[room.places[at]] = piece
        kept.held[piece] = room.tried.held[piece]
        kept.placed[piece] = room.tried.placed[piece]


@compiled
def search_orders(task: OrderTask, kept: SpacePacking, room: OrderRoom, tries: int) -> bool:
    """Run `tries` iterations; return True if all boxes have a place in `kept`."""
    missing, spaces = 0, room.spaces.shape[0]
    for piece in range(task.volume.shape[0]):
        if kept.held[piece] < 0:
            missing += int(task.volume[piece])
    for _ in range(tries):
        emptied = min(spaces, EMPTIED_MIN + draw(task.state, EMPTIED_MAX + 1 - EMPTIED_MIN))
        count = _empty_random_spaces(task, kept, room, emptied)
        _vary(task, kept, room, count)
        left = _pack_in_hand(task, room, count, emptied, missing)
        if left <= missing:
            missing = left
            _accept_if_better(kept, room, count)
            if not missing:
                return True
    return False
