"""Quick arrangement: stacks in lanes, last stops in front and below.

It wastes space and takes about a millisecond. The result is checked like any plan, so it may violate rules for vehicles
without a rear door or with axle limits. It is tried first because most routes are far from full.
"""

from collections.abc import Sequence

from msgspec import Struct

from haulier.solvers.loading.plan import LeftOver, LoadedPiece, LoadingPlan
from haulier.solvers.loading.problem import LoadingProblem, LoadPiece, LoadSpace
from haulier.solvers.packing.problem import Turn, volume_of
from haulier.solvers.route_loading.loads import turns_within

LANES_MAX = 8


class _Lane(Struct):
    """A lane from `y`: top box of its newest stack, and start of the next stack."""

    y: int
    next_x: int = 0
    x: int = 0
    top: int = 0
    length: int = 0
    width: int = 0


def arrange_in_lanes(problem: LoadingProblem) -> LoadingPlan:
    """Return the arrangement with the fewest left-over pieces over lane counts.

    The problem has one space.
    """
    (space,) = problem.spaces
    first, last = _free_width(space)
    in_order = sorted(problem.pieces, key=lambda piece: (-piece.stop, -volume_of(piece.size), piece.id))
    best: LoadingPlan | None = None
    for count in range(1, LANES_MAX + 1):
        plan = _arranged(space, in_order, first, (last - first) // count, count)
        if best is None or len(plan.left_over) < len(best.left_over):
            best = plan
        if not plan.left_over:
            break
    assert best is not None
    return best


def _free_width(space: LoadSpace) -> tuple[int, int]:
    """Return the widest strip along the whole space without obstacles."""
    edges = sorted({0, space.inner[1], *(y for each in space.obstacles for y in (each[1], each[4]))})
    strips = [
        (start, end)
        for start in edges
        for end in edges
        if start < end and not any(each[1] < end and start < each[4] for each in space.obstacles)
    ]
    return max(strips, key=lambda strip: strip[1] - strip[0], default=(0, 0))


def _arranged(space: LoadSpace, pieces: Sequence[LoadPiece], first: int, width: int, count: int) -> LoadingPlan:
    lanes = [_Lane(first + number * width) for number in range(count)]
    weight, volume = 0, 0
    most = volume_of(space.inner) * space.fill_cap_percent
    placed: list[LoadedPiece] = []
    left: list[LeftOver] = []
    for piece in pieces:
        more = volume_of(piece.size)
        in_limits = weight + piece.weight_g <= space.payload_g and (volume + more) * 100 <= most
        place = (_on_a_stack(space, lanes, piece) or _on_the_floor(space, lanes, piece, width)) if in_limits else None
        if place is None:
            left.append(LeftOver(piece.id))
        else:
            placed.append(place)
            weight, volume = weight + piece.weight_g, volume + more
    return LoadingPlan(spaces=(space.id,) if placed else (), placements=tuple(placed), left_over=tuple(left))


def _on_a_stack(space: LoadSpace, lanes: Sequence[_Lane], piece: LoadPiece) -> LoadedPiece | None:
    """Place a piece on the newest stack with the tightest support of its whole base."""
    found: tuple[int, _Lane, tuple[Turn, int, int, int]] | None = None
    for lane in lanes:
        if not lane.length:
            continue
        for way in turns_within(piece.size, lane.width, space.inner[2] - lane.top):
            spare = lane.length * lane.width - way[1] * way[2]
            if way[1] <= lane.length and (found is None or spare < found[0]):
                found = spare, lane, way
    if found is None:
        return None
    _, lane, (turn, along, across, up) = found
    place = LoadedPiece(piece=piece.id, space=0, x=lane.x, y=lane.y, z=lane.top, turn=turn)
    lane.top, lane.length, lane.width = lane.top + up, along, across
    return place


def _on_the_floor(space: LoadSpace, lanes: Sequence[_Lane], piece: LoadPiece, width: int) -> LoadedPiece | None:
    """Start a new stack in the shortest lane, as wide as possible."""
    lane = min(lanes, key=lambda each: (each.next_x, each.y))
    ways = [way for way in turns_within(piece.size, width, space.inner[2]) if lane.next_x + way[1] <= space.inner[0]]
    if not ways:
        return None
    turn, along, across, up = max(ways, key=lambda way: (-way[1], way[2]))
    place = LoadedPiece(piece=piece.id, space=0, x=lane.next_x, y=lane.y, z=0, turn=turn)
    lane.x, lane.top, lane.length, lane.width = lane.next_x, up, along, across
    lane.next_x += along
    return place
