"""Packing plan: cartons, positions and proof state."""

from enum import StrEnum

from msgspec import Struct

from haulier.solvers.packing.problem import Turn

Objective = tuple[int, int, int]
"""Values to minimise lexicographically: outer volume in cubic millimetres, number of cartons, cost in cents."""


class ProofState(StrEnum):
    """Quality of a plan."""

    OPTIMAL = "optimal"
    """No choice of cartons with a smaller objective holds the pieces."""
    BEST_FOUND = "best_found"
    """Best plan within the budget; no plan is below the bound."""
    INFEASIBLE = "infeasible"
    """The listed pieces cannot be packed."""


class PackingRule(StrEnum):
    """Rules that a plan can break or that make a problem infeasible."""

    UNKNOWN = "unknown"
    """The problem does not contain this piece, carton kind or carton number."""
    TWICE = "twice"
    MISSING = "missing"
    EMPTY = "empty"
    INSIDE = "inside"
    CUSHION = "cushion"
    """An object intrudes into the void fill around a piece or along the walls."""
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
    """Position of a piece: its corner nearest to the origin, in millimetres."""

    piece: str
    carton: int
    """Index of its carton in the plan, from 0."""
    x: int
    y: int
    z: int
    turn: Turn = Turn.LWH


class RefutedChoice(Struct, frozen=True):
    """Cartons that cannot hold the pieces, and a reason such as `volume` or `search`."""

    cartons: tuple[str, ...]
    reason: str


class PackingPlan(Struct, frozen=True, kw_only=True):
    """A packing plan; if infeasible, the pieces and the rule that prove it."""

    cartons: tuple[str, ...] = ()
    """The kind of each carton."""
    placements: tuple[PiecePlace, ...] = ()
    """In a feasible packing order."""
    state: ProofState
    objective: Objective | None = None
    bound: Objective | None = None
    """No plan has a smaller objective."""
    refuted: tuple[RefutedChoice, ...] = ()
    """The last choices tried and refuted, by ascending objective."""
    refuted_count: int = 0
    pieces: tuple[str, ...] = ()
    """Pieces that cannot be packed under the rule, if infeasible."""
    rule: PackingRule | None = None
    seed: int = 0
    steps: int = 0
    """Number of search steps."""
