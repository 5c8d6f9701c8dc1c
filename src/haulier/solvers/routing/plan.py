"""The result of a route builder: routes and unassigned jobs."""

from enum import StrEnum

from msgspec import Struct

from haulier.solvers.routing.problem import Load, TaskKind


class TimedStop(Struct, frozen=True, kw_only=True):
    """A visit. The vehicle is there at `arrival_s`, waits (or pauses) for `wait_s`, works from `start_s` and leaves at
    `departure_s` with `load`. `late_s` is how long after its window's end work began."""

    job: int
    kind: TaskKind
    place: int
    arrival_s: int
    wait_s: int
    start_s: int
    departure_s: int
    late_s: int
    load: Load


class TimedBreak(Struct, frozen=True, kw_only=True):
    """A break taken after `after` stops: before the next stop's work begins, where the vehicle then is."""

    number: int
    after: int
    start_s: int
    end_s: int


class TimedRoute(Struct, frozen=True, kw_only=True):
    """A vehicle's stops in order. Work begins at `start_s` (loading counts) and is over at `end_s`."""

    vehicle: int
    start_s: int
    end_s: int
    distance_m: int
    stops: tuple[TimedStop, ...]
    pauses: tuple[TimedBreak, ...] = ()

    @property
    def duration_s(self) -> int:
        """How long the vehicle is on its way, pauses and waiting included."""
        return self.end_s - self.start_s


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


class UnassignedJob(Struct, frozen=True, kw_only=True):
    """A job on no route. The facts are numbers and names that belong to the reason (see `reasons`)."""

    job: int
    reason: UnassignedReason
    facts: dict[str, int | str] = {}


class RoutingPlan(Struct, frozen=True, kw_only=True):
    """Routes in the order of the problem's vehicles, only those with stops; and what is on none of them."""

    routes: tuple[TimedRoute, ...]
    unassigned: tuple[UnassignedJob, ...] = ()
