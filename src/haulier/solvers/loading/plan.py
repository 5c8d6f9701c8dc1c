"""A loading plan: what lies where, in the order of loading, and what stays behind."""

from enum import StrEnum

from msgspec import Struct

from haulier.solvers.packing.problem import Turn

LoadingObjective = tuple[int, ...]
"""What is made small, in this order: mandatory pieces left behind, priority left behind, the spaces' cost in cents, where the
problem allows any the pieces that are repacked under way, the length of floor used in millimetres, and the distance of the
centres of gravity from the middle in millimetres."""
LoadingBound = tuple[int, int, int]
"""What no plan is below: mandatory pieces left behind, priority left behind, cost in cents."""


class LoadingState(StrEnum):
    """What is known of a plan."""

    OPTIMAL = "optimal"
    """Everything is loaded, at the least cost of spaces."""
    BEST_FOUND = "best_found"
    """Everything is loaded; the cost may be above the bound."""
    PARTLY = "partly"
    """Something stays behind, each piece with a reason."""


class LeftOverReason(StrEnum):
    """Why a piece stays behind."""

    TOO_LARGE = "too_large"
    """It fits no space, however it lies."""
    TOO_HEAVY = "too_heavy"
    """It alone is heavier than any space may carry."""
    PAYLOAD = "payload"
    """The weight that the spaces may carry is used up."""
    VOLUME = "volume"
    """The volume is used up."""
    APART = "apart"
    """In every space there are goods that it is kept apart from."""
    TOGETHER = "together"
    """Another piece that must travel with it stays behind, or they fit no space together."""
    REACH = "reach"
    """Where there is room for it, it cannot be reached."""
    AXLES = "axles"
    """With it the axles or the balance would be out of their limits."""
    NO_PLACE = "no_place"
    """No place was found that keeps all rules."""


class LoadingRule(StrEnum):
    """The rules that a plan can break."""

    UNKNOWN = "unknown"
    """A piece, space or number of a space that the problem does not have."""
    TWICE = "twice"
    MISSING = "missing"
    """A piece that is neither loaded nor said to stay behind."""
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
    """A piece of a later stop stands on it, or in its way out."""
    STEPS = "steps"
    """It cannot be put in when its turn comes."""
    REACH = "reach"
    """It lies farther from where it is put in or taken out, or higher, than its method reaches."""
    AXLES = "axles"
    BALANCE = "balance"
    REPACK = "repack"
    """It is put back at a stop where it is not aboard or nothing is unloaded, or more is than may be."""
    OBJECTIVE = "objective"


class LoadedPiece(Struct, frozen=True, kw_only=True):
    """Where a piece lies: the corner nearest to the space's origin, in millimetres."""

    piece: str
    space: int
    """The position of its space in the plan, from 0."""
    x: int
    y: int
    z: int
    turn: Turn = Turn.LWH


class RepackedPiece(Struct, frozen=True, kw_only=True):
    """A piece that is taken out at a stop, so that others can leave, and where it is put back in the same space."""

    stop: int
    piece: str
    x: int
    y: int
    z: int
    turn: Turn = Turn.LWH


class LeftOver(Struct, frozen=True):
    """A piece that stays behind, and why."""

    piece: str
    reason: LeftOverReason = LeftOverReason.NO_PLACE


class LoadingPlan(Struct, frozen=True, kw_only=True):
    """A plan."""

    spaces: tuple[str, ...] = ()
    """The kind of each space that is used."""
    placements: tuple[LoadedPiece, ...] = ()
    """In the order of loading."""
    left_over: tuple[LeftOver, ...] = ()
    repacks: tuple[RepackedPiece, ...] = ()
    """At each stop in the order in which pieces are put back."""
    state: LoadingState = LoadingState.PARTLY
    objective: LoadingObjective | None = None
    bound: LoadingBound | None = None
    seed: int = 0
    steps: int = 0
    """Search steps that were done."""
