"""A question of stocking: orders that each go into one carton, and the kinds of cartons from which a few are chosen."""

from msgspec import Struct
from msgspec.structs import replace

from haulier.solvers.packing.problem import CartonKind, PackingPiece, PackingProblem


class OrderShape(Struct, frozen=True, kw_only=True):
    """Equal orders: their pieces, and how many such orders there were."""

    id: str
    pieces: tuple[PackingPiece, ...]
    count: int = 1


class StockingProblem(Struct, frozen=True, kw_only=True):
    """Orders, and the kinds of cartons that may be chosen. Ids are unique among orders and among kinds."""

    orders: tuple[OrderShape, ...]
    cartons: tuple[CartonKind, ...]
    most: int
    """How many kinds may be chosen."""
    keep: tuple[str, ...] = ()
    """Kinds that are chosen whatever they are worth; at most `most`."""
    today: tuple[str, ...] = ()
    """Kinds that are in use today, to compare with."""
    by_cost: bool = False
    """Whether the sum of what the cartons cost is made small, instead of their outer volume."""
    fill_cap_percent: int = 100
    support_percent: int = 0
    without_size: int = 0
    """Further orders of which the sizes of some pieces are not known: nothing is said of them."""
    is_cut: bool = False
    """Whether there were more orders than are looked at."""


def price_of(problem: StockingProblem, kind: CartonKind) -> int:
    """What one carton counts for in the sum: cents, or cubic millimetres."""
    return kind.cost_cents if problem.by_cost else kind.outer_volume


def single_carton(problem: StockingProblem, order: OrderShape, kind: CartonKind) -> PackingProblem:
    """The question whether an order goes into one carton of a kind."""
    return PackingProblem(
        pieces=order.pieces,
        cartons=(replace(kind, stock=1),),
        fill_cap_percent=problem.fill_cap_percent,
        support_percent=problem.support_percent,
    )


def may_fit(problem: StockingProblem, order: OrderShape, kind: CartonKind) -> bool:
    """Whether sums and edges do not rule out that an order goes into a carton."""
    inner = sorted(kind.inner)
    volume = sum(piece.size[0] * piece.size[1] * piece.size[2] for piece in order.pieces)
    return (
        all(edge <= room for piece in order.pieces for edge, room in zip(sorted(piece.size), inner, strict=True))
        and volume * 100 <= problem.fill_cap_percent * inner[0] * inner[1] * inner[2]
        and sum(piece.weight_g for piece in order.pieces) <= kind.payload_g
    )
