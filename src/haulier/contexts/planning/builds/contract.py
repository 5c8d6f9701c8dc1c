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


class PlannedStop(Answer):
    """A visit of a plan."""

    order_id: int
    kind: StopKind
    lat: float
    lng: float
    arrival_at: datetime
    start_at: Annotated[datetime, doc("When work begins: after waiting for the time window.")]
    departure_at: datetime
    late_s: Annotated[int, doc("How long after the end of the time window work begins.")]
    distance_m: Annotated[int, doc("Driven to this stop from the one before, or from the start.")]


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
    depot_id: int
    contractor_id: int | None
    route_id: Annotated[int | None, doc("The route of today that it changes; null for a new one.")]
    start_at: datetime
    end_at: datetime
    distance_m: int
    cost: Annotated[int, doc("What it costs in minor units, by the vehicle's prices.")]
    pauses: list[PlannedBreak]
    stops: list[PlannedStop]


class UnassignedOrder(Answer):
    """An order on no route of the plan, with the reason, which was proved by a check."""

    order_id: int
    reason: UnassignedReason
    message: Annotated[str, doc("The reason in the caller's language.")]
    facts: Annotated[dict[str, int | str], doc("Numbers, names and times that prove the reason.")]


class PlanScore(Answer):
    """A plan in numbers."""

    missed: Annotated[int, doc("Orders left out, each counted 1 + its priority. Less of this is better than anything.")]
    price: Annotated[float, doc("The weighed sum of the objective. Less is better.")]
    vehicles: int
    stops: int
    unassigned: int
    cost: Annotated[int, doc("In minor units.")]
    distance_m: int
    duration_s: int
    late_s: int
    balance_s: Annotated[int, doc("Between the longest and the shortest route.")]


class BuildErrorDetail(Answer):
    """One error of a build."""

    field: Annotated[str, doc("What it is about.", "orders.17")]
    code: str
    message: str


class BuildError(Answer):
    """Why a build failed, or why its plan could not be committed by itself."""

    code: str
    message: str
    errors: list[BuildErrorDetail]


class BuildSummary(Answer):
    """A build, without its plan."""

    id: Annotated[int | None, doc("Null in a dry run: nothing is kept.")]
    day: date
    state: BuildState
    orders: Annotated[int, doc("Orders that were asked about.")]
    commits: Annotated[bool, doc("Whether the plan is committed as soon as it is there.")]
    score: Annotated[PlanScore | None, doc("Of the best plan so far.")]
    steps: Annotated[int, doc("How often the plan became better.")]
    created_at: datetime
    started_at: datetime | None
    updated_at: datetime
    finished_at: datetime | None
    committed_at: datetime | None
    route_ids: Annotated[list[int], doc("The routes that the commit wrote.")]
    fault: BuildError | None


class RouteBuild(BuildSummary):
    """A build with the best plan so far."""

    routes: list[PlannedRoute]
    unassigned: list[UnassignedOrder]
    refused: Annotated[list[OrderError], doc("Orders that were named but cannot be planned at all now.")]


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
    why_not: Annotated[str | UnsetType, doc("Why they are not available, in the caller's language.")] = UNSET
    shift_start_at: datetime | None
    shift_end_at: datetime | None
    skills: list[str]
    vehicle_id: int | None
    route_id: Annotated[int | None, doc("The route they have on the day already.")]


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
    late_minutes: int
    loading_minutes: int


class BuildOptions(Answer):
    """The possible choices, and the defaults."""

    result: bool = True
    day: date
    orders_waiting: Annotated[int, doc("Orders of your pool that would be planned.")]
    complete: Annotated[bool, doc("False when there are more of something than is shown or looked through.")]
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
    """What makes a plan good: weights of one sum, of which less is better. As many orders as possible come before it."""

    cost: ObjectiveWeight = Field(default=1, examples=[1])
    """Of a minor unit of money that vehicles cost."""
    distance: ObjectiveWeight = Field(default=10, examples=[10])
    """Of a kilometre."""
    duration: ObjectiveWeight = Field(default=100, examples=[100])
    """Of an hour on the road, waiting and breaks included."""
    vehicles: ObjectiveWeight = Field(default=0, examples=[500])
    """Of each vehicle that is used."""
    balance: ObjectiveWeight = Field(default=0, examples=[0])
    """Of an hour between the longest and the shortest route."""
    lateness: ObjectiveWeight = Field(default=10, examples=[10])
    """Of a minute after the end of a time window, where lateness is allowed at all."""


class OrderPreference(Request):
    """Preferences for an order in this plan."""

    order_id: RecordId = Field(examples=[17])
    """The order's id."""
    priority: int = Field(default=0, ge=0, le=100, examples=[5])
    """A higher one is left out later."""
    skip_cost: int | None = Field(default=None, ge=0, le=10**9, examples=[2500])
    """Leaving the order out costs as much of the weighed sum. Without, it is left out only when it does not fit."""
    driver_ids: DriverIds = Field(default=[], examples=[[3]])
    """Only these drivers may take it; empty for all."""


class BuildRoute(Request):
    """What to plan, with whom, and what makes a plan good. What is left out is chosen as `get_build_route_options` shows."""

    day: Day = Field(examples=["2026-06-11"])
    """The day that is planned, in the business's time zone."""
    order_ids: Annotated[list[RecordId], Field(max_length=MAX_BUILD_ORDERS)] = Field(default=[], examples=[[17, 18]])
    """The orders; empty for the planning pool: all that wait for this day, an earlier one or none."""
    driver_ids: DriverIds = Field(default=[], examples=[[3, 4]])
    """The drivers; empty for all active ones of your own. The office may name contractors' drivers too."""
    vehicle_ids: ResourceIds = Field(default=[], examples=[[2]])
    """The vehicles; empty for all in use. Drivers without a usual one get those that are left, in order of their names."""
    depot_ids: ResourceIds = Field(default=[], examples=[[1]])
    """The depots; empty for all that are open. Drivers whose depot is not among them are left out."""
    current: ExistingRouteMode = Field(default=ExistingRouteMode.LEAVE, examples=["leave"])
    """What happens to drivers' routes of the day. leave: those drivers are not planned; extend: new stops come after theirs;
    rebuild: what is neither driven nor locked is planned anew, beginning from the routes as they are."""
    preferences: Annotated[list[OrderPreference], Field(max_length=MAX_BUILD_ORDERS)] = Field(
        default=[], examples=[[{"order_id": 17}]]
    )
    """Priorities, optional orders, and who may take them."""
    objective: BuildWeights = Field(default=BuildWeights(), examples=[{"distance": 10}])
    """What makes a plan good."""
    late_minutes_max: int = Field(default=0, ge=0, le=240, examples=[0])
    """How late a stop may be. 0: windows are kept strictly."""
    loading_minutes: int = Field(default=0, ge=0, le=240, examples=[15])
    """How long loading takes at the depot."""
    time_budget_s: int = Field(default=20, ge=1, le=MAX_SEARCH_SECONDS, examples=[20])
    """How long to search, in seconds. The best plan so far can be read at any time."""
    iterations: int | None = Field(default=None, ge=1, le=MAX_SEARCH_ITERATIONS, examples=[2000])
    """Search so many rounds instead of a time: then the same input and seed give the same plan, on every machine."""
    seed: int = Field(default=0, ge=0, le=MAX_SEED, examples=[0])
    """Of the random choices of the search."""
    commit: bool = Field(default=False, examples=[False])
    """Commit the plan as soon as it is there. Otherwise it is a proposal, until it is committed or forgotten."""


class GetBuildOptions(Request):
    """The day."""

    day: Day | None = Field(default=None, examples=["2026-06-11"])
    """The day to plan; today in the business's time zone when left out."""


class BuildRef(Request):
    """Which build."""

    build_id: RecordId
    """The build's id."""


class ListRouteBuilds(PageRequest):
    """Which builds to list."""

    day: Day | None = None
    """Only builds of this day."""
    state: BuildState | None = None
    """Only builds that stand here. One whose worker died is listed where it stood."""


class ListBuildSteps(Request):
    """The build, and where the list continues."""

    build_id: RecordId
    """The build's id."""
    cursor: str | None = Field(default=None, max_length=500)
    """Only steps after this one: `next_cursor` of an earlier answer."""
