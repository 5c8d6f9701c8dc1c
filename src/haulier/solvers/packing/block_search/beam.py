"""The search itself: a beam whose states are judged by what a greedy completion of each reaches.

The score of a block in an empty box is that of Araya, Guerrero and Nunez (2017): its volume, times the share of its sides that
touch something to a power, times the part of the empty box that can be used with it, times a power below zero of how many
boxes it has. The beam with greedy completions is that of Araya and Riff (2014). Both are
written anew here from the published formulas.
"""

import numpy as np

from haulier.solvers.packing.block_search.blocks import Blocks
from haulier.solvers.packing.block_search.jit import Floats, Integers, compiled
from haulier.solvers.packing.block_search.states import CORNER, CORNER_DISTANCE, States, Task, copy_state, place


@compiled
def choose_empty(states: States, state: int) -> int:
    """The empty box that is nearest to a corner of the space, the largest of these."""
    best, best_distance, best_volume = 0, -1, 0
    for at in range(states.empty_count[state]):
        one = states.empty[state, at]
        distance = one[CORNER_DISTANCE]
        if best_distance >= 0 and distance > best_distance:
            continue
        volume = (one[3] - one[0]) * (one[4] - one[1]) * (one[5] - one[2])
        if best_distance < 0 or distance < best_distance or volume > best_volume:
            best, best_distance, best_volume = at, distance, volume
    return best


@compiled
def _near(states: States, state: int, one: Integers, near: Integers) -> int:
    """Numbers of the placed blocks that touch an empty box or reach into its sides."""
    count = 0
    for at in range(states.placed_count[state]):
        box = states.placed[state, at]
        if (
            box[0] <= one[3]
            and box[3] >= one[0]
            and box[1] <= one[4]
            and box[4] >= one[1]
            and box[2] <= one[5]
            and box[5] >= one[2]
        ):
            near[count] = at
            count += 1
    return count


@compiled
def _contact(inner: Integers, placed: Integers, near: Integers, count: int, box: Integers) -> float:
    """The share of a box's sides that touch walls or placed blocks."""
    wide, deep, high = box[3] - box[0], box[4] - box[1], box[5] - box[2]
    area = deep * high * (int(box[0] == 0) + int(box[3] == inner[0]))
    area += wide * high * (int(box[1] == 0) + int(box[4] == inner[1]))
    area += wide * deep * (int(box[2] == 0) + int(box[5] == inner[2]))
    for at in range(count):
        other = placed[near[at]]
        x = min(box[3], other[3]) - max(box[0], other[0])
        y = min(box[4], other[4]) - max(box[1], other[1])
        z = min(box[5], other[5]) - max(box[2], other[2])
        if x == 0 and y > 0 and z > 0:
            area += y * z
        elif y == 0 and x > 0 and z > 0:
            area += x * z
        elif z == 0 and x > 0 and y > 0:
            area += x * y
    return area / (2 * (wide * deep + wide * high + deep * high))


@compiled
def best_blocks(
    task: Task, blocks: Blocks, states: States, state: int, empty: int, found: Integers, scores: Floats, near: Integers
) -> int:
    """Write the best blocks for an empty box into `found`, the best first, as many as it holds; how many there are."""
    most, count = found.shape[0], 0
    one = states.empty[state, empty]
    corner = one[CORNER]
    room_x, room_y, room_z = one[3] - one[0], one[4] - one[1], one[5] - one[2]
    whole = float(room_x) * room_y * room_z
    near_count = _near(states, state, one, near)
    placed = states.placed[state]
    box = np.empty(6, np.int64)
    least = -1.0
    for number in range(states.alive_count[state]):
        block = states.alive[state, number]
        score = task.base[block]
        if score <= least:
            break
        wide, deep, high = blocks.size[block, 0], blocks.size[block, 1], blocks.size[block, 2]
        if wide > room_x or deep > room_y or high > room_z:
            continue
        used = float(wide + task.reach[0, room_x - wide]) * (deep + task.reach[1, room_y - deep])
        used *= (high + task.reach[2, room_z - high]) / whole
        score *= used if task.usable == 1.0 else used**task.usable
        if score <= least:
            continue
        box[0] = one[3] - wide if corner & 1 else one[0]
        box[1] = one[4] - deep if corner & 2 else one[1]
        box[2] = one[5] - high if corner & 4 else one[2]
        box[3], box[4], box[5] = box[0] + wide, box[1] + deep, box[2] + high
        score *= _contact(task.inner, placed, near, near_count, box) ** task.contact
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
    """Forget an empty box into which nothing fits."""
    states.empty_count[state] -= 1
    states.empty[state, empty] = states.empty[state, states.empty_count[state]]


@compiled
def complete(task: Task, blocks: Blocks, states: States, state: int, parts: Integers, near: Integers) -> int:
    """Place the best block in the best empty box until nothing fits; the number of blocks that were placed."""
    found, scores = np.empty(1, np.int64), np.empty(1, np.float64)
    steps = 0
    while states.empty_count[state] and states.alive_count[state]:
        empty = choose_empty(states, state)
        if best_blocks(task, blocks, states, state, empty, found, scores, near):
            place(task, blocks, states, state, empty, found[0], parts)
            steps += 1
        else:
            drop_empty(states, state, empty)
    return steps


@compiled
def expand(
    task: Task,
    blocks: Blocks,
    beam: States,
    parent: int,
    reached: int,
    scratch: States,
    best: Integers,
    children: Integers,
    buffers: tuple[Integers, Floats, Integers, Integers],
) -> int:
    """Try the best blocks in the next empty box of a state, each completed greedily; how many were tried.

    `reached` is what the parent's own completion is worth, which is that of its first child. A row of `children` is what the
    completion is worth, the parent, the empty box, the block, and what is placed is worth. Of two as good the first is kept.
    """
    found, scores, near, parts = buffers
    tried, empty = 0, 0
    while not tried and beam.empty_count[parent] and beam.alive_count[parent]:
        empty = choose_empty(beam, parent)
        tried = best_blocks(task, blocks, beam, parent, empty, found, scores, near)
        if not tried:
            drop_empty(beam, parent, empty)
    for at in range(tried):
        children[at, 0] = reached
        if at or reached < 0:
            copy_state(beam, parent, scratch, 0)
            place(task, blocks, scratch, 0, empty, found[at], parts)
            best[1] += complete(task, blocks, scratch, 0, parts, near) + 1
            children[at, 0] = scratch.sums[0, 0]
            if scratch.sums[0, 0] > best[0]:
                best[0] = scratch.sums[0, 0]
                copy_state(scratch, 0, scratch, 1)
        children[at, 1] = parent
        children[at, 2] = empty
        children[at, 3] = found[at]
        children[at, 4] = beam.sums[parent, 0] + task.value[found[at]]
    return tried


@compiled
def take_child(
    task: Task, blocks: Blocks, beam: States, child: Integers, coming: States, at: int, parts: Integers
) -> None:
    """Write the state of a child into the beam that comes next."""
    copy_state(beam, child[1], coming, at)
    place(task, blocks, coming, at, child[2], child[3], parts)
