"""Stocking problem: orders of one carton each, and kinds to choose from."""

from msgspec import Struct
from msgspec.structs import replace

from haulier.solvers.packing.problem import CartonKind, PackingPiece, PackingProblem, VoidFill, volume_of
from haulier.solvers.packing.void_filling import filling_cents, filling_grams


class OrderShape(Struct, frozen=True, kw_only=True):
    """Identical orders: their pieces, and their number."""

    id: str
    pieces: tuple[PackingPiece, ...]
    count: int = 1


class StockingProblem(Struct, frozen=True, kw_only=True):
    """Orders, and kinds of cartons to choose from. Ids are unique among each."""

    orders: tuple[OrderShape, ...]
    cartons: tuple[CartonKind, ...]
    most: int
    """Maximum number of kinds."""
    keep: tuple[str, ...] = ()
    """Kinds that must be chosen; at most `most`."""
    today: tuple[str, ...] = ()
    """Kinds in use today, for comparison."""
    by_cost: bool = False
    """If true, minimise the total cost of cartons instead of their outer volume."""
    fill_cap_percent: int = 100
    support_percent: int = 0
    filling: VoidFill | None = None
    """Void fill; None to leave the space empty."""
    wall_cushion: int = 0
    """Width in millimetres of void fill along the walls, the floor and the lid."""
    without_size: int = 0
    """Number of further orders with pieces of unknown size, which are not considered."""
    is_cut: bool = False
    """True if there were more orders than are considered."""


def price_of(problem: StockingProblem, order: OrderShape, kind: CartonKind) -> int:
    """Return the price of the carton of one order: cents or cubic millimetres."""
    return cost_of(problem, order, kind) if problem.by_cost else kind.outer_volume


def cost_of(problem: StockingProblem, order: OrderShape, kind: CartonKind) -> int:
    """Return the cost of a carton and its void fill for one order, in cents."""
    filled = filling_cents(problem.filling, _void(order, kind)) if problem.filling else 0
    return kind.cost_cents + filled


def _void(order: OrderShape, kind: CartonKind) -> int:
    return volume_of(kind.inner) - sum(volume_of(piece.size) for piece in order.pieces)


def single_carton(problem: StockingProblem, order: OrderShape, kind: CartonKind) -> PackingProblem:
    """Return the packing problem of an order in one carton of a kind."""
    return PackingProblem(
        pieces=order.pieces,
        cartons=(replace(kind, stock=1),),
        fill_cap_percent=problem.fill_cap_percent,
        support_percent=problem.support_percent,
        filling=problem.filling,
        wall_cushion=problem.wall_cushion,
    )


def may_fit(problem: StockingProblem, order: OrderShape, kind: CartonKind) -> bool:
    """Return True if edges, volume and weight do not rule out a carton for an order."""
    inner = sorted(length - 2 * problem.wall_cushion for length in kind.inner)
    volume = sum(volume_of(piece.size) for piece in order.pieces)
    filled = filling_grams(problem.filling, _void(order, kind)) if problem.filling else 0
    return (
        all(edge <= room for piece in order.pieces for edge, room in zip(sorted(piece.size), inner, strict=True))
        and volume * 100 <= problem.fill_cap_percent * volume_of(kind.inner)
        and sum(piece.weight_g for piece in order.pieces) + filled <= kind.payload_g
    )
