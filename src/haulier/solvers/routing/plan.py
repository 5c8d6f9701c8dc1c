"""Routing plan: routes and unassigned jobs."""

from msgspec import Struct

from haulier.solvers.routing.problem import Load, TaskKind
from haulier.solvers.routing.reason_facts import ReasonFacts, UnassignedReason


class TimedStop(Struct, frozen=True, kw_only=True):
    """A visit with its times and the load after it.

    The vehicle arrives at `arrival_s`, waits or pauses for `wait_s`, works from `start_s` and leaves at `departure_s`
    with `load`. `late_s` is the time between the end of the window and `start_s`.
    """

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
    """A break after `after` stops, before service at the next stop begins.

    It is taken wherever the vehicle is at that time.
    """

    number: int
    after: int
    start_s: int
    end_s: int


class TimedRoute(Struct, frozen=True, kw_only=True):
    """The stops of a vehicle in order.

    Work begins at `start_s`, including loading, and ends at `end_s`.
    """

    vehicle: int
    start_s: int
    end_s: int
    distance_m: int
    stops: tuple[TimedStop, ...]
    pauses: tuple[TimedBreak, ...] = ()

    @property
    def duration_s(self) -> int:
        """Return the duration of the route, including breaks and waiting."""
        return self.end_s - self.start_s


class UnassignedJob(Struct, frozen=True, kw_only=True):
    """An unassigned job, with the facts that prove the reason."""

    job: int
    facts: ReasonFacts

    @property
    def reason(self) -> UnassignedReason:
        return self.facts.reason


class RoutingPlan(Struct, frozen=True, kw_only=True):
    """Non-empty routes in the order of the vehicles, and unassigned jobs."""

    routes: tuple[TimedRoute, ...]
    unassigned: tuple[UnassignedJob, ...] = ()
