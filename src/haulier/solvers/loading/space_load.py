"""State of one space during loading: positions, empty boxes and loads borne."""

from collections.abc import Sequence

from msgspec import Struct

from haulier.solvers.loading.blocks import PieceBlock
from haulier.solvers.loading.handling import Handling
from haulier.solvers.loading.prepared import PieceKind, PreparedLoading
from haulier.solvers.loading.problem import Box, DoorSide
from haulier.solvers.loading.reaching import corner_box, hides, reach_of, reaches
from haulier.solvers.packing.load import cut_spaces

MICRO = 1_000_000
"""Weight is passed down in millionths of a gram, rounded up."""
Placed = tuple[PieceKind, Box]
"""A piece kind and the corners of one piece."""


class _Rest(Struct, frozen=True):
    """Supports of a new piece: numbers of placed pieces and contact areas.

    Negative numbers are obstacles.
    """

    below: tuple[tuple[int, int], ...]

    @property
    def area(self) -> int:
        return sum(area for _, area in self.below)


class SpaceLoad:
    """A space and its load. Pieces are added in a feasible loading order."""

    def __init__(self, prepared: PreparedLoading, space: int) -> None:
        self._prepared, self.space = prepared, space
        self._space = prepared.spaces[space]
        x, y, z = self._space.inner
        self.empty: list[Box] = [(0, 0, 0, x, y, z)]
        self.placed: list[Placed] = []
        self._doors: list[DoorSide | None] = []
        self._rests: list[_Rest] = []
        self._borne: list[int] = []
        self._layers: list[int] = []
        self._by_top: dict[int, list[int]] = {}
        self._by_bottom: dict[int, list[int]] = {}
        self.unreached: set[int] = set()
        """Kinds with a block refused because it is out of reach."""
        self.volume_left = self._space.fill_cap_percent * x * y * z // 100
        self.weight_left = self._space.payload_g
        self._goods: set[str] = set()
        self.handling: Handling | None = None
        """Counts pieces that block earlier stops; None if no piece may."""
        self._seen: tuple[Box, int] | None = None
        self._below: list[int] = []
        self._before_rear: list[Box] = []
        for number, obstacle in enumerate(self._space.obstacles):
            self.empty = self._cut(obstacle)
            self._by_top.setdefault(obstacle[5], []).append(-1 - number)

    def most_of(self, kind: PieceKind) -> int:
        """Return how many more pieces of a kind fit by volume and payload."""
        by_weight = self.weight_left // kind.piece.weight_g if kind.piece.weight_g else len(kind.ids)
        return min(by_weight, self.volume_left // kind.least_volume)

    def may_take(self, empty: Box, kinds: Sequence[PieceKind]) -> bool:
        """Return False if an empty box lacks support or access for all of the kinds.

        This avoids trying blocks in it.
        """
        self._cache_neighbours(empty)
        percent = self._prepared.problem.support_percent
        if percent and empty[2]:
            least = min(size[0] * size[1] for kind in kinds for size in kind.sizes[self.space])
            if self._rest_of(empty, self._below).area * 100 < max(50, percent) * least:
                return False
        # With limited reach, trying a piece records that it is out of reach.
        if self._space.doors != (DoorSide.REAR,) or self._space.reach:
            return True
        at_left = empty[1] <= self._space.inner[1] - empty[4]
        y = empty[1] if at_left else empty[4] - 1
        return not any(other[1] <= y < other[4] and other[2] <= empty[2] < other[5] for other in self._before_rear)

    def add(self, block: PieceBlock, empty: Box) -> bool:
        """Place a block in a corner of an empty box.

        Return False, and change nothing, if a rule forbids it.
        """
        kind, count = block.kind, block.pieces
        if block.volume > self.volume_left or count * kind.piece.weight_g > self.weight_left:
            return False
        if kind.piece.goods and any(
            frozenset((kind.piece.goods, other)) in self._prepared.apart for other in self._goods
        ):
            return False
        self._cache_neighbours(empty)
        box = corner_box(self._space, block, empty)
        if box is None:
            self._record_unreached(block)
            return False
        if self._stands_on_earlier_stop(box, kind.piece.stop) or self._would_sink(block, box):
            return False
        rests = self._rests_of(block, box)
        if rests is None or not self._may_lie_above(box, kind):
            return False
        if not self._prepared.stacks_freely and not self._is_borne(block, rests):
            return False
        door = self._way_in(block, box)
        if self._space.doors and door is None:
            return False
        if self.handling and not self._may_hinder(block, box, self.handling):
            return False
        self._put(block, box, door)
        return True

    def place_at_current_position(self, kind: PieceKind, box: Box, door: DoorSide | None) -> None:
        """Add a piece that is already in place and leaves through a door."""
        size = (box[3] - box[0], box[4] - box[1], box[5] - box[2])
        self._put(PieceBlock(kind, size, (1, 1, 1)), box, door)

    def _may_hinder(self, block: PieceBlock, box: Box, handling: Handling) -> bool:
        """Return True if a block may block earlier stops, and count its repacks there."""
        stop, found = block.kind.piece.stop, set[int]()
        for at, ((kind, other), door) in enumerate(zip(self.placed, self._doors, strict=True)):
            moved_at = {kind.piece.stop, *handling.stops_of(at)}
            if min(moved_at) < stop and (stands_upon(box, other) or (door and is_beyond(other, box, door))):
                found |= {each for each in moved_at if each < stop}
        if not handling.allows(found, block.pieces):
            return False
        handling.note(found, range(len(self.placed), len(self.placed) + block.pieces))
        return True

    def _way_in(self, block: PieceBlock, box: Box) -> DoorSide | None:
        """Return a door for the block that keeps earlier stops unblocked, or None."""
        stop = block.kind.piece.stop
        if len(self._prepared.stops) > 1 and not self.handling:
            for (kind, other), door in zip(self.placed, self._doors, strict=True):
                if kind.piece.stop < stop and door is not None and self._is_hindered(kind, other, box, door):
                    return None
        doors = [door for door in self._space.doors if self._is_open(box, door)]
        reach = reach_of(self._space, block.kind.piece)
        if reach and doors:
            there = [other for _, other in self.placed]
            doors = [door for door in doors if reaches(self._space, reach, block, box, door, there)]
            if not doors:
                self._record_unreached(block)
        return next(iter(doors), None)

    def _record_unreached(self, block: PieceBlock) -> None:
        """Record that a single piece was refused because it is out of reach."""
        if block.pieces == 1:
            self.unreached.add(block.kind.number)

    def _is_hindered(self, kind: PieceKind, other: Box, box: Box, door: DoorSide) -> bool:
        """Return True if a box would block an earlier piece or put it out of reach."""
        reach = reach_of(self._space, kind.piece)
        return is_beyond(other, box, door) or (reach is not None and hides(reach, box, other, door))

    def _is_open(self, box: Box, door: DoorSide) -> bool:
        """Return True if nothing is between a box and a door."""
        if door is not DoorSide.REAR:
            return not any(is_beyond(box, other, door) for _, other in self.placed)
        return not any(is_beyond(box, other, door) for other in self._before_rear)

    def _cache_neighbours(self, empty: Box) -> None:
        """Cache the boxes below an empty box and between it and the rear door.

        Many blocks are tried in the same empty box, and no other boxes matter to them.
        """
        seen = (empty, len(self.placed))
        if seen == self._seen:
            return
        self._seen = seen
        self._below = [at for at in self._by_top.get(empty[2], ()) if _covers(self._corners(at), empty)]
        self._before_rear = [other for _, other in self.placed if is_beyond(empty, other, DoorSide.REAR)]

    def _stands_on_earlier_stop(self, box: Box, stop: int) -> bool:
        """Return True if a block would stand on an earlier stop without repacks."""
        if self.handling:
            return False
        below = (self.placed[at] for at in self._by_top.get(box[2], ()) if at >= 0)
        return any(kind.piece.stop < stop and _covers(box, other) for kind, other in below)

    def _would_sink(self, block: PieceBlock, box: Box) -> bool:
        """Return True if a nesting piece would stand on one that it sinks into.

        Pieces nest only within blocks.
        """
        if not block.kind.piece.nesting_mm:
            return False
        wide, deep, _ = block.size
        nesting = (self.placed[at] for at in self._below if at >= 0)
        return any(
            (other[0] - box[0]) % wide == 0 and (other[1] - box[1]) % deep == 0 and _covers(box, other)
            for kind, other in nesting
            if kind.piece.nesting_mm and (other[3] - other[0], other[4] - other[1]) == (wide, deep)
        )

    def _may_lie_above(self, box: Box, kind: PieceKind) -> bool:
        """Return True if no overhanging piece would come to rest on the block."""
        touching = any(_covers(box, self.placed[at][1]) for at in self._by_bottom.get(box[5], ()))
        return not touching or (self._prepared.stacks_freely and len(self._prepared.stops) == 1)

    def _rests_of(self, block: PieceBlock, box: Box) -> list[_Rest] | None:
        """Return the supports of the lowest pieces of a block; None if one lacks support."""
        if not box[2]:
            return []
        percent = self._prepared.problem.support_percent
        if not percent and self._prepared.stacks_freely:
            return []
        candidates = [at for at in self._below if _covers(self._corners(at), box)]
        wide, deep, high = block.size
        rests: list[_Rest] = []
        for i in range(block.counts[0]):
            for j in range(block.counts[1]):
                x, y = box[0] + i * wide, box[1] + j * deep
                rest = self._rest_of((x, y, box[2], x + wide, y + deep, box[2] + high), candidates)
                # With at least half of the base supported, its centre is above the supports.
                if percent and rest.area * 100 < max(50, percent) * wide * deep:
                    return None
                rests.append(rest)
        return rests

    def _corners(self, at: int) -> Box:
        return self.placed[at][1] if at >= 0 else self._space.obstacles[-1 - at]

    def _rest_of(self, box: Box, candidates: Sequence[int]) -> _Rest:
        areas: list[tuple[int, int]] = []
        for at in candidates:
            other = self._corners(at)
            wide, deep = min(box[3], other[3]) - max(box[0], other[0]), min(box[4], other[4]) - max(box[1], other[1])
            if wide > 0 and deep > 0:
                areas.append((at, wide * deep))
        return _Rest(tuple(areas))

    def _is_borne(self, block: PieceBlock, rests: Sequence[_Rest]) -> bool:
        """Return True if all boxes below can bear the block."""
        piece, added, height = block.kind.piece, dict[int, int](), block.counts[2]
        for rest in rests:
            self._distribute_weight(rest, height * piece.weight_g * MICRO, added)
        for at, micro in added.items():
            lower = self.placed[at][0].piece
            if lower.bears_g is not None and self._borne[at] + micro > lower.bears_g * MICRO:
                return False
        for at in {at for rest in rests for at, _ in rest.below if at >= 0}:
            lower = self.placed[at][0].piece
            if lower.top_only or piece.stack_group > lower.stack_group or not self._may_be_higher(at, height):
                return False
        return True

    def _may_be_higher(self, at: int, above: int) -> bool:
        most = self.placed[at][0].piece.layers_above
        if most is not None and above > most:
            return False
        return all(self._may_be_higher(below, above + 1) for below, _ in self._rests[at].below if below >= 0)

    def _distribute_weight(self, rest: _Rest, micro: int, added: dict[int, int]) -> None:
        total = rest.area
        for at, area in rest.below:
            if at >= 0 and micro:
                share = -(-micro * area // total)
                added[at] = added.get(at, 0) + share
                self._distribute_weight(self._rests[at], share, added)

    def _put(self, block: PieceBlock, box: Box, door: DoorSide | None) -> None:
        kind = block.kind
        for corners in _in_order_of_loading(block, box, door):
            rest = _Rest(())
            if corners[2] and not self._prepared.stacks_freely:
                sunk = block.sunk if corners[2] > box[2] else 0
                rest = self._rest_of(corners, self._by_top.get(corners[2] + sunk, ()))
                added: dict[int, int] = {}
                self._distribute_weight(rest, kind.piece.weight_g * MICRO, added)
                for at, micro in added.items():
                    self._borne[at] += micro
            number = len(self.placed)
            self._by_top.setdefault(corners[5], []).append(number)
            self._by_bottom.setdefault(corners[2], []).append(number)
            self.placed.append((kind, corners))
            self._rests.append(rest)
            self._borne.append(0)
            self._doors.append(door)
        self.volume_left -= block.volume
        self.weight_left -= block.pieces * kind.piece.weight_g
        if kind.piece.goods:
            self._goods.add(kind.piece.goods)
        self.empty = self._cut(box)

    def _cut(self, box: Box) -> list[Box]:
        """Return the empty boxes around a new one.

        If support is required, an empty box above is only as large as the top that supports it.
        """
        percent = self._prepared.problem.support_percent
        if not percent:
            return cut_spaces(self.empty, box)
        above = [
            (max(each[0], box[0]), max(each[1], box[1]), box[5], min(each[3], box[3]), min(each[4], box[4]), each[5])
            for each in self.empty
            if each[5] > box[5] > each[2] and _covers(each, box)
        ]
        # Cut up to the ceiling: the room above the block is added again with its top as the floor.
        column = (*box[:5], self._space.inner[2])
        rest = cut_spaces([each for each in self.empty if each[2] < box[5]], column)
        rest += [each for each in self.empty if each[2] >= box[5]]
        wider = [wide for each in dict.fromkeys(above) for wide in self._widened(each, percent)]
        return rest + [each for each in dict.fromkeys(wider) if each not in rest]

    def _widened(self, empty: Box, percent: int) -> list[Box]:
        """Widen an empty box over tops of equal height and by the allowed overhang."""
        x0, y0, z0, x1, y1, z1 = empty
        tops = [self._corners(at) for at in self._by_top.get(z0, ())]
        for _ in range(2):
            for other in tops:
                if other[1] <= y0 and other[4] >= y1:
                    x0 = min(x0, other[0]) if other[3] >= x0 > other[0] else x0
                    x1 = max(x1, other[3]) if other[0] <= x1 < other[3] else x1
                if other[0] <= x0 and other[3] >= x1:
                    y0 = min(y0, other[1]) if other[4] >= y0 > other[1] else y0
                    y1 = max(y1, other[4]) if other[1] <= y1 < other[4] else y1
        length, width, _ = self._space.inner
        longer = min(length, x0 + (x1 - x0) * 100 // max(50, percent))
        deeper = min(width, y0 + (y1 - y0) * 100 // max(50, percent))
        whole = (x0, y0, z0, x1, y1, z1)
        found = [self._freed((x0, y0, z0, longer, y1, z1)), self._freed((x0, y0, z0, x1, deeper, z1))]
        return [each for each in found if each] or [self._freed(whole) or empty]

    def _freed(self, wider: Box) -> Box | None:
        """Return the widened box if it is empty, else None."""
        blocked = any(overlap(wider, box) for _, box in self.placed) or any(
            overlap(wider, box) for box in self._space.obstacles
        )
        return None if blocked else wider


def overlap(one: Box, other: Box) -> bool:
    """Return True if two boxes overlap."""
    return _covers(one, other) and one[2] < other[5] and other[2] < one[5]


def _covers(one: Box, other: Box) -> bool:
    """Return True if two boxes overlap in the top view."""
    return one[0] < other[3] and other[0] < one[3] and one[1] < other[4] and other[1] < one[4]


def stands_upon(box: Box, other: Box) -> bool:
    """Return True if a box rests on the top of the other."""
    return box[2] == other[5] and _covers(box, other)


def is_beyond(box: Box, other: Box, door: DoorSide) -> bool:
    """Return True if the other is between a box and a door."""
    if door in (DoorSide.REAR, DoorSide.FRONT):
        beyond = other[0] >= box[3] if door is DoorSide.REAR else other[3] <= box[0]
        return beyond and box[1] < other[4] and other[1] < box[4] and box[2] < other[5] and other[2] < box[5]
    if door in (DoorSide.LEFT, DoorSide.RIGHT):
        beyond = other[1] >= box[4] if door is DoorSide.RIGHT else other[4] <= box[1]
        return beyond and box[0] < other[3] and other[0] < box[3] and box[2] < other[5] and other[2] < box[5]
    return other[2] >= box[5] and _covers(box, other)


def _in_order_of_loading(block: PieceBlock, box: Box, door: DoorSide | None) -> list[Box]:
    """Return the pieces of a block in loading order: far from the door first."""
    wide, deep, high = block.size
    corners = [
        (box[0] + i * wide, box[1] + j * deep, box[2] + k * (high - block.sunk))
        for i in range(block.counts[0])
        for j in range(block.counts[1])
        for k in range(block.counts[2])
    ]
    if door is DoorSide.FRONT:
        corners.sort(key=lambda each: (-each[0], each[2], each[1]))
    elif door is DoorSide.LEFT:
        corners.sort(key=lambda each: (-each[1], each[2], each[0]))
    elif door is DoorSide.RIGHT:
        corners.sort(key=lambda each: (each[1], each[2], each[0]))
    elif door is DoorSide.TOP:
        corners.sort(key=lambda each: (each[2], each[0], each[1]))
    return [(x, y, z, x + wide, y + deep, z + high) for x, y, z in corners]
