"""Rules of builds: planning input."""

from enum import StrEnum

from msgspec import Struct

from haulier.kernel.operations.errors import OperationError, declare_error
from haulier.kernel.values.state_machine import StateMachine
from haulier.solvers.loading.problem import LoadSpace
from haulier.solvers.route_loading.loads import Parcel
from haulier.solvers.routing.travel import TravelMode


class BuildState(StrEnum):
    """State of a build.

    A `done` build has a plan that can be committed; a `cancelled` build may have one.
    """

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class BuildAction(StrEnum):
    """Actions that change the state of a build; the values label the diagram."""

    TAKE = "a worker takes it"
    IMPROVE = "a better plan"
    FINISH = "the search is over"
    FAIL = "no plan can be made"
    CANCEL = "cancel_route_build"


class ExistingRouteMode(StrEnum):
    """Treatment of drivers' existing routes of the day.

    `leave`: their drivers are not planned. `extend`: open stops are unchanged, and new ones are appended. `rebuild`:
    stops that are neither driven nor locked are planned again, starting from the current routes.
    """

    LEAVE = "leave"
    EXTEND = "extend"
    REBUILD = "rebuild"


BUILD_IS_OVER = declare_error("build_is_over", 409)


def build_error(action: BuildAction, state: BuildState) -> OperationError:
    """The error for a build that is over."""
    return BUILD_IS_OVER()


_QUEUED, _RUNNING = BuildState.QUEUED, BuildState.RUNNING
BUILD_LIFE = StateMachine(
    {
        BuildAction.TAKE: {_QUEUED: _RUNNING},
        BuildAction.IMPROVE: {_RUNNING: _RUNNING},
        BuildAction.FINISH: {_RUNNING: BuildState.DONE},
        BuildAction.FAIL: {_RUNNING: BuildState.FAILED},
        BuildAction.CANCEL: {_QUEUED: BuildState.CANCELLED, _RUNNING: BuildState.CANCELLED},
    },
    created={_QUEUED: "build_route", BuildState.DONE: "answered at once"},
    error=build_error,
    draws_stays=True,
)
mermaid = BUILD_LIFE.mermaid
ACTIVE_BUILD_STATES = frozenset(BuildState) - BUILD_LIFE.terminal
COMMITTABLE_BUILD_STATES = frozenset({BuildState.DONE, BuildState.CANCELLED})


def effective_build_state(state: str, job_state: str | None) -> BuildState:
    """Return the state of a build, given the state of its job.

    A build whose job died without a result has failed.
    """
    build_state = BuildState(state)
    return (
        BuildState.FAILED if build_state in ACTIVE_BUILD_STATES and job_state in (None, "dead", "done") else build_state
    )


PlaceCoordinates = tuple[float, float]
"""Degrees north and east, WGS 84."""
SecondsRange = tuple[int, int]
LOAD_DIMENSIONS = ("weight_g", "volume_cm3", "parcels")
UNLIMITED_CAPACITY = 10**12
"""The capacity of a vehicle whose capacity is not known."""


class TransportRequest(Struct, frozen=True, kw_only=True):
    """An order to plan.

    `drivers` are the only drivers who may take it; None allows any. If it is empty, `no_driver_reason` has the reason
    (`NoDriverReason`). `request_fingerprint` changes with the order. `window_reason` is `window_over` or `other_day` if
    the window excludes the day. `collected` is true if the goods are in a vehicle, so that only the delivery is left.
    `parcels` are its boxes of known size.
    """

    order_id: int
    type: str
    stop: PlaceCoordinates | None
    pickup: PlaceCoordinates | None = None
    window: tuple[int | None, int | None] = (None, None)
    service_s: int = 0
    load: tuple[int, ...] = (0, 0, 0)
    parcels: tuple[Parcel, ...] = ()
    skills: tuple[str, ...] = ()
    drivers: tuple[int, ...] | None = None
    priority: int = 0
    prize: int | None = None
    collected: bool = False
    no_driver_reason: str | None = None
    window_reason: str | None = None
    request_fingerprint: str = ""


class ExistingStop(Struct, frozen=True, kw_only=True):
    """An open stop of a route of today.

    `kept` is true if it is locked, or the driver is there.
    """

    stop_id: int
    order_id: int
    kind: str
    kept: bool = False


class ExistingRoute(Struct, frozen=True, kw_only=True):
    """A driver's existing route with its open stops in order.

    `under_way`: the driver has left the depot.
    """

    route_id: int
    version: int
    under_way: bool
    stops: tuple[ExistingStop, ...]


class VehicleShift(Struct, frozen=True, kw_only=True):
    """A driver with a vehicle, for one route of the day.

    Without an `end`, the driver is free after the last stop. `body` is the cargo space of the vehicle, if it is known
    and its load can still be chosen.
    """

    driver_id: int
    contractor_id: int | None
    vehicle_id: int | None
    depot_id: int
    depot: PlaceCoordinates
    start: PlaceCoordinates
    end: PlaceCoordinates | None
    shift: SecondsRange
    breaks: tuple[tuple[int, int, int], ...] = ()
    capacity: tuple[int | None, ...] = (None, None, None)
    aboard: tuple[int, ...] = (0, 0, 0)
    body: LoadSpace | None = None
    skills: tuple[str, ...] = ()
    travel_mode: TravelMode = TravelMode.VAN
    speed_percent: int = 100
    cost_per_km: int = 0
    cost_per_hour: int = 0
    cost_fixed: int = 0
    max_stops: int | None = None
    max_distance_m: int | None = None
    max_time_s: int | None = None
    loading_s: int = 0
    route: ExistingRoute | None = None


class ObjectiveWeights(Struct, frozen=True, kw_only=True):
    """Weights of the objective.

    Per minor unit of money, kilometre, hour, vehicle, hour of difference, and minute of lateness.
    """

    cost: float = 1
    distance: float = 10
    duration: float = 100
    vehicles: float = 0
    balance: float = 0
    lateness: float = 10


class PlanningInput(Struct, frozen=True, kw_only=True):
    """Complete input of a search.

    With `iterations`, the same input gives the same plan on every machine. `worked` counts the active drivers in each
    hour of the local day, for travel times.
    """

    day: str
    planner_id: int | None
    requests: tuple[TransportRequest, ...]
    vehicle_shifts: tuple[VehicleShift, ...]
    weights: ObjectiveWeights = ObjectiveWeights()
    grace_s: int = 0
    worked: tuple[int, ...] = ()
    seconds: float = 20
    iterations: int | None = None
    seed: int = 0
