"""An advice which kinds of cartons to stock: for each order its carton and its places, and how much better any other can be."""

from enum import StrEnum

from msgspec import Struct

from haulier.solvers.packing.plan import PiecePlace, ProofState

StockingObjective = tuple[int, int]
"""What is made small, in this order: orders without a carton, and the sum of the cartons' volumes or costs."""


class UnfitReason(StrEnum):
    """Why an order has no carton."""

    TOO_LARGE = "too_large"
    """A piece is larger than every kind that might be chosen, or all pieces together are."""
    TOO_HEAVY = "too_heavy"
    """It weighs more than every kind that is large enough may hold."""
    NO_PLACE = "no_place"
    """No way to pack it into any kind was found."""
    NOT_CHOSEN = "not_chosen"
    """It goes into some kind, but not into any that was chosen."""


class StockingRule(StrEnum):
    """The rules that an advice can break."""

    UNKNOWN = "unknown"
    TOO_MANY = "too_many"
    KEEP = "keep"
    MISSING = "missing"
    TWICE = "twice"
    NOT_CHOSEN = "not_chosen"
    """An order is said to be in a carton that was not chosen."""
    PACKING = "packing"
    """An order does not lie in its carton as the rules of packing demand."""
    OBJECTIVE = "objective"
    BOUND = "bound"


class PackedOrder(Struct, frozen=True, kw_only=True):
    """The carton of an order, and where its pieces lie."""

    order: str
    carton: str
    places: tuple[PiecePlace, ...]


class UnfitOrder(Struct, frozen=True):
    """An order without a carton, and why."""

    order: str
    reason: UnfitReason


class StockingPlan(Struct, frozen=True, kw_only=True):
    """An advice."""

    cartons: tuple[str, ...]
    """The kinds that are chosen."""
    packed: tuple[PackedOrder, ...]
    unfit: tuple[UnfitOrder, ...] = ()
    objective: StockingObjective
    bound: StockingObjective
    """No choice is better than this."""
    multipliers: tuple[int, ...] = ()
    """The certificate of the bound: a number for each order, in their order (Lagrange multipliers of its assignment)."""
    today: tuple[PackedOrder, ...] = ()
    """The same orders in the kinds of today, as far as they go into them."""
    by_cost: bool = False
    """Whether the sums are costs, and not volumes."""
    state: ProofState = ProofState.BEST_FOUND
    seed: int = 0
    steps: int = 0
