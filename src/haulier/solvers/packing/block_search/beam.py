"""Beam search with states ranked by their greedy completions.

The score of a block in an empty box follows Araya, Guerrero and Nunez (2017): its volume, times powers of the share of
its sides in contact, of the usable part of the empty box, and (negative) of its number of boxes. The beam with greedy
completions follows Araya and Riff (2014). Both are implemented from the published formulas.
"""

from haulier.solvers.packing.block_search.jit import Integers, compiled
from haulier.solvers.packing.block_search.states import (
    CORNER,
    CORNER_DISTANCE,
    Buffers,
    States,
    Task,
    add_branches,
    copy_state,
    place,
)


@compiled
def choose_empty(states: States, state: int) -> int:
    """Return the empty box nearest to a corner of the space; the largest among equals."""
    best, best_distance, best_volume = 0, -1, 0
    empty = states.empty[state]
    for at in range(states.empty_count[state]):
        distance = empty[at, CORNER_DISTANCE]
        if best_distance >= 0 and distance > best_distance:
            continue
        volume = (empty[at, 3] - empty[at, 0]) * (empty[at, 4] - empty[at, 1]) * (empty[at, 5] - empty[at, 2])
        if best_distance < 0 or distance < best_distance or volume > best_volume:
            best, best_distance, best_volume = at, distance, volume
    return best


@compiled
def _fits_any(task: Task, states: States, state: int, empty: int) -> bool:
    """Return True if any remaining box fits into an empty box."""
    one, ways = states.empty[state, empty], task.ways
    for way in range(ways.shape[0]):
        if (
            states.left[state, ways[way, 0]] > 0
            and ways[way, 1] <= one[3] - one[0]
            and ways[way, 2] <= one[4] - one[1]
            and ways[way, 3] <= one[5] - one[2]
        ):
            return True
    return False


@compiled
def _record_near(task: Task, states: States, state: int, empty: int, near: Integers) -> int:
    """Write the placed blocks that touch or enter an empty box; return their number."""
    count = 0
    one, placed, gap = states.empty[state, empty], states.placed[state], task.gap
    for at in range(states.placed_count[state]):
        if (
            placed[at, 0] <= one[3] + gap[0]
            and placed[at, 3] + gap[0] >= one[0]
            and placed[at, 1] <= one[4] + gap[1]
            and placed[at, 4] + gap[1] >= one[1]
            and placed[at, 2] <= one[5] + gap[2]
            and placed[at, 5] + gap[2] >= one[2]
        ):
            for side in range(6):
                near[count, side] = placed[at, side]
            count += 1
    return count


@compiled
def _contact(
    task: Task, near: Integers, count: int, x0: int, y0: int, z0: int, wide: int, deep: int, high: int
) -> float:
    """Return the share of the sides of a box in contact with walls or blocks."""
    gap_x, gap_y, gap_z = task.gap[0], task.gap[1], task.gap[2]
    x1, y1, z1 = x0 + wide, y0 + deep, z0 + high
    area = deep * high * (int(x0 <= gap_x) + int(x1 + gap_x >= task.inner[0]))
    area += wide * high * (int(y0 <= gap_y) + int(y1 + gap_y >= task.inner[1]))
    area += wide * deep * (int(z0 <= gap_z) + int(z1 + gap_z >= task.inner[2]))
    for at in range(count):
        x = min(x1, near[at, 3]) - max(x0, near[at, 0])
        y = min(y1, near[at, 4]) - max(y0, near[at, 1])
        z = min(z1, near[at, 5]) - max(z0, near[at, 2])
        if y > 0 and z > 0:
            if 0 >= x >= -gap_x:
                area += y * z
        elif x > 0:
            if z > 0:
                if 0 >= y >= -gap_y:
                    area += x * z
            elif y > 0 and 0 >= z >= -gap_z:
                area += x * y
    return min(1.0, area / (2 * (wide * deep + wide * high + deep * high)))


@compiled
def _power(value: float, exponent: float) -> float:
    """Return a power, with shortcuts for common exponents."""
    if exponent == 1.0:
        return value
    if exponent == 2.0:
        return value * value
    if exponent == 4.0:
        return value * value * (value * value)
    return value**exponent


@compiled
def best_blocks(task: Task, states: States, state: int, empty: int, buffers: Buffers, most: int) -> int:
    """Write the `most` best blocks for an empty box to `found`; return their number."""
    if not _fits_any(task, states, state, empty):
        return 0
    found, scores, near = buffers.found, buffers.scores, buffers.near
    one, alive, reach = states.empty[state, empty], states.alive[state], task.reach
    corner = one[CORNER]
    x0, y0, z0 = one[0], one[1], one[2]
    room_x, room_y, room_z = one[3] - x0, one[4] - y0, one[5] - z0
    whole = float(room_x) * room_y * room_z
    near_count = _record_near(task, states, state, empty, near)
    count, least = 0, -1.0
    for number in range(states.alive_count[state]):
        block = alive[number]
        score = task.base[block]
        if score <= least:
            break
        wide, deep, high = task.size[0, block], task.size[1, block], task.size[2, block]
        if wide > room_x or deep > room_y or high > room_z:
            continue
        used = float(wide + reach[0, room_x - wide]) * (deep + reach[1, room_y - deep])
        used *= (high + reach[2, room_z - high]) / whole
        score *= _power(used, task.usable)
        if score <= least:
            continue
        x = x0 + room_x - wide if corner & 1 else x0
        y = y0 + room_y - deep if corner & 2 else y0
        z = z0 + room_z - high if corner & 4 else z0
        score *= _power(_contact(task, near, near_count, x, y, z, wide, deep, high), task.contact)
        if score <= least:
            continue
        at = min(count, most - 1)
        while at > 0 and scores[at - 1] < score:
            scores[at], found[at] = scores[at - 1], found[at - 1]
            at -= 1
        scores[at], found[at] = score, block
        count = min(count + 1, most)
        if count == most:
            least = scores[most - 1]
    return count


@compiled
def drop_empty(states: States, state: int, empty: int) -> None:
    """Remove an empty box that no box fits."""
    states.empty_count[state] -= 1
    states.empty[state, empty] = states.empty[state, states.empty_count[state]]


@compiled
def complete(task: Task, states: States, state: int, buffers: Buffers) -> int:
    """Place the best block in the best empty box until none fits; return the steps."""
    steps = 0
    while states.empty_count[state] and states.alive_count[state]:
        empty = choose_empty(states, state)
        if best_blocks(task, states, state, empty, buffers, 1):
            place(task, states, state, empty, buffers.found[0], buffers.parts)
            steps += 1
        else:
            drop_empty(states, state, empty)
    return steps


@compiled
def expand(
    task: Task,
    beam: States,
    parent: int,
    reached: int,
    scratch: States,
    best: Integers,
    children: Integers,
    buffers: Buffers,
    most: int,
) -> int:
    """Complete the best blocks in the next empty box greedily; return their number.

    `reached` is the value of the completion of the parent, which is also that of its first child. A row of `children`
    holds the value of the completion, the parent, the empty box, the block, and the value placed so far. Among equals
    the first is kept.
    """
    tried, empty = 0, 0
    while not tried and beam.empty_count[parent] and beam.alive_count[parent]:
        empty = choose_empty(beam, parent)
        tried = best_blocks(task, beam, parent, empty, buffers, most)
        if not tried:
            drop_empty(beam, parent, empty)
    for at in range(tried):
        children[at, 3] = buffers.found[at]
    for at in range(tried):
        block = children[at, 3]
        children[at, 0] = reached
        if at or reached < 0:
            add_branches(task, beam, parent, scratch, 0, empty, block, buffers.parts)
            best[1] += complete(task, scratch, 0, buffers) + 1
            children[at, 0] = scratch.sums[0, 0]
            if scratch.sums[0, 0] > best[0]:
                best[0] = scratch.sums[0, 0]
                copy_state(scratch, 0, scratch, 1)
        children[at, 1] = parent
        children[at, 2] = empty
        children[at, 4] = beam.sums[parent, 0] + task.value[block]
    return tried


@compiled
def add_child(task: Task, beam: States, child: Integers, coming: States, at: int, parts: Integers) -> None:
    """Write the state of a child into the next beam."""
    add_branches(task, beam, child[1], coming, at, child[2], child[3], parts)
