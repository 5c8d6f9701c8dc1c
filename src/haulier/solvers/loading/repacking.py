"""Planning of repacks, so that every piece can leave at its stop.

Repacked pieces are those on top of a piece, or between it and the door with the fewest blockers, and the pieces that
block these in turn. They are put back where they were or elsewhere.
"""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from haulier.solvers.loading.blocks import PieceBlock
from haulier.solvers.loading.handling import Handling
from haulier.solvers.loading.prepared import PieceKind, PreparedLoading
from haulier.solvers.loading.problem import Box, DoorSide
from haulier.solvers.loading.shift import keeps_balance
from haulier.solvers.loading.space_load import Placed, SpaceLoad, is_beyond, overlap, stands_upon


class Repack(Struct, frozen=True):
    """A piece, by number in loading order, taken out at a stop, and its new position."""

    stop: int
    at: int
    box: Box


def plan_repacks(prepared: PreparedLoading, space: int, placed: Sequence[Placed]) -> tuple[Repack, ...] | None:
    """Return the repacks at each stop; None if they exceed the limit or have no place."""
    return _Journey(prepared, space, placed).plan()


class _Journey:
    """A loaded space on its route: pieces aboard in loading order."""

    def __init__(self, prepared: PreparedLoading, space: int, placed: Sequence[Placed]) -> None:
        self._prepared, self._number = prepared, space
        self._space, self._most = prepared.spaces[space], prepared.most_repacks(space)
        self._kinds = [kind for kind, _ in placed]
        self._boxes = [box for _, box in placed]
        self._aboard = list(range(len(placed)))

    def plan(self) -> tuple[Repack, ...] | None:
        """Run the search of `plan_repacks`."""
        found: list[Repack] = []
        states: list[list[Placed]] = []
        for stop in sorted({kind.piece.stop for kind in self._kinds})[:-1]:
            moved = self._taken_out(stop)
            if len(moved) > self._most:
                return None
            gone = {*moved, *(at for at in self._aboard if self._kinds[at].piece.stop <= stop)}
            self._aboard = [at for at in self._aboard if at not in gone]
            if not self._put_back(moved):
                return None
            found += [Repack(stop, at, self._boxes[at]) for at in moved]
            states.append([(self._kinds[at], self._boxes[at]) for at in self._aboard])
        return tuple(found) if not found or keeps_balance(self._space, states) else None

    def _taken_out(self, stop: int) -> list[int]:
        """Return the pieces of later stops that are taken out, in loading order."""
        out = {at for at in self._aboard if self._kinds[at].piece.stop <= stop}
        own, waiting = len(out), sorted(out)
        while waiting and len(out) - own <= self._most:
            at = waiting.pop()
            stays = [other for other in self._aboard if other not in out]
            blockers = {other for other in stays if stands_upon(self._boxes[other], self._boxes[at])}
            ways = [self._in_the_way(at, stays, door) for door in self._space.doors]
            if ways and all(ways):
                blockers |= min(ways, key=len)
            out |= blockers
            waiting += sorted(blockers)
        return [at for at in self._aboard if at in out and self._kinds[at].piece.stop > stop]

    def _in_the_way(self, at: int, stays: Sequence[int], door: DoorSide) -> set[int]:
        return {other for other in stays if is_beyond(self._boxes[at], self._boxes[other], door)}

    def _put_back(self, moved: Sequence[int]) -> bool:
        """Put pieces back one after the other; False if one has no place."""
        if not moved:
            return True
        load = SpaceLoad(self._prepared, self._number)
        for at in self._aboard:
            doors = (door for door in self._space.doors if not self._in_the_way(at, self._later(at), door))
            load.place_at_current_position(self._kinds[at], self._boxes[at], next(doors, None))
        for at in moved:
            box = self._put_one(load, at)
            if box is None:
                return False
            self._boxes[at] = box
            self._aboard.append(at)
        return True

    def _later(self, at: int) -> list[int]:
        return [other for other in self._aboard if self._kinds[other].piece.stop > self._kinds[at].piece.stop]

    def _put_one(self, load: SpaceLoad, at: int) -> Box | None:
        """Put a piece back where it was, else without new repacks, else with new repacks."""
        kind, old = self._kinds[at], self._boxes[at]
        for handling in (None, Handling(self._most)):
            load.handling = handling
            for size, empty in self._places(load, kind, old):
                if load.add(PieceBlock(kind, size, (1, 1, 1)), empty):
                    return load.placed[-1][1]
        return None

    def _places(self, load: SpaceLoad, kind: PieceKind, old: Box) -> Iterator[tuple[tuple[int, int, int], Box]]:
        """Yield sizes and empty boxes: the old position, then nearest to the front."""
        if not any(overlap(old, box) for _, box in load.placed):
            yield (old[3] - old[0], old[4] - old[1], old[5] - old[2]), old
        for empty in sorted(load.empty, key=lambda box: (box[0] + box[2], box)):
            if kind.piece.floor_only and empty[2]:
                continue
            for size in kind.sizes[self._number]:
                if all(size[axis] <= empty[axis + 3] - empty[axis] for axis in range(3)):
                    yield size, empty
