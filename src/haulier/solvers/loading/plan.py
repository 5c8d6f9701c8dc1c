"""Loading plan: positions in loading order, and left-over pieces."""

from enum import StrEnum

from msgspec import Struct

from haulier.solvers.packing.problem import Turn

LoadingObjective = tuple[int, ...]
"""Values to minimise lexicographically: mandatory pieces left behind, priority left behind, cost of spaces in cents,
repacked pieces (only if the problem allows repacks), floor length used in millimetres, distance of the centres of
gravity from the middle in millimetres."""
LoadingBound = tuple[int, int, int]
"""Lower bound of every plan: mandatory pieces left behind, priority left behind, cost in cents."""


class LoadingState(StrEnum):
    """Quality of a plan."""

    OPTIMAL = "optimal"
    """Everything is loaded at the least cost of spaces."""
    BEST_FOUND = "best_found"
    """Everything is loaded; the cost may exceed the bound."""
    PARTLY = "partly"
    """Pieces are left over, each with a reason."""


class LeftOverReason(StrEnum):
    """Reasons why a piece is left over."""

    TOO_LARGE = "too_large"
    """It fits no space in any orientation."""
    TOO_HEAVY = "too_heavy"
    """It exceeds the payload of every space."""
    PAYLOAD = "payload"
    """The payload of the spaces is used up."""
    VOLUME = "volume"
    """The volume is used up."""
    APART = "apart"
    """Every space contains goods that must be kept apart from it."""
    TOGETHER = "together"
    """Another piece of its group is left over, or the group fits no space."""
    REACH = "reach"
    """Every free position is out of reach."""
    AXLES = "axles"
    """It would violate the axle or balance limits."""
    NO_PLACE = "no_place"
    """No position satisfies all rules."""


class LoadingRule(StrEnum):
    """Rules that a plan can break."""

    UNKNOWN = "unknown"
    """The problem does not contain this piece, space or space number."""
    TWICE = "twice"
    MISSING = "missing"
    """The piece is neither loaded nor left over."""
    EMPTY = "empty"
    STOCK = "stock"
    INSIDE = "inside"
    OVERLAP = "overlap"
    OBSTACLE = "obstacle"
    ORIENTATION = "orientation"
    FILL = "fill"
    PAYLOAD = "payload"
    SUPPORT = "support"
    BEARING = "bearing"
    LAYERS = "layers"
    STACK_GROUP = "stack_group"
    FLOOR_ONLY = "floor_only"
    TOP_ONLY = "top_only"
    TOGETHER = "together"
    APART = "apart"
    UNLOADING = "unloading"
    """A piece of a later stop stands on it or blocks its way out."""
    STEPS = "steps"
    """It cannot be loaded in turn."""
    REACH = "reach"
    """It is too deep or too high for its loading method."""
    AXLES = "axles"
    BALANCE = "balance"
    REPACK = "repack"
    """A repack of a piece that is not aboard, at a stop without unloading, or beyond the limit."""
    OBJECTIVE = "objective"


class LoadedPiece(Struct, frozen=True, kw_only=True):
    """Position of a piece: its corner nearest to the origin, in millimetres."""

    piece: str
    space: int
    """Index of its space in the plan, from 0."""
    x: int
    y: int
    z: int
    turn: Turn = Turn.LWH


class RepackedPiece(Struct, frozen=True, kw_only=True):
    """A piece moved at a stop to clear the way, and its new position."""

    stop: int
    piece: str
    x: int
    y: int
    z: int
    turn: Turn = Turn.LWH


class LeftOver(Struct, frozen=True):
    """A left-over piece and the reason."""

    piece: str
    reason: LeftOverReason = LeftOverReason.NO_PLACE


class LoadingPlan(Struct, frozen=True, kw_only=True):
    spaces: tuple[str, ...] = ()
    """The kind of each space used."""
    placements: tuple[LoadedPiece, ...] = ()
    """In loading order."""
    left_over: tuple[LeftOver, ...] = ()
    repacks: tuple[RepackedPiece, ...] = ()
    """Grouped by stop, in the order of reloading."""
    state: LoadingState = LoadingState.PARTLY
    objective: LoadingObjective | None = None
    bound: LoadingBound | None = None
    seed: int = 0
    steps: int = 0
    """Number of search steps."""
