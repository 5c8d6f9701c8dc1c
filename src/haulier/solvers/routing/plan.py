"""The result of a route builder: routes and unassigned jobs."""

from msgspec import Struct

from haulier.solvers.routing.problem import Load, TaskKind
from haulier.solvers.routing.reason_facts import ReasonFacts, UnassignedReason


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


class UnassignedJob(Struct, frozen=True, kw_only=True):
    """A job on no route, with the facts that prove the reason."""

    job: int
    facts: ReasonFacts

    @property
    def reason(self) -> UnassignedReason:
        """The reason that the facts belong to."""
        return self.facts.reason


class RoutingPlan(Struct, frozen=True, kw_only=True):
    """Routes in the order of the problem's vehicles, only those with stops; and what is on none of them."""

    routes: tuple[TimedRoute, ...]
    unassigned: tuple[UnassignedJob, ...] = ()
