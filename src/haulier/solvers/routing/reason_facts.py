"""Reasons for unassigned jobs, each a type that holds its facts: a reason without its facts cannot be constructed.

Times are seconds on the axis of the problem, distances are metres.
"""

from enum import StrEnum
from typing import ClassVar

from msgspec import Struct


class UnassignedReason(StrEnum):
    """Why a job is on no route. All but `loading`, `no_room` and `not_worth` are true of the job alone, in an empty vehicle."""

    POOL = "pool"
    """None of the vehicles that may take it is here."""
    SKILL = "skill"
    """No vehicle that may take it has the skills."""
    CAPACITY = "capacity"
    """It is larger than every vehicle that may take it."""
    UNREACHABLE = "unreachable"
    """There is no way to it, or back."""
    TOO_FAR = "too_far"
    """The drive there and back alone takes longer than any shift."""
    SHIFT = "shift"
    """It cannot be done in the hours of a vehicle and its driver's breaks."""
    WINDOW = "window"
    """Nobody can be there in time, even when driving straight to it."""
    LIMITS = "limits"
    """A route with nothing else on it is beyond a vehicle's limits of stops, time or distance."""
    LOADING = "loading"
    """Its boxes go into no vehicle that may take it, or not together with what else is on the route, so that each stop can be
    unloaded. Said by the search that knows the insides of vehicles."""
    NO_ROOM = "no_room"
    """It fits alone, but not with the other jobs of the plan."""
    NOT_WORTH = "not_worth"
    """It would fit, but costs more than its prize."""
    WINDOW_OVER = "window_over"
    """Its window is over before the day that is planned, or before now. Said by the planner, who knows the calendar."""
    OTHER_DAY = "other_day"
    """Its window is on a later day than the one that is planned. Said by the planner too."""


class _Facts(Struct, frozen=True, kw_only=True, tag=True):
    reason: ClassVar[UnassignedReason]


class PoolFacts(_Facts, frozen=True, kw_only=True, tag=True):
    """The number of vehicles of the plan, none of which may take the job."""

    reason = UnassignedReason.POOL
    vehicles: int


class SkillFacts(_Facts, frozen=True, kw_only=True, tag=True):
    """The skills that the best suited vehicle lacks, joined by commas."""

    reason = UnassignedReason.SKILL
    skills: str


class CapacityFacts(_Facts, frozen=True, kw_only=True, tag=True):
    """The dimension in which the largest vehicle is too small."""

    reason = UnassignedReason.CAPACITY
    dimension: str
    needed: int
    available: int


class UnreachableFacts(_Facts, frozen=True, kw_only=True, tag=True):
    """The vehicle that was checked and the missing way: `there` or `back`."""

    reason = UnassignedReason.UNREACHABLE
    vehicle: int
    missing_way: str


class TooFarFacts(_Facts, frozen=True, kw_only=True, tag=True):
    """Distance and drive time from the start of the nearest vehicle to the farthest visit, and the length of its shift."""

    reason = UnassignedReason.TOO_FAR
    vehicle: int
    distance_m: int
    drive_s: int
    shift_s: int


class OutsideShiftFacts(_Facts, frozen=True, kw_only=True, tag=True):
    """The window of a visit, and the nearest shift, with which it has no moment in common."""

    reason = UnassignedReason.SHIFT
    vehicle: int
    window_start_s: int
    window_end_s: int
    shift_start_s: int
    shift_end_s: int


class BeyondShiftFacts(_Facts, frozen=True, kw_only=True, tag=True):
    """The shift that comes nearest, and the earliest end of a route with this job alone and without breaks."""

    reason = UnassignedReason.SHIFT
    vehicle: int
    earliest_end_s: int
    shift_start_s: int
    shift_end_s: int


class WindowFacts(_Facts, frozen=True, kw_only=True, tag=True):
    """The window that is missed by least, and the earliest arrival."""

    reason = UnassignedReason.WINDOW
    vehicle: int
    window_start_s: int
    window_end_s: int
    earliest_arrival_s: int


class LimitsFacts(_Facts, frozen=True, kw_only=True, tag=True):
    """The first limit that a route with this job alone exceeds: `max_stops`, `max_distance_m` or `max_time_s`."""

    reason = UnassignedReason.LIMITS
    vehicle: int
    limit: str
    needed: int
    available: int


class LoadingFacts(_Facts, frozen=True, kw_only=True, tag=True):
    """The number of vehicles tried, and `alone`: 1 when the boxes fit into no empty vehicle, else 0."""

    reason = UnassignedReason.LOADING
    vehicles: int
    alone: int


class NoRoomFacts(_Facts, frozen=True, kw_only=True, tag=True):
    """The number of vehicles that may take the job by pool and skills."""

    reason = UnassignedReason.NO_ROOM
    vehicles: int


class NotWorthFacts(_Facts, frozen=True, kw_only=True, tag=True):
    """The prize of the job, in units of the objective."""

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
