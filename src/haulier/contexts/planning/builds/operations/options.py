"""The choices for building routes."""

from datetime import UTC, datetime

from haulier.contexts.planning.builds.contract.answers import (
    BuildOptions,
    OptionDepot,
    OptionDriver,
    OptionLimits,
    OptionVehicle,
    OptionWeights,
)
from haulier.contexts.planning.builds.contract.requests import (
    MAX_BUILD_DRIVERS,
    MAX_BUILD_ORDERS,
    MAX_SEARCH_ITERATIONS,
    MAX_SEARCH_SECONDS,
    BuildRoute,
    BuildWeights,
    GetBuildOptions,
)
from haulier.contexts.planning.builds.queries.resources import get_day_resources, get_planner_id
from haulier.contexts.planning.builds.rules.lifecycle import ExistingRouteMode
from haulier.contexts.planning.builds.rules.requests import is_in_any_pool
from haulier.contexts.planning.builds.rules.shifts import DriverDay, build_driver_days
from haulier.contexts.routes.public import get_pool_rules, list_waiting_orders, to_pool_order
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Mcp, Rest, reads
from haulier.kernel.operations.enums import OFFICE, Account, McpServer, Scope
from haulier.kernel.operations.records import record

BOTH = frozenset({McpServer.USER, McpServer.DEVELOPER})
MAX_OPTIONS_SHOWN = 200
"""At most so many depots, drivers and vehicles are shown."""
BUILD_LIMITS = OptionLimits(
    orders=MAX_BUILD_ORDERS,
    drivers=MAX_BUILD_DRIVERS,
    time_budget_s=MAX_SEARCH_SECONDS,
    iterations=MAX_SEARCH_ITERATIONS,
    late_minutes=240,
    loading_minutes=240,
)


@reads(
    "get_build_route_options",
    audience=OFFICE | {Account.CONTRACTOR},
    scopes={Scope.ROUTES_READ},
    doors=(
        Rest("GET", "/v3/client/build-route/options"),
        GraphQL("clientBuildRouteOptions"),
        Mcp("get_build_route_options", servers=BOTH, title="What to choose when building routes"),
    ),
)
async def get_build_route_options(call: Call, request: GetBuildOptions) -> BuildOptions:
    """List the options for `build_route`.

    Returns depots, drivers with their working hours, vehicles, waiting orders and the defaults.
    """
    day = request.day or call.today
    resources = await get_day_resources(call, day)
    planner_id = get_planner_id(call)
    rules = {planner_id: await get_pool_rules(call, planner_id)}
    waiting, complete = await list_waiting_orders(call, limit=MAX_BUILD_ORDERS)
    mine = [
        o
        for o in waiting
        if (o.scheduled_date is None or o.scheduled_date <= day) and is_in_any_pool(to_pool_order(o), rules)
    ]
    counts = (len(resources.depots), len(resources.drivers), len(resources.vehicles))
    return BuildOptions(
        day=day,
        orders_waiting=len(mine),
        complete=complete and max(counts) <= MAX_OPTIONS_SHOWN,
        depots=[record(OptionDepot, depot) for depot in resources.depots[:MAX_OPTIONS_SHOWN]],
        drivers=[
            _option_driver(call, driver_day)
            for driver_day in build_driver_days(resources, ExistingRouteMode.LEAVE)[:MAX_OPTIONS_SHOWN]
        ],
        vehicles=[record(OptionVehicle, row) for row in resources.vehicles[:MAX_OPTIONS_SHOWN]],
        current=list(ExistingRouteMode),
        default_time_budget_s=BuildRoute.model_fields["time_budget_s"].default,
        default_objective=OptionWeights(**BuildWeights().model_dump()),
        limits=BUILD_LIMITS,
    )


def _option_driver(call: Call, driver_day: DriverDay) -> OptionDriver:
    skills = {*driver_day.driver.skills, *(driver_day.profile.skills if driver_day.profile else ())}
    start, end = driver_day.hours[0] if driver_day.hours else (None, None)
    why_not = {"why_not": call.translate(driver_day.why_not.value)} if driver_day.why_not else {}
    return OptionDriver(
        id=driver_day.driver.id,
        name=driver_day.driver.name,
        contractor_id=driver_day.driver.contractor_id,
        available=driver_day.why_not is None,
        **why_not,
        shift_start_at=_local_time_of(call, start),
        shift_end_at=_local_time_of(call, end),
        skills=sorted(skills),
        vehicle_id=driver_day.vehicle.id if driver_day.vehicle else None,
        route_id=driver_day.route.id if driver_day.route else None,
    )


def _local_time_of(call: Call, seconds: int | None) -> datetime | None:
    return None if seconds is None else call.local_time(datetime.fromtimestamp(seconds, UTC))
