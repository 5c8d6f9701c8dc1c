"""A question of stocking: orders that each go into one carton, and the kinds of cartons from which a few are chosen."""

from msgspec import Struct
from msgspec.structs import replace

from haulier.solvers.packing.problem import CartonKind, PackingPiece, PackingProblem, VoidFill, volume_of
from haulier.solvers.packing.void_filling import filling_cents, filling_grams


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
    filling: VoidFill | None = None
    """What the room is filled with that an order leaves in its carton; None where it stays empty."""
    wall_cushion: int = 0
    """So many millimetres along the walls, the floor and the lid are filling alone."""
    without_size: int = 0
    """Further orders of which the sizes of some pieces are not known: nothing is said of them."""
    is_cut: bool = False
    """Whether there were more orders than are looked at."""


def price_of(problem: StockingProblem, order: OrderShape, kind: CartonKind) -> int:
    """What the carton of one order counts for in the sum: cents, or cubic millimetres."""
    return cost_of(problem, order, kind) if problem.by_cost else kind.outer_volume


def cost_of(problem: StockingProblem, order: OrderShape, kind: CartonKind) -> int:
    """What a carton and its filling cost for one order, in cents."""
    filled = filling_cents(problem.filling, _void(order, kind)) if problem.filling else 0
    return kind.cost_cents + filled


def _void(order: OrderShape, kind: CartonKind) -> int:
    return volume_of(kind.inner) - sum(volume_of(piece.size) for piece in order.pieces)


def single_carton(problem: StockingProblem, order: OrderShape, kind: CartonKind) -> PackingProblem:
    """The question whether an order goes into one carton of a kind."""
    return PackingProblem(
        pieces=order.pieces,
        cartons=(replace(kind, stock=1),),
        fill_cap_percent=problem.fill_cap_percent,
        support_percent=problem.support_percent,
        filling=problem.filling,
        wall_cushion=problem.wall_cushion,
    )


def may_fit(problem: StockingProblem, order: OrderShape, kind: CartonKind) -> bool:
    """Whether sums and edges do not rule out that an order goes into a carton."""
    inner = sorted(length - 2 * problem.wall_cushion for length in kind.inner)
    volume = sum(volume_of(piece.size) for piece in order.pieces)
    filled = filling_grams(problem.filling, _void(order, kind)) if problem.filling else 0
    return (
        all(edge <= room for piece in order.pieces for edge, room in zip(sorted(piece.size), inner, strict=True))
        and volume * 100 <= problem.fill_cap_percent * volume_of(kind.inner)
        and sum(piece.weight_g for piece in order.pieces) + filled <= kind.payload_g
    )
