"""What one may choose when routes are built."""

from datetime import UTC, datetime
from typing import Any

from haulier.contexts.dispatch.planning.asking import (
    CREWS_MOST,
    ITERATIONS_MOST,
    ORDERS_MOST,
    SECONDS_MOST,
    AskOptions,
    BuildRoute,
    BuildWeights,
)
from haulier.contexts.dispatch.planning.contract import (
    BuildOptions,
    OptionDepot,
    OptionDriver,
    OptionLimits,
    OptionVehicle,
    OptionWeights,
)
from haulier.contexts.dispatch.planning.rules.crewing import Seat, seats
from haulier.contexts.dispatch.planning.rules.demanding import in_any_pool
from haulier.contexts.dispatch.planning.rules.states import Current
from haulier.contexts.dispatch.planning.yard import planner_of, yard_of
from haulier.contexts.dispatch.pools.membership import pool_order, rules_of
from haulier.contexts.orders.public import waiting
from haulier.kernel.call import Call
from haulier.kernel.declarations import OFFICE, Account, Scope, Server
from haulier.kernel.operation import GraphQL, Mcp, Rest, reads

BOTH = frozenset({Server.USER, Server.DEVELOPER})
SHOWN = 200
"""At most so many depots, drivers and vehicles are shown."""
LIMITS = OptionLimits(
    orders=ORDERS_MOST,
    drivers=CREWS_MOST,
    time_budget_s=SECONDS_MOST,
    iterations=ITERATIONS_MOST,
    late_minutes=240,
    loading_minutes=240,
)


@reads(
    "get_build_route_options",
    audience=OFFICE | {Account.CONTRACTOR},
    scopes={Scope.ROUTES_READ},
    doors=(
        Rest("GET", "/v3/client/build-route/options", tag="Route building"),
        GraphQL("clientBuildRouteOptions"),
        Mcp("get_build_route_options", servers=BOTH, title="What to choose when building routes"),
    ),
)
async def get_build_route_options(call: Call, request: AskOptions) -> BuildOptions:
    """What one may choose for `build_route`: depots, drivers with their hours, vehicles, waiting orders, and the defaults."""
    day = request.day or call.now.astimezone(call.time_zone).date()
    yard = await yard_of(call, day)
    planner_id = planner_of(call)
    rules = {planner_id: await rules_of(call, planner_id)}
    found = await waiting(call, limit=ORDERS_MOST)
    mine = [
        o for o in found if (o.scheduled_date is None or o.scheduled_date <= day) and in_any_pool(pool_order(o), rules)
    ]
    counts = (len(yard.depots), len(yard.drivers), len(yard.vehicles))
    return BuildOptions(
        day=day,
        orders_waiting=len(mine),
        complete=len(found) < ORDERS_MOST and max(counts) <= SHOWN,
        depots=[OptionDepot(id=depot.id, name=depot.name) for depot in yard.depots[:SHOWN]],
        drivers=[_driver(call, seat) for seat in seats(yard, Current.LEAVE)[:SHOWN]],
        vehicles=[_vehicle(row) for row in yard.vehicles[:SHOWN]],
        current=list(Current),
        default_time_budget_s=BuildRoute.model_fields["time_budget_s"].default,
        default_objective=OptionWeights(**BuildWeights().model_dump()),
        limits=LIMITS,
    )


def _driver(call: Call, seat: Seat) -> OptionDriver:
    skills = {*seat.driver.skills, *(seat.profile.skills if seat.profile else ())}
    start, end = seat.hours[0] if seat.hours else (None, None)
    why_not = {"why_not": call.say(seat.why_not.value)} if seat.why_not else {}
    return OptionDriver(
        id=seat.driver.id,
        name=seat.driver.name,
        contractor_id=seat.driver.contractor_id,
        available=seat.why_not is None,
        **why_not,
        shift_start_at=_at(call, start),
        shift_end_at=_at(call, end),
        skills=sorted(skills),
        vehicle_id=seat.vehicle.id if seat.vehicle else None,
        route_id=seat.route.id if seat.route else None,
    )


def _vehicle(row: Any) -> OptionVehicle:
    return OptionVehicle(id=row.id, name=row.name, contractor_id=row.contractor_id, depot_id=row.depot_id)


def _at(call: Call, seconds: int | None) -> Any:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC).astimezone(call.time_zone)
