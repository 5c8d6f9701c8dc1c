"""Packs boxes one by one into several spaces, in many orders: each that packs as much as the best one is kept.

A box goes into the first space that has a place for it, and there into the empty box in which it stays farthest from the far
corner. What found no place comes earlier in the next order.
"""

from typing import NamedTuple

from haulier.solvers.packing.block_search.jit import Integers, compiled

EMPTY_MAX = 200
"""More empty boxes of a space than this are forgotten, which loses places and breaks nothing."""
FACTOR, MODULUS = 16_807, 2**31 - 1
RANDOM, BEST, TRIED = 0, 1, 2
"""Places in `OrderTask.state`."""


class OrderTask(NamedTuple):
    """Boxes, spaces, and the state of a search, which goes on where it was left."""

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
    order: Integers
    """The best one so far."""
    state: Integers
    """The last random number, the volume that the best order packs, and how many boxes were tried."""


class OrderRoom(NamedTuple):
    """Where boxes lie, and room to work in."""

    empty: Integers
    """By space: two corners of each empty box."""
    empty_count: Integers
    room: Integers
    payload: Integers
    placed: Integers
    """By box: two corners."""
    held: Integers
    """By box: the number of its space; below zero where it found no place."""
    order: Integers
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
def _put(task: OrderTask, room: OrderRoom, space: int, piece: int) -> bool:
    """Put a box into a space, farthest from its far corner; False where it has no place."""
    if task.volume[piece] > room.room[space] or task.weight[piece] > room.payload[space]:
        return False
    far, empty, box, best = task.inner[space], room.empty[space], room.placed[piece], -1
    for at in range(room.empty_count[space]):
        one = empty[at]
        for way in range(task.ways.shape[1]):
            x, y, z = task.ways[piece, way, 0], task.ways[piece, way, 1], task.ways[piece, way, 2]
            if not x:
                break
            if x > one[3] - one[0] or y > one[4] - one[1] or z > one[5] - one[2]:
                continue
            left_x, left_y, left_z = far[0] - one[0] - x, far[1] - one[1] - y, far[2] - one[2] - z
            distance = left_x * left_x + left_y * left_y + left_z * left_z
            if distance > best:
                best = distance
                box[0], box[1], box[2] = one[0], one[1], one[2]
                box[3], box[4], box[5] = one[0] + x, one[1] + y, one[2] + z
    if best < 0:
        return False
    room.room[space] -= task.volume[piece]
    room.payload[space] -= task.weight[piece]
    _cut(task, room, space, box)
    return True


@compiled
def pack_order(task: OrderTask, room: OrderRoom, most_missing: int) -> int:
    """Pack the order of `room`; the volume that found no place. Ends early where that is more than `most_missing`."""
    for space in range(task.inner.shape[0]):
        room.empty[space, 0, :3] = 0
        room.empty[space, 0, 3:] = task.inner[space]
        room.empty_count[space] = 1
        room.room[space], room.payload[space] = task.room[space], task.payload[space]
    room.held[:] = -1
    missing = 0
    for at in range(room.order.shape[0]):
        piece = room.order[at]
        task.state[TRIED] += 1
        for space in range(task.inner.shape[0]):
            if _put(task, room, space, piece):
                room.held[piece] = space
                break
        if room.held[piece] < 0:
            missing += int(task.volume[piece])
            if missing > most_missing:
                return missing
    return missing


@compiled
def _vary(task: OrderTask, room: OrderRoom, missed: Integers) -> None:
    """Write an order beside the best one: two exchanged, one moved, or one that found no place put earlier."""
    order, count = room.order, room.order.shape[0]
    order[:] = task.order
    way, first = draw(task.state, 8), draw(task.state, count)
    second = draw(task.state, count)
    if way < 3:
        order[first], order[second] = order[second], order[first]
        return
    if way >= 5:
        for look in range(count):
            at = (first + look) % count
            if missed[order[at]]:
                first = at
                break
        second = draw(task.state, first + 1)
    piece = order[first]
    while first < second:
        order[first] = order[first + 1]
        first += 1
    while first > second:
        order[first] = order[first - 1]
        first -= 1
    order[second] = piece


@compiled
def search_orders(task: OrderTask, room: OrderRoom, missed: Integers, tries: int) -> bool:
    """Try so many orders; whether one packs everything, which `room` then holds. `missed` says what the best one leaves out."""
    total = 0
    for piece in range(task.volume.shape[0]):
        total += int(task.volume[piece])
    for _ in range(tries):
        if task.state[BEST] < 0:
            room.order[:] = task.order
        else:
            _vary(task, room, missed)
        most = total - max(0, int(task.state[BEST]))
        missing = pack_order(task, room, most)
        if not missing:
            return True
        if missing <= most:
            task.state[BEST] = total - missing
            task.order[:] = room.order
            for piece in range(missed.shape[0]):
                missed[piece] = room.held[piece] < 0
    return False
