"""The requests of route building."""

from typing import Annotated

from pydantic import Field

from haulier.contexts.planning.builds.rules.lifecycle import BuildState, ExistingRouteMode
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import RecordId
from haulier.kernel.operations.ids import DriverId
from haulier.kernel.values.moments import Day
from haulier.kernel.values.pagination import PageRequest

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
