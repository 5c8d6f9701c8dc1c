"""The container problems of Bischoff and Ratcliff (1995) and of Davies and Bischoff (1999), made by the published procedure.

Sets 1 to 7 are those of the files `thpack1` to `thpack7`, sets 8 to 15 those that are called BR8 to BR15: 100 problems each,
with the seeds that stand in the files. What is made here is the same as each file at hand, line by line.
"""

from collections.abc import Iterator

from msgspec import Struct

INNER = (587, 233, 220)
KINDS = {1: 3, 2: 5, 3: 8, 4: 10, 5: 12, 6: 15, 7: 20, 8: 30, 9: 40, 10: 50, 11: 60, 12: 70, 13: 80, 14: 90, 15: 100}
"""How many kinds of boxes the problems of a set have."""
FIRST_SEED, SEED_STEP = 2_502_505, 100
FACTOR, MODULUS = 16_807, 2**31 - 1
DISCARDED = 10
"""So many numbers after a seed are not used."""
SHORTEST, LONGEST = (30, 25, 20), (120, 100, 80)
STABLE = 2
"""An edge may stand upright when it is shorter than so many times the shortest one beside it."""


class BoxKind(Struct, frozen=True):
    """Equal boxes: edges from the longest to the shortest, which of them may stand upright, and how many there are."""

    edges: tuple[int, int, int]
    may_stand: tuple[bool, bool, bool]
    count: int


def _numbers(seed: int) -> Iterator[float]:
    value = seed
    for _ in range(DISCARDED):
        value = FACTOR * value % MODULUS
    while True:
        value = FACTOR * value % MODULUS
        yield value / MODULUS


def container_problem(number_of_set: int, number: int) -> list[BoxKind]:
    """The kinds of a problem, 1 to 100, of a set: boxes are drawn until the next one is more than the container holds."""
    drawn = _numbers(FIRST_SEED + SEED_STEP * (number - 1))
    edges: list[tuple[int, int, int]] = []
    for _ in range(KINDS[number_of_set]):
        spans = zip(SHORTEST, LONGEST, strict=True)
        longest, middle, shortest = sorted((low + int(next(drawn) * (high - low + 1)) for low, high in spans))[::-1]
        edges.append((longest, middle, shortest))
    counts = [1] * len(edges)
    room = INNER[0] * INNER[1] * INNER[2] - sum(_volume(each) for each in edges)
    while True:
        kind = int(next(drawn) * len(edges))
        room -= _volume(edges[kind])
        if room < 0:
            return [
                BoxKind(
                    each, (each[0] < STABLE * each[2], each[1] < STABLE * each[2], each[2] < STABLE * each[1]), count
                )
                for each, count in zip(edges, counts, strict=True)
            ]
        counts[kind] += 1


def _volume(edges: tuple[int, int, int]) -> int:
    return edges[0] * edges[1] * edges[2]
