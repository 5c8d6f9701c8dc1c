"""Candidate carton sizes: boxes around orders, in whole centimetres or inches."""

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from haulier.solvers.packing.problem import CartonKind, Size
from haulier.solvers.stocking.problem import OrderShape

TENTHS_OF_A_CENTIMETRE, TENTHS_OF_AN_INCH = 100, 254
"""Steps of sizes in tenths of a millimetre."""
FILLED_PERCENT = 85
"""Assumed filling of a suggested box by several pieces."""
CANDIDATES_MAX = 120
SIDE_MAX_MM = 20_000


class CandidateTerms(Struct, frozen=True, kw_only=True):
    """Material, dimensions and limits of suggested cartons."""

    step_tenths: int = TENTHS_OF_A_CENTIMETRE
    wall_mm: int = 8
    """Difference between outer and inner length, width and height."""
    payload_g: int = 30_000
    cost_per_m2: int = 0
    """Price of a square metre of board in cents; a carton has the surface of its outside."""
    longest_mm: int = SIDE_MAX_MM
    wall_cushion: int = 0
    """Width in millimetres of void fill along the walls, the floor and the lid."""
    girth_mm: int | None = None
    """Maximum of the longest side plus twice the other two."""


def suggest_cartons(orders: Sequence[OrderShape], terms: CandidateTerms) -> list[CartonKind]:
    """Return at most `CANDIDATES_MAX` sizes, rounded more coarsely if there are more."""
    around = 2 * terms.wall_cushion
    boxes = [(a + around, b + around, c + around) for order in orders for a, b, c in _boxes_about(order)]
    coarse = 1
    while True:
        sizes = sorted({_rounded(box, terms.step_tenths * coarse) for box in boxes})
        kinds = [kind for kind in _kinds(sizes, terms) if _is_allowed(kind.outer, terms)]
        if len(kinds) <= CANDIDATES_MAX:
            return kinds
        coarse += 1


def _boxes_about(order: OrderShape) -> Iterator[Size]:
    """Yield boxes that may hold an order.

    One stacks its pieces flat, the other grows the box around its largest piece to the total volume.
    """
    edges = [sorted(piece.size, reverse=True) for piece in order.pieces]
    long, wide = max(each[0] for each in edges), max(each[1] for each in edges)
    yield _three((long, wide, sum(each[2] for each in edges)))
    if len(edges) > 1:
        volume = sum(a * b * c for a, b, c in edges) * 100 // FILLED_PERCENT
        sides = sorted((long, wide, max(each[2] for each in edges)))
        while sides[0] * sides[1] * sides[2] < volume:
            sides[0] = min(-(-volume // (sides[1] * sides[2])), max(sides[1], sides[0] + 1))
            sides.sort()
        yield _three(sides)


def _three(sides: Iterable[int]) -> Size:
    long, wide, high = sorted(sides, reverse=True)
    return long, wide, high


def _rounded(box: Size, step_tenths: int) -> Size:
    """Round up to whole steps and then to whole millimetres."""
    long, wide, high = (-(-side * 10 // step_tenths) * step_tenths for side in box)
    return -(-long // 10), -(-wide // 10), -(-high // 10)


def _kinds(sizes: Iterable[Size], terms: CandidateTerms) -> Iterator[CartonKind]:
    for size in sizes:
        a, b, c = outer = (size[0] + terms.wall_mm, size[1] + terms.wall_mm, size[2] + terms.wall_mm)
        surface = 2 * (a * b + b * c + c * a)
        yield CartonKind(
            id="x".join(map(str, size)),
            inner=size,
            outer=outer,
            payload_g=terms.payload_g,
            cost_cents=-(-surface * terms.cost_per_m2 // 1_000_000),
        )


def _is_allowed(outer: Size, terms: CandidateTerms) -> bool:
    long, wide, high = sorted(outer, reverse=True)
    girth = long + 2 * (wide + high)
    return long <= terms.longest_mm and (terms.girth_mm is None or girth <= terms.girth_mm)
