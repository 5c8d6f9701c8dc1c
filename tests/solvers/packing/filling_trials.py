"""Small problems with cushions and void fill, solved by exhaustive search."""

from itertools import combinations_with_replacement, product
from random import Random

from msgspec.structs import replace
from tests.solvers.packing.packing_makers import at, carton, plan_of

from haulier.solvers.packing.checker import check_plan
from haulier.solvers.packing.plan import Objective, PackingRule, PiecePlace
from haulier.solvers.packing.problem import PackingPiece, PackingProblem, VoidFill, turned_size


def small_problem(random: Random) -> PackingProblem:
    boxes = tuple(
        PackingPiece(
            id=f"p{number}",
            size=(random.randint(1, 3), random.randint(1, 2), random.randint(1, 2)),
            weight_g=random.choice([0, 2, 30]),
            cushion=random.choice([0, 0, 1]),
        )
        for number in range(random.randint(1, 3))
    )
    kinds = (
        carton("A", (4, 3, 3), outer=(4, 4, 4), payload_g=random.choice([25, 40, 90]), cost_cents=10),
        carton("B", (4, 4, 4), outer=(4, 4, 4), payload_g=random.choice([30, 60, 90]), cost_cents=9),
        carton("C", (5, 4, 4), outer=(6, 4, 4), payload_g=90, cost_cents=20),
    )
    filling = VoidFill(id="F", unit_mm3=random.choice([4, 7]), unit_g=random.choice([0, 3, 9]), unit_cents=3)
    return PackingProblem(
        pieces=boxes,
        cartons=kinds,
        fill_cap_percent=random.choice([70, 100]),
        filling=random.choice([None, filling, filling]),
        wall_cushion=random.choice([0, 0, 1]),
    )


Block = tuple[tuple[int, int, int], tuple[int, int, int]]


def places_of(piece: PackingPiece, inner: tuple[int, int, int], wall: int) -> dict[PiecePlace, Block]:
    """Return the distinct positions of a piece, with the corners of its cushion."""
    found: dict[PiecePlace, Block] = {}
    away, around = wall + piece.cushion, piece.cushion
    for extents, turn in {turned_size(piece.size, turn): turn for turn in piece.turns}.items():
        ranges = (range(away, room - away - edge + 1) for room, edge in zip(inner, extents, strict=True))
        for x, y, z in product(*ranges):
            low = (x - around, y - around, z - around)
            high = (x + extents[0] + around, y + extents[1] + around, z + extents[2] + around)
            found[PiecePlace(piece=piece.id, carton=0, x=x, y=y, z=z, turn=turn)] = (low, high)
    return found


def takes(asked: PackingProblem, kind: str, held: tuple[PackingPiece, ...]) -> bool:
    """Return True if a carton holds pieces, by trying all positions with the checker."""
    part = replace(asked, pieces=held)
    inner = next(each.inner for each in asked.cartons if each.id == kind)
    places = [places_of(piece, inner, asked.wall_cushion) for piece in held]
    anyhow = plan_of(*(at(piece.id, 0, 0, 0) for piece in held), cartons=(kind,))
    if {PackingRule.PAYLOAD, PackingRule.FILL} & {each.rule for each in check_plan(part, anyhow)}:
        return False

    def go_on(placed: tuple[PiecePlace, ...], blocks: tuple[Block, ...]) -> bool:
        if len(placed) == len(held):
            return check_plan(part, plan_of(*placed, cartons=(kind,))) == []
        return any(
            go_on((*placed, place), (*blocks, block))
            for place, block in places[len(placed)].items()
            if not any(all(a[0][i] < block[1][i] and block[0][i] < a[1][i] for i in range(3)) for a in blocks)
        )

    return go_on((), ())


def least_objective(asked: PackingProblem) -> Objective | None:
    """Return the least objective over all choices of cartons and divisions of pieces."""
    known: dict[tuple[str, tuple[PackingPiece, ...]], bool] = {}
    best: Objective | None = None
    for count in range(1, len(asked.pieces) + 1):
        for chosen in combinations_with_replacement(asked.cartons, count):
            void = sum(a * b * c for a, b, c in (kind.inner for kind in chosen))
            void -= sum(a * b * c for a, b, c in (piece.size for piece in asked.pieces))
            fill = -(-max(0, void) * asked.filling.unit_cents // asked.filling.unit_mm3) if asked.filling else 0
            sums = (sum(k.outer_volume for k in chosen), count, sum(k.cost_cents for k in chosen) + fill)
            if best and sums >= best:
                continue
            for division in product(range(count), repeat=len(asked.pieces)):
                shares = [tuple(p for p, n in zip(asked.pieces, division, strict=True) if n == i) for i in range(count)]
                if not all(shares):
                    continue
                keys = [(kind.id, held) for kind, held in zip(chosen, shares, strict=True)]
                for key in keys:
                    if key not in known:
                        known[key] = takes(asked, *key)
                if all(known[key] for key in keys):
                    best = sums
                    break
    return best
