"""Packer for carton choices by compiled ruin and recreate (the extra `loading`)."""

from collections.abc import Sequence

import numpy as np

from haulier.solvers.packing.block_search.jit import Integers
from haulier.solvers.packing.block_search.orders import (
    EMPTY_MAX,
    MEASURES,
    MODULUS,
    RANDOM,
    TRIED,
    OrderRoom,
    OrderTask,
    SpacePacking,
    search_orders,
)
from haulier.solvers.packing.budget import StepMeter
from haulier.solvers.packing.compiled import CompiledPacking
from haulier.solvers.packing.orders import PackedCartons
from haulier.solvers.packing.problem import Size

PIECES_PER_STEP = 100
"""Pieces tried per step, less than a millisecond."""
TRIES_AT_ONCE = 50
"""Iterations between two checks of the budget."""
LARGEST = 2**61
"""Limit of volumes, squared lengths and sums in 64 bits; larger problems are left to other packers."""


class OrderPacker:
    """Ruin and recreate as a `ChoicePacker` that supports sizes, volumes and weights."""

    name = "orders"

    def is_usable(self, compiled: CompiledPacking) -> bool:
        """Return True if only sizes, volumes and weights matter; see `ChoicePacker`."""
        longest = max((edge for kind in compiled.kinds for edge in kind.inner), default=0)
        sums = max(3 * longest**2, longest**3, sum(compiled.volume), sum(compiled.weight), *compiled.capacity, 0)
        sums = max(sums, *(kind.payload_g for kind in compiled.kinds), 0)
        is_single = all(len(unit) == 1 for unit in compiled.units)
        return compiled.is_plain and not compiled.apart and is_single and sums < LARGEST

    def pack(
        self, compiled: CompiledPacking, choice: Sequence[int], meter: StepMeter, seed: int, tries: int
    ) -> PackedCartons | None:
        """Pack a choice; see `ChoicePacker`. Reproducible for a given number of tries."""
        task, room = _task(compiled, choice, seed), _room(compiled, len(choice))
        kept = _nothing_packed(compiled)
        while tries > 0 and not meter.is_spent:
            before = int(task.state[TRIED])
            is_packed = search_orders(task, kept, room, min(tries, TRIES_AT_ONCE))
            meter.steps += 1 + (int(task.state[TRIED]) - before) // PIECES_PER_STEP
            if is_packed:
                return _packed(kept, choice)
            tries -= TRIES_AT_ONCE
        return None


def _task(compiled: CompiledPacking, choice: Sequence[int], seed: int) -> OrderTask:
    kinds = [compiled.kinds[kind] for kind in choice]
    every = [tuple(dict.fromkeys(size for kind in set(choice) for size in each[kind])) for each in compiled.extents]
    ways = np.zeros((len(every), 1 + max(map(len, every)), 3), np.int64)
    for piece, sizes in enumerate(every):
        ways[piece, : len(sizes)] = np.array(sizes, np.int64).reshape(-1, 3)
    state = np.zeros(2, np.int64)
    state[RANDOM] = 1 + seed % (MODULUS - 1)
    shortest = [min((size[axis] for sizes in every for size in sizes), default=1) for axis in range(3)]
    return OrderTask(
        ways=ways,
        volume=np.array(compiled.volume, np.int64),
        weight=np.array(compiled.weight, np.int64),
        inner=np.array([kind.inner for kind in kinds], np.int64),
        room=np.array([compiled.capacity[kind] for kind in choice], np.int64),
        payload=np.array([kind.payload_g for kind in kinds], np.int64),
        smallest=np.array(shortest, np.int64),
        measures=np.array([_measures(sizes) for sizes in every], np.float64).reshape(-1, MEASURES),
        state=state,
    )


def _measures(sizes: Sequence[Size]) -> tuple[int, int, int, int]:
    """Return volume, base, height and longest edge in the first orientation."""
    x, y, z = sizes[0] if sizes else (0, 0, 0)
    return x * y * z, x * y, z, max(x, y, z)


def _nothing_packed(compiled: CompiledPacking) -> SpacePacking:
    count = len(compiled.pieces)
    order = np.array([piece for (piece,) in compiled.units], np.int64)
    return SpacePacking(placed=np.zeros((count, 6), np.int64), held=np.full(count, -1, np.int64), order=order)


def _room(compiled: CompiledPacking, spaces: int) -> OrderRoom:
    count = len(compiled.pieces)

    def zeros(*shape: int) -> Integers:
        return np.zeros(shape, np.int64)

    return OrderRoom(
        empty=zeros(spaces, EMPTY_MAX, 6),
        empty_count=zeros(spaces),
        room=zeros(spaces),
        payload=zeros(spaces),
        tried=_nothing_packed(compiled),
        spaces=np.arange(spaces, dtype=np.int64),
        places=zeros(count),
        keys=np.zeros(count, np.float64),
        parts=zeros(EMPTY_MAX * 6, 6),
    )


def _packed(kept: SpacePacking, choice: Sequence[int]) -> PackedCartons:
    contents: list[list[tuple[int, tuple[int, int, int, int, int, int]]]] = [[] for _ in choice]
    for piece, space in enumerate(kept.held.tolist()):
        x0, y0, z0, x1, y1, z1 = kept.placed[piece].tolist()
        contents[space].append((piece, (x0, y0, z0, x1, y1, z1)))
    found = [(kind, tuple(content)) for kind, content in zip(choice, contents, strict=True) if content]
    return sorted(found, key=lambda each: each[0])
