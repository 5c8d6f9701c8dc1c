"""Everything that timing routes needs, in a number of statements that does not grow with the routes."""

from collections.abc import Mapping, Sequence
from datetime import timedelta

from msgspec import Struct
from msgspec.structs import replace

from haulier.contexts.dispatch.board.rules.feasibility import FeasibilityRule, to_solver_task
from haulier.contexts.fleet.public import DepotRow, get_depot_rows, list_driver_rows
from haulier.contexts.orders.public import OrderFacts, OrderLoad, get_order_facts, get_order_loads
from haulier.contexts.planning.builds.contract.requests import MAX_BUILD_DRIVERS
from haulier.contexts.planning.builds.rules.driver_zones import is_in_driver_zones
from haulier.contexts.planning.builds.rules.existing_routes import existing_route, last_known_place, load_to_bring_back
from haulier.contexts.planning.builds.rules.lifecycle import ExistingRouteMode
from haulier.contexts.planning.builds.rules.planning_input import PlanningInput, VehicleShift
from haulier.contexts.planning.builds.rules.requests import NO_LOAD, EligibleDrivers, build_transport_request
from haulier.contexts.planning.builds.rules.routing_problem import has_place
from haulier.contexts.planning.builds.rules.shifts import (
    DayResources,
    DriverDay,
    build_driver_days,
    build_vehicle_shift,
)
from haulier.contexts.planning.builds.rules.working_hours import count_drivers_by_hour, shift_hours
from haulier.contexts.planning.public import get_day_resources, get_planner_id
from haulier.contexts.routes.public import RouteRow, StopRow, list_stops_of_routes
from haulier.contexts.routes.routes.rules.state_machine import RouteStatus
from haulier.contexts.routes.stops.rules import OPEN, StopKind
from haulier.kernel.call import Call
from haulier.solvers.routing.problem import JobTask

ANY_HOURS_S = 7 * 86_400


class RouteInputs(Struct, frozen=True, kw_only=True):
    """Some routes of a day with their stops in the order of visit, orders, loads, depots and drivers."""

    rows: Mapping[int, RouteRow]
    stops: Mapping[int, Sequence[StopRow]]
    orders: Mapping[int, OrderFacts]
    loads: Mapping[int, OrderLoad]
    depots: Mapping[int, DepotRow]
    resources: DayResources | None
    driver_days: Mapping[int, DriverDay]


class PlaceholderDriver(Struct, frozen=True):
    """The driver of a route without a driver. With no skills of its own; rules about drivers are not applied to it."""

    id: int = 0
    contractor_id: int | None = None
    name: str = ""
    skills: tuple[str, ...] = ()


class RouteCase(Struct, frozen=True, kw_only=True):
    """One route as input of the solver: the tasks in order, and the stop of each task.

    `unlocated` are stops without coordinates, `outside` those that are not in the zones of the driver. `day_off` says that
    the driver does not work on the day.
    """

    route_id: int
    planning_input: PlanningInput
    tasks: tuple[JobTask, ...]
    stop_ids: Mapping[JobTask, int]
    unlocated: tuple[int, ...]
    outside: tuple[int, ...]
    day_off: bool
    has_driver: bool


async def load_route_inputs(call: Call, rows: Mapping[int, RouteRow]) -> RouteInputs:
    """The inputs of these routes, which are of one day."""
    stops: dict[int, list[StopRow]] = {route_id: [] for route_id in rows}
    for stop in await list_stops_of_routes(call, list(rows)):
        stops[stop.route_id].append(stop)
    order_ids = {stop.order_id for route_stops in stops.values() for stop in route_stops}
    orders = await get_order_facts(call, order_ids) if order_ids else {}
    loads = await get_order_loads(call, order_ids)
    resources = await _load_resources(call, rows)
    driver_days = build_driver_days(resources, ExistingRouteMode.REBUILD) if resources else []
    return RouteInputs(
        rows=rows,
        stops=stops,
        orders=orders,
        loads=loads,
        depots=await get_depot_rows(call, {row.depot_id for row in rows.values()}),
        resources=resources,
        driver_days={driver_day.driver.id: driver_day for driver_day in driver_days},
    )


async def _load_resources(call: Call, rows: Mapping[int, RouteRow]) -> DayResources | None:
    """The resources of the day: all drivers, because those without a vehicle get one that the others leave."""
    if not rows:
        return None
    planner_id = get_planner_id(call)
    owner = {"own": True} if planner_id is None else {"contractor": planner_id}
    page, _ = await list_driver_rows(call, {**owner, "enabled": True}, limit=MAX_BUILD_DRIVERS, offset=0)
    ids = {row.id for row in page} | {row.driver_id for row in rows.values() if row.driver_id}
    day = next(iter(rows.values())).day
    resources = await get_day_resources(call, day, driver_ids=sorted(ids))
    is_past = day < call.today
    # Why: timing starts from `now` at the earliest. A day that is over is timed as if nothing of it had passed.
    return replace(resources, now=call.now - timedelta(days=366)) if is_past else resources


def build_route_case(inputs: RouteInputs, route_id: int, sequence: Sequence[StopRow]) -> RouteCase:
    """A route whose open stops are visited in this order. The stops that are over say where its driver is."""
    assert inputs.resources is not None
    driver_day, day_off = _driver_of_route(inputs, inputs.rows[route_id])
    open_stops = [stop for stop in sequence if stop.status in OPEN]
    requests = [
        build_transport_request(
            inputs.orders[order_id],
            inputs.loads[order_id],
            EligibleDrivers(),
            collected=all(stop.kind != StopKind.PICKUP for stop in open_stops if stop.order_id == order_id),
        )
        for order_id in dict.fromkeys(stop.order_id for stop in open_stops)
        if order_id in inputs.orders and order_id in inputs.loads
    ]
    located = {request.order_id for request in requests if has_place(request)}
    stop_ids = {to_solver_task(stop.order_id, stop.kind): stop.id for stop in open_stops if stop.order_id in located}
    return RouteCase(
        route_id=route_id,
        planning_input=PlanningInput(
            day=inputs.resources.day.isoformat(),
            planner_id=None,
            requests=tuple(request for request in requests if request.order_id in located),
            vehicle_shifts=(_vehicle_shift_of_route(inputs, route_id, driver_day),),
            worked=count_drivers_by_hour([driver_day.hours[0]] if driver_day.hours else [], inputs.resources.zone),
        ),
        tasks=tuple(stop_ids),
        stop_ids=stop_ids,
        unlocated=tuple(stop.id for stop in open_stops if stop.order_id not in located),
        outside=_stops_outside_zones(inputs, driver_day, open_stops),
        day_off=day_off,
        has_driver=driver_day.driver.id != 0,
    )


def _stops_outside_zones(inputs: RouteInputs, driver_day: DriverDay, open_stops: Sequence[StopRow]) -> tuple[int, ...]:
    """The last stop of each order whose destination is in none of the driver's zones."""
    zones = driver_day.profile.zones if driver_day.profile else ()
    last = {stop.order_id: stop.id for stop in open_stops if stop.order_id in inputs.orders}
    orders = ((inputs.orders[order_id], stop_id) for order_id, stop_id in last.items())
    return tuple(
        stop_id
        for order, stop_id in orders
        if order.lat is not None
        and order.lng is not None
        and not is_in_driver_zones(zones, (order.lat, order.lng), order.postal_code)
    )


def is_outside_zones(inputs: RouteInputs, route_id: int, place: tuple[float, float], postal_code: str | None) -> bool:
    """Whether a place is in none of the zones of the route's driver."""
    driver_day, _ = _driver_of_route(inputs, inputs.rows[route_id])
    zones = driver_day.profile.zones if driver_day.profile else ()
    return not is_in_driver_zones(zones, place, postal_code)


def _driver_of_route(inputs: RouteInputs, route: RouteRow) -> tuple[DriverDay, bool]:
    """The driver of a route, on a day off with the usual hours, and whether it is a day off."""
    assert inputs.resources is not None
    assigned = inputs.driver_days.get(route.driver_id or 0)
    driver_day = assigned or DriverDay(driver=PlaceholderDriver(contractor_id=route.contractor_id), profile=None)
    usual_hours = shift_hours((), inputs.resources.day, inputs.resources.zone)
    hours = driver_day.hours or usual_hours
    on_route = replace(driver_day, hours=hours, depot=inputs.depots[route.depot_id], route=route)
    return on_route, assigned is not None and assigned.hours is None


def _vehicle_shift_of_route(inputs: RouteInputs, route_id: int, driver_day: DriverDay) -> VehicleShift:
    """The vehicle shift of a route without its tasks; the tasks are what is being timed."""
    assert inputs.resources is not None
    row, stops = inputs.rows[route_id], inputs.stops[route_id]
    has_started = row.status == RouteStatus.STARTED
    built = build_vehicle_shift(
        inputs.resources,
        driver_day,
        existing_route(row, stops, ExistingRouteMode.REBUILD),
        loading_s=0,
        where=last_known_place(stops, inputs.orders, inputs.loads),
        aboard=load_to_bring_back(stops, inputs.orders, inputs.loads) if has_started else NO_LOAD,
    )
    shift = built.shift if row.driver_id else _unlimited_hours(built.shift, row)
    return replace(built, route=None, shift=shift)


def _unlimited_hours(shift: tuple[int, int], row: RouteRow) -> tuple[int, int]:
    """The hours of a route without a driver: from its planned start, without an end that could be missed."""
    start = max(shift[0], int(row.planned_start_at.timestamp())) if row.planned_start_at else shift[0]
    return start, start + ANY_HOURS_S


def list_untimed_findings(case: RouteCase) -> list[tuple[FeasibilityRule, int | None]]:
    """What is wrong with a route whatever its times: stops without coordinates or outside zones, a driver's day off."""
    findings: list[tuple[FeasibilityRule, int | None]] = []
    findings += [(FeasibilityRule.NO_PLACE, stop_id) for stop_id in case.unlocated]
    findings += [(FeasibilityRule.ZONE, stop_id) for stop_id in case.outside]
    return [*findings, (FeasibilityRule.DAY_OFF, None)] if case.day_off else findings
