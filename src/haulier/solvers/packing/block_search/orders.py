"""Packs boxes into several spaces: some spaces are emptied and packed anew, together with what has no place yet.

What is in hand goes in one by one, in an order that changes each time: into the first of these spaces that has a place for it.
The new packing is kept where it leaves out no more volume than the old one.
"""

from typing import NamedTuple

import numpy as np

from haulier.solvers.packing.block_search.jit import Floats, Integers, compiled

EMPTY_MAX = 200
"""More empty boxes of a space than this are forgotten, which loses places and breaks nothing."""
FACTOR, MODULUS = 16_807, 2**31 - 1
RANDOM, TRIED = 0, 1
"""Places in `OrderTask.state`."""
EMPTIED_MIN, EMPTIED_MAX = 2, 6
"""So many spaces are emptied at once."""
MEASURES = 4
"""Volume, base, height and longest edge: by one of them, the greatest first, most orders are made."""
GRAIN = 1_000
"""Steps of a random part of a number."""


class OrderTask(NamedTuple):
    """Boxes, spaces, and the last random number of a search, which goes on where it was left."""

    ways: Integers
    """By box and way: its lengths along x, y and z; rows of zeros stand after the last."""
    volume: Integers
    weight: Integers
    inner: Integers
    """By space."""
    room: Integers
    payload: Integers
    smallest: Integers
    """By axis: the shortest edge of any box."""
    measures: Floats
    """By box and measure."""
    state: Integers
    """The last random number, and how many boxes were tried."""


class SpacePacking(NamedTuple):
    """Where boxes lie."""

    placed: Integers
    """By box: two corners."""
    held: Integers
    """By box: the number of its space; below zero where it has no place."""
    order: Integers
    """The order in which they were put in."""


class OrderRoom(NamedTuple):
    """A packing that is being tried, and room to work in."""

    empty: Integers
    """By space: two corners of each empty box."""
    empty_count: Integers
    room: Integers
    payload: Integers
    tried: SpacePacking
    """Its order holds what is in hand, as many as `count` says."""
    spaces: Integers
    """Numbers of spaces; those that are emptied come first."""
    places: Integers
    """Where what is in hand stands in the order that is kept."""
    keys: Floats
    parts: Integers


@compiled
def draw(state: Integers, below: int) -> int:
    """A random number from zero on."""
    state[RANDOM] = state[RANDOM] * FACTOR % MODULUS
    return int(state[RANDOM] % below)


@compiled
def _holds(outer: Integers, inner: Integers) -> bool:
    for axis in range(3):  # noqa: SIM110 - Why: generators cannot be compiled
        if outer[axis] > inner[axis] or outer[axis + 3] < inner[axis + 3]:
            return False
    return True


@compiled
def _note_parts(task: OrderTask, one: Integers, box: Integers, parts: Integers, noted: int) -> int:
    """Write the parts of an empty box on the six sides of a box in it; how many there are with those before."""
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
    """Whether another empty box holds a part; of two equal parts the first holds the other."""
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
            noted = _note_parts(task, one, box, parts, noted)
    before = kept
    for number in range(noted):
        if kept < EMPTY_MAX and not _is_held(empty, before, parts, noted, number):
            empty[kept] = parts[number]
            kept += 1
    room.empty_count[space] = kept


@compiled
def _put(task: OrderTask, room: OrderRoom, space: int, piece: int, is_low: bool) -> bool:
    """Put a box into a space, as low as it can lie or farthest from the far corner; False where it has no place."""
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
    """Pack what is in hand into the emptied spaces; the volume that found no place, the search for which ends at the most."""
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
def _take_in_hand(task: OrderTask, kept: SpacePacking, room: OrderRoom, emptied: int) -> int:
    """Empty some spaces at random; how many boxes are in hand then, with those that have no place."""
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
    """Change the order of what is in hand: by a measure and some chance, or only one box, which comes earlier or later."""
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
def _keep(kept: SpacePacking, room: OrderRoom, count: int) -> None:
    """What was tried is kept; its order stands at the places that the same boxes had before."""
    for at in range(count):
        piece = room.tried.order[at]
        kept.order[room.places[at]] = piece
        kept.held[piece] = room.tried.held[piece]
        kept.placed[piece] = room.tried.placed[piece]


@compiled
def search_orders(task: OrderTask, kept: SpacePacking, room: OrderRoom, tries: int) -> bool:
    """Pack some spaces anew, so many times; whether everything has a place in `kept` then."""
    missing, spaces = 0, room.spaces.shape[0]
    for piece in range(task.volume.shape[0]):
        if kept.held[piece] < 0:
            missing += int(task.volume[piece])
    for _ in range(tries):
        emptied = min(spaces, EMPTIED_MIN + draw(task.state, EMPTIED_MAX + 1 - EMPTIED_MIN))
        count = _take_in_hand(task, kept, room, emptied)
        _vary(task, kept, room, count)
        left = _pack_in_hand(task, room, count, emptied, missing)
        if left <= missing:
            missing = left
            _keep(kept, room, count)
            if not missing:
                return True
    return False
