"""A packing plan: the cartons, where each piece lies, and what is proved of it."""

from enum import StrEnum

from msgspec import Struct

from haulier.solvers.packing.problem import Turn

Objective = tuple[int, int, int]
"""What is made small, in this order: outer volumes in cubic millimetres, the number of cartons, their cost in cents."""


class ProofState(StrEnum):
    """What is known of a plan."""

    OPTIMAL = "optimal"
    """No choice of cartons with a smaller objective takes the pieces."""
    BEST_FOUND = "best_found"
    """The best that the budget allowed; nothing below the bound is possible."""
    INFEASIBLE = "infeasible"
    """The named pieces cannot be packed."""


class PackingRule(StrEnum):
    """The rules that a plan can break, or that make a problem infeasible."""

    UNKNOWN = "unknown"
    """A piece, carton kind or carton number that the problem does not have."""
    TWICE = "twice"
    MISSING = "missing"
    EMPTY = "empty"
    INSIDE = "inside"
    CUSHION = "cushion"
    """Something lies where the filling around a piece or along the walls belongs."""
    OVERLAP = "overlap"
    ORIENTATION = "orientation"
    FILL = "fill"
    PAYLOAD = "payload"
    STOCK = "stock"
    SUPPORT = "support"
    BEARING = "bearing"
    TOGETHER = "together"
    APART = "apart"
    OBJECTIVE = "objective"


class PiecePlace(Struct, frozen=True, kw_only=True):
    """Where a piece lies: the corner nearest to the carton's origin, in millimetres."""

    piece: str
    carton: int
    """The position of its carton in the plan, from 0."""
    x: int
    y: int
    z: int
    turn: Turn = Turn.LWH


class RefutedChoice(Struct, frozen=True):
    """Cartons that cannot take the pieces, and why: a word such as `volume`, `payload`, `size` or `search`."""

    cartons: tuple[str, ...]
    reason: str


class PackingPlan(Struct, frozen=True, kw_only=True):
    """A plan. An infeasible one has no carton, and names the pieces and the rule that prove it."""

    cartons: tuple[str, ...] = ()
    """The kind of each carton."""
    placements: tuple[PiecePlace, ...] = ()
    """In an order in which they can be put in."""
    state: ProofState
    objective: Objective | None = None
    bound: Objective | None = None
    """No plan has a smaller objective."""
    refuted: tuple[RefutedChoice, ...] = ()
    """The last choices that were tried and ruled out, in the order of their objectives."""
    refuted_count: int = 0
    pieces: tuple[str, ...] = ()
    """Infeasible: pieces that cannot be packed as the rule demands."""
    rule: PackingRule | None = None
    seed: int = 0
    steps: int = 0
    """Search steps that were done."""
