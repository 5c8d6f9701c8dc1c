"""Request and response models of builds."""

from datetime import date, datetime
from typing import Annotated

from msgspec import UNSET, UnsetType
from pydantic import Field

from haulier.contexts.planning.builds.rules.planning_input import BuildState, ExistingRouteMode
from haulier.contexts.routes.assignments.contract import OrderError
from haulier.contexts.routes.stops.rules import StopKind
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import RecordId
from haulier.kernel.operations.ids import DriverId
from haulier.kernel.values.moments import Day
from haulier.kernel.values.pagination import PagedAnswer, PageRequest
from haulier.solvers.routing.reason_facts import UnassignedReason
from haulier.solvers.routing.travel import TravelMode


class PlannedStop(Answer):
    """A visit of a plan."""

    order_id: int
    kind: StopKind
    lat: float
    lng: float
    arrival_at: datetime
    start_at: Annotated[datetime, doc("Start of the service, after any waiting for the time window.")]
    departure_at: datetime
    late_s: Annotated[int, doc("Start of the service after the end of the time window, in seconds.")]
    distance_m: Annotated[int, doc("Distance in metres from the previous stop or the start.")]


class PlannedBreak(Answer):
    """A break."""

    start_at: datetime
    end_at: datetime


class PlannedRoute(Answer):
    """A driver's route of a plan, in the order of visit."""

    driver_id: DriverId
    driver_name: str | None
    vehicle_id: int | None
    vehicle_name: str | None
    travel_mode: Annotated[TravelMode, doc("Travel mode of the vehicle; van without one.")]
    depot_id: int
    contractor_id: int | None
    route_id: Annotated[int | None, doc("Existing route that the plan changes; null for a new one.")]
    start_at: datetime
    end_at: datetime
    distance_m: int
    cost: Annotated[int, doc("Cost in minor units, by the vehicle's prices.")]
    pauses: list[PlannedBreak]
    stops: list[PlannedStop]


class UnassignedOrder(Answer):
    """An order on no route of the plan, with the reason, which was proved by a check."""

    order_id: int
    reason: UnassignedReason
    message: Annotated[str, doc("Reason in the caller's language.")]
    facts: Annotated[dict[str, int | str], doc("Numbers, names and times that prove the reason.")]


class PlanScore(Answer):
    """A plan in numbers."""

    missed: Annotated[
        int, doc("Orders left out, each counted as 1 plus its priority. Minimised before everything else.")
    ]
    price: Annotated[float, doc("Weighted sum of the objective. Less is better.")]
    vehicles: int
    stops: int
    unassigned: int
    cost: Annotated[int, doc("Cost in minor units.")]
    distance_m: int
    duration_s: int
    late_s: int
    balance_s: Annotated[int, doc("Difference between the longest and the shortest route in seconds.")]


class BuildErrorDetail(Answer):
    """One error of a build."""

    field: Annotated[str, doc("Record of the error.", "orders.17")]
    code: str
    message: str


class BuildError(Answer):
    """Why a build failed, or why its plan could not be committed by itself."""

    code: str
    message: str
    errors: list[BuildErrorDetail]


class BuildSummary(Answer):
    """A build, without its plan."""

    id: Annotated[int | None, doc("ID of the build; null in a dry run.")]
    day: date
    state: BuildState
    orders: Annotated[int, doc("Number of requested orders.")]
    commits: Annotated[bool, doc("True if the plan is committed when it is ready.")]
    score: Annotated[PlanScore | None, doc("Score of the best plan so far.")]
    steps: Annotated[int, doc("Number of improvements of the plan.")]
    created_at: datetime
    started_at: datetime | None
    updated_at: datetime
    finished_at: datetime | None
    committed_at: datetime | None
    route_ids: Annotated[list[int], doc("Routes written by the commit.")]
    fault: BuildError | None


class RouteBuild(BuildSummary):
    """A build with the best plan so far."""

    routes: list[PlannedRoute]
    unassigned: list[UnassignedOrder]
    refused: Annotated[list[OrderError], doc("Requested orders that cannot be planned now.")]


class BuildAnswer(Answer):
    """One build."""

    result: bool = True
    build: RouteBuild


class RouteBuilds(PagedAnswer):
    """A page of builds, newest first."""

    builds: list[BuildSummary]


class RouteOutline(Answer):
    """A driver and the orders they visit, in order."""

    driver_id: DriverId
    order_ids: list[int]


class BuildStep(Answer):
    """A better plan, or the end: the last step has the state in which the build ended."""

    number: int
    at: datetime
    state: BuildState
    score: PlanScore | None
    routes: list[RouteOutline]


class BuildStepsAnswer(Answer):
    """Steps of a build, in order."""

    result: bool = True
    build_id: int
    steps: list[BuildStep]
    next_cursor: str | None
    more: bool


class OptionDepot(Answer):
    """A depot that routes may start from."""

    id: int
    name: str


class OptionDriver(Answer):
    """A driver, and whether they can be planned on the day."""

    id: int
    name: str
    contractor_id: int | None
    available: bool
    why_not: Annotated[str | UnsetType, doc("Reason in the caller's language if unavailable.")] = UNSET
    shift_start_at: datetime | None
    shift_end_at: datetime | None
    skills: list[str]
    vehicle_id: int | None
    route_id: Annotated[int | None, doc("Existing route of the driver on the day.")]


class OptionVehicle(Answer):
    """A vehicle in use."""

    id: int
    name: str
    contractor_id: int | None
    depot_id: int | None


class OptionWeights(Answer):
    """Weights of the objective."""

    cost: float
    distance: float
    duration: float
    vehicles: float
    balance: float
    lateness: float


class OptionLimits(Answer):
    """The upper bounds of a request."""

    orders: int
    drivers: int
    time_budget_s: int
    iterations: int
    late_min: int
    loading_min: int


class BuildOptions(Answer):
    """The possible choices, and the defaults."""

    result: bool = True
    day: date
    orders_waiting: Annotated[int, doc("Number of orders in your planning pool.")]
    complete: Annotated[bool, doc("False if there are more records than returned or searched.")]
    depots: list[OptionDepot]
    drivers: list[OptionDriver]
    vehicles: list[OptionVehicle]
    current: list[ExistingRouteMode]
    default_time_budget_s: int
    default_objective: OptionWeights
    limits: OptionLimits


MAX_BUILD_ORDERS = 10_000
MAX_BUILD_DRIVERS = 500
MAX_SEARCH_SECONDS = 300
MAX_SEARCH_ITERATIONS = 100_000
MAX_SEED = 2**31 - 1
ObjectiveWeight = Annotated[float, Field(ge=0, le=10_000)]
ResourceIds = Annotated[list[RecordId], Field(max_length=MAX_BUILD_DRIVERS)]
DriverIds = Annotated[list[DriverId], Field(max_length=MAX_BUILD_DRIVERS)]


class BuildWeights(Request):
    """Weights of the objective: a weighted sum to minimise.

    Planning as many orders as possible takes precedence.
    """

    cost: ObjectiveWeight = Field(default=1, examples=[1])
    """Weight per minor unit of vehicle cost."""
    distance: ObjectiveWeight = Field(default=10, examples=[10])
    """Weight per kilometre."""
    duration: ObjectiveWeight = Field(default=100, examples=[100])
    """Weight per hour in transit, including waiting and breaks."""
    vehicles: ObjectiveWeight = Field(default=0, examples=[500])
    """Weight per vehicle used."""
    balance: ObjectiveWeight = Field(default=0, examples=[0])
    """Weight per hour between the longest and the shortest route."""
    lateness: ObjectiveWeight = Field(default=10, examples=[10])
    """Weight per minute after the end of a time window, if lateness is allowed."""


class OrderPreference(Request):
    """Preferences for an order in this plan."""

    order_id: RecordId = Field(examples=[17])
    """ID of the order."""
    priority: int = Field(default=0, ge=0, le=100, examples=[5])
    """Priority of the order. Orders with a higher priority are left out last."""
    skip_cost: int | None = Field(default=None, ge=0, le=10**9, examples=[2500])
    """Cost of leaving the order out, in units of the objective. Default: the order is left out only if it does not
    fit."""
    driver_ids: DriverIds = Field(default=[], examples=[[3]])
    """Drivers who may take the order. Empty: all drivers."""


class BuildRoute(Request):
    """Orders, resources and objective of a route build.

    Defaults are listed by `get_build_route_options`.
    """

    day: Day = Field(examples=["2026-06-11"])
    """Day to plan in the time zone of the business."""
    order_ids: Annotated[list[RecordId], Field(max_length=MAX_BUILD_ORDERS)] = Field(default=[], examples=[[17, 18]])
    """Orders to plan. Empty: the planning pool, which contains orders for this day, earlier days or no day."""
    driver_ids: DriverIds = Field(default=[], examples=[[3, 4]])
    """Drivers to plan. Empty: all active drivers of your own. Staff can also name drivers of contractors."""
    vehicle_ids: ResourceIds = Field(default=[], examples=[[2]])
    """Vehicles to use. Empty: all active vehicles. Drivers without a usual vehicle get the remaining ones in order of
    name."""
    depot_ids: ResourceIds = Field(default=[], examples=[[1]])
    """Depots to use. Empty: all open depots. Drivers of other depots are left out."""
    current: ExistingRouteMode = Field(default=ExistingRouteMode.LEAVE, examples=["leave"])
    """Treatment of existing routes of the day. leave: their drivers are not planned; extend: new stops are appended;
    rebuild: stops that are neither driven nor locked are planned again, starting from the current routes."""
    preferences: Annotated[list[OrderPreference], Field(max_length=MAX_BUILD_ORDERS)] = Field(
        default=[], examples=[[{"order_id": 17}]]
    )
    """Priorities, optional orders, and permitted drivers by order."""
    objective: BuildWeights = Field(default=BuildWeights(), examples=[{"distance": 10}])
    """Weights of the objective."""
    late_minutes_max: int = Field(default=0, ge=0, le=240, examples=[0])
    """Maximum lateness of a stop in minutes. 0: time windows are strict."""
    loading_min: int = Field(default=0, ge=0, le=240, examples=[15])
    """Loading time at the depot in minutes."""
    time_budget_s: int = Field(default=20, ge=1, le=MAX_SEARCH_SECONDS, examples=[20])
    """Search time in seconds. The best plan so far can be read at any time."""
    iterations: int | None = Field(default=None, ge=1, le=MAX_SEARCH_ITERATIONS, examples=[2000])
    """Number of search rounds, instead of a search time. The same input and seed then give the same plan on every
    machine."""
    seed: int = Field(default=0, ge=0, le=MAX_SEED, examples=[0])
    """Seed of the random choices of the search."""
    commit: bool = Field(default=False, examples=[False])
    """If true, commit the plan when it is ready. If false, the plan remains a proposal until it is committed or
    discarded."""


class GetBuildOptions(Request):
    """The day."""

    day: Day | None = Field(default=None, examples=["2026-06-11"])
    """Day to plan in the time zone of the business. Default: today."""


class BuildRef(Request):
    """Reference to a build."""

    build_id: RecordId
    """ID of the build."""


class ListRouteBuilds(PageRequest):
    """Filters and page of a build list."""

    day: Day | None = None
    """Filter by day."""
    state: BuildState | None = None
    """Filter by state. A build whose worker died is listed in its last state."""


class ListBuildSteps(Request):
    """The build, and where the list continues."""

    build_id: RecordId
    """ID of the build."""
    cursor: str | None = Field(default=None, max_length=500)
    """`next_cursor` of an earlier answer. Only later steps are returned."""
