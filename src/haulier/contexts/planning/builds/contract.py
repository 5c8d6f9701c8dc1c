"""The answers of route building."""

from datetime import date, datetime
from typing import Annotated

from msgspec import UNSET, UnsetType

from haulier.contexts.planning.builds.rules.lifecycle import BuildState, ExistingRouteMode
from haulier.contexts.routes.assignments.contract import OrderError
from haulier.contexts.routes.stops.rules import StopKind
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.ids import DriverId
from haulier.kernel.values.pagination import PagedAnswer
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
