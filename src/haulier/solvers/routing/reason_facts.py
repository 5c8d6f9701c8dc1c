"""Reasons for unassigned jobs, with the facts that prove them.

Each reason is a type with its facts, so none can be constructed without them. Times are seconds on the axis of the
problem, distances are metres.
"""

from enum import StrEnum
from typing import ClassVar

from msgspec import Struct


class UnassignedReason(StrEnum):
    """Reasons for unassigned jobs.

    All except `loading`, `no_room` and `not_worth` hold for the job alone in an empty vehicle.
    """

    POOL = "pool"
    """None of the vehicles that may take it is in the problem."""
    SKILL = "skill"
    """No vehicle that may take it has the skills."""
    CAPACITY = "capacity"
    """It exceeds the capacity of every vehicle that may take it."""
    UNREACHABLE = "unreachable"
    """There is no road to it or back."""
    TOO_FAR = "too_far"
    """Driving there and back takes longer than any shift."""
    SHIFT = "shift"
    """It does not fit into a shift with its breaks."""
    WINDOW = "window"
    """No vehicle arrives in time, even if it drives straight to it."""
    LIMITS = "limits"
    """A route with this job only exceeds limits of stops, time or distance."""
    LOADING = "loading"
    """Its boxes fit no vehicle that may take it, alone or with the route so that every stop can be unloaded. Only set
    by the search that considers cargo spaces."""
    NO_ROOM = "no_room"
    """It fits alone, but not with the other jobs of the plan."""
    NOT_WORTH = "not_worth"
    """It would fit, but costs more than its prize."""
    WINDOW_OVER = "window_over"
    """Its window ends before the planned day, or before now. Set by the planner, which has the calendar."""
    OTHER_DAY = "other_day"
    """Its window is on a later day than the planned one. Set by the planner."""


class _Facts(Struct, frozen=True, kw_only=True, tag=True):
    reason: ClassVar[UnassignedReason]


class PoolFacts(_Facts, frozen=True, kw_only=True, tag=True):
    """Number of vehicles in the plan, if none may take the job."""

    reason = UnassignedReason.POOL
    vehicles: int


class SkillFacts(_Facts, frozen=True, kw_only=True, tag=True):
    """Skills missing in the best suited vehicle, separated by commas."""

    reason = UnassignedReason.SKILL
    skills: str


class CapacityFacts(_Facts, frozen=True, kw_only=True, tag=True):
    """Dimension in which the largest vehicle is too small."""

    reason = UnassignedReason.CAPACITY
    dimension: str
    needed: int
    available: int


class UnreachableFacts(_Facts, frozen=True, kw_only=True, tag=True):
    """The vehicle checked and the missing way: `there` or `back`."""

    reason = UnassignedReason.UNREACHABLE
    vehicle: int
    missing_way: str


class TooFarFacts(_Facts, frozen=True, kw_only=True, tag=True):
    """Distance and drive time to the farthest visit, and the length of the shift.

    They are measured from the start of the nearest vehicle.
    """

    reason = UnassignedReason.TOO_FAR
    vehicle: int
    distance_m: int
    drive_s: int
    shift_s: int


class OutsideShiftFacts(_Facts, frozen=True, kw_only=True, tag=True):
    """The window of a visit and the nearest shift, which do not overlap."""

    reason = UnassignedReason.SHIFT
    vehicle: int
    window_start_s: int
    window_end_s: int
    shift_start_s: int
    shift_end_s: int


class BeyondShiftFacts(_Facts, frozen=True, kw_only=True, tag=True):
    """The nearest shift, and the earliest end of a route of this job without breaks."""

    reason = UnassignedReason.SHIFT
    vehicle: int
    earliest_end_s: int
    shift_start_s: int
    shift_end_s: int


class WindowFacts(_Facts, frozen=True, kw_only=True, tag=True):
    """The window missed by the least, and the earliest arrival."""

    reason = UnassignedReason.WINDOW
    vehicle: int
    window_start_s: int
    window_end_s: int
    earliest_arrival_s: int


class LimitsFacts(_Facts, frozen=True, kw_only=True, tag=True):
    """First exceeded limit of a route with this job only.

    It is `max_stops`, `max_distance_m` or `max_time_s`.
    """

    reason = UnassignedReason.LIMITS
    vehicle: int
    limit: str
    needed: int
    available: int


class LoadingFacts(_Facts, frozen=True, kw_only=True, tag=True):
    """Number of vehicles tried.

    `alone` is 1 if the boxes fit no empty vehicle, else 0.
    """

    reason = UnassignedReason.LOADING
    vehicles: int
    alone: int


class NoRoomFacts(_Facts, frozen=True, kw_only=True, tag=True):
    """Number of vehicles that may take the job by pool and skills."""

    reason = UnassignedReason.NO_ROOM
    vehicles: int


class NotWorthFacts(_Facts, frozen=True, kw_only=True, tag=True):
    """Prize of the job in units of the objective."""

    reason = UnassignedReason.NOT_WORTH
    prize: int


ReasonFacts = (
    PoolFacts
    | SkillFacts
    | CapacityFacts
    | UnreachableFacts
    | TooFarFacts
    | OutsideShiftFacts
    | BeyondShiftFacts
    | WindowFacts
    | LimitsFacts
    | LoadingFacts
    | NoRoomFacts
    | NotWorthFacts
)
