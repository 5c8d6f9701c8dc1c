"""Stocking plan: chosen kinds, a packing for each order, and a bound."""

from enum import StrEnum

from msgspec import Struct

from haulier.solvers.packing.plan import PiecePlace, ProofState

StockingObjective = tuple[int, int]
"""Values to minimise lexicographically: orders without a carton, total volume or cost of cartons."""


class UnfitReason(StrEnum):
    """Reasons why an order has no carton."""

    TOO_LARGE = "too_large"
    """A piece, or all pieces together, exceed every available kind."""
    TOO_HEAVY = "too_heavy"
    """It exceeds the payload of every kind that is large enough."""
    NO_PLACE = "no_place"
    """No packing into any kind was found."""
    NOT_CHOSEN = "not_chosen"
    """It fits some kind, but none of the chosen ones."""


class StockingRule(StrEnum):
    """Rules that a plan can break."""

    UNKNOWN = "unknown"
    TOO_MANY = "too_many"
    KEEP = "keep"
    MISSING = "missing"
    TWICE = "twice"
    NOT_CHOSEN = "not_chosen"
    """An order is assigned to a carton that was not chosen."""
    PACKING = "packing"
    """The packing of an order violates the packing rules."""
    OBJECTIVE = "objective"
    BOUND = "bound"


class PackedOrder(Struct, frozen=True, kw_only=True):
    """The carton of an order, and the positions of its pieces."""

    order: str
    carton: str
    places: tuple[PiecePlace, ...]


class UnfitOrder(Struct, frozen=True):
    """An order without a carton, and the reason."""

    order: str
    reason: UnfitReason


class StockingPlan(Struct, frozen=True, kw_only=True):
    cartons: tuple[str, ...]
    """The chosen kinds."""
    packed: tuple[PackedOrder, ...]
    unfit: tuple[UnfitOrder, ...] = ()
    objective: StockingObjective
    bound: StockingObjective
    """No choice is better than this."""
    multipliers: tuple[int, ...] = ()
    """Certificate of the bound: a Lagrange multiplier for each order, in their order."""
    today: tuple[PackedOrder, ...] = ()
    """The same orders in the kinds in use today, as far as they fit."""
    by_cost: bool = False
    """True if totals are costs instead of volumes."""
    state: ProofState = ProofState.BEST_FOUND
    seed: int = 0
    steps: int = 0
