"""What is known of routes that are to be reckoned through, in a number of statements that does not grow with them."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from haulier.contexts.dispatch.board.rules.feasibility import FeasibilityRule, to_solver_task
from haulier.contexts.fleet.depots import store as depot_store
from haulier.contexts.fleet.drivers import store as driver_store
from haulier.contexts.orders.public import OrderFacts, get_order_facts, get_order_loads
from haulier.contexts.planning.builds.contract.requests import MAX_BUILD_DRIVERS
from haulier.contexts.planning.builds.queries.resources import get_day_resources, get_planner_id
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
from haulier.contexts.routes.routes.rules.state_machine import RouteStatus
from haulier.contexts.routes.stops import store as stop_store
from haulier.contexts.routes.stops.rules import OPEN, StopKind
from haulier.kernel.call import Call
from haulier.solvers.routing.problem import JobTask

ANY_HOURS_S = 7 * 86_400


class RouteInputs(Struct, frozen=True, kw_only=True):
    """The stops of some routes of a day, in the order of visit by route, their orders and loads, and who drives."""

    rows: Mapping[int, Any]
    stops: Mapping[int, Sequence[Any]]
    orders: Mapping[int, OrderFacts]
    loads: Mapping[int, Any]
    depots: Mapping[int, Any]
    yard: DayResources | None
    seats: Mapping[int, DriverDay]


class PlaceholderDriver(Struct, frozen=True):
    """Who drives a route that has no driver yet: somebody who can do everything."""

    id: int = 0
    contractor_id: int | None = None
    skills: tuple[str, ...] = ()


class RouteCase(Struct, frozen=True, kw_only=True):
    """One route as a question to the solver, the tasks in order, and the stop of each task.

    `lost` are stops without a place, `outside` those that are not in the zones of the driver.
    """

    route_id: int
    question: PlanningInput
    tasks: tuple[JobTask, ...]
    stop_ids: Mapping[JobTask, int]
    lost: tuple[int, ...]
    outside: tuple[int, ...]
    off: bool
    manned: bool


async def load_route_inputs(call: Call, rows: Mapping[int, Any]) -> RouteInputs:
    """Everything about these routes, which are of one day."""
    stops: dict[int, list[Any]] = {route_id: [] for route_id in rows}
    for stop in await stop_store.list_stops_of_routes(call.work, list(rows)):
        stops[stop.route_id].append(stop)
    order_ids = {stop.order_id for each in stops.values() for stop in each}
    orders = await get_order_facts(call, order_ids) if order_ids else {}
    taken_up = await get_order_loads(call, order_ids)
    yard = await _load_resources(call, rows)
    return RouteInputs(
        rows=rows,
        stops=stops,
        orders=orders,
        loads=taken_up,
        depots=await depot_store.get_depot_rows(call.work, {row.depot_id for row in rows.values()}),
        yard=yard,
        seats={seat.driver.id: seat for seat in build_driver_days(yard, ExistingRouteMode.REBUILD)} if yard else {},
    )


async def _load_resources(call: Call, rows: Mapping[int, Any]) -> DayResources | None:
    """All drivers, because who has no vehicle of their own gets one that is left by the others."""
    if not rows:
        return None
    planner_id = get_planner_id(call)
    owner = {"own": True} if planner_id is None else {"contractor": planner_id}
    page, _ = await driver_store.list_driver_rows(
        call.work, {**owner, "enabled": True}, limit=MAX_BUILD_DRIVERS, offset=0
    )
    ids = {row.id for row in page} | {row.driver_id for row in rows.values() if row.driver_id}
    day = next(iter(rows.values())).day
    yard = await get_day_resources(call, day, driver_ids=sorted(ids))
    over = day < call.now.astimezone(call.time_zone).date()
    return replace(yard, now=call.now - timedelta(days=366)) if over else yard


def build_route_case(known: RouteInputs, route_id: int, sequence: Sequence[Any]) -> RouteCase:
    """A route whose open stops are visited in this order; those that are over say where its driver is."""
    assert known.yard is not None
    seat, off = _driver_of_route(known, known.rows[route_id])
    waiting = [stop for stop in sequence if stop.status in OPEN]
    requests = [
        build_transport_request(
            known.orders[order_id],
            known.loads[order_id],
            EligibleDrivers(),
            collected=all(stop.kind != StopKind.PICKUP for stop in waiting if stop.order_id == order_id),
        )
        for order_id in dict.fromkeys(stop.order_id for stop in waiting)
        if order_id in known.orders and order_id in known.loads
    ]
    placed = {each.order_id for each in requests if has_place(each)}
    found = {to_solver_task(stop.order_id, stop.kind): stop.id for stop in waiting if stop.order_id in placed}
    return RouteCase(
        route_id=route_id,
        question=PlanningInput(
            day=known.yard.day.isoformat(),
            planner_id=None,
            requests=tuple(each for each in requests if each.order_id in placed),
            vehicle_shifts=(_vehicle_shift_of_route(known, route_id, seat),),
            worked=count_drivers_by_hour([seat.hours[0]] if seat.hours else [], known.yard.zone),
        ),
        tasks=tuple(found),
        stop_ids=found,
        lost=tuple(stop.id for stop in waiting if stop.order_id not in placed),
        outside=_stops_outside_zones(known, seat, waiting),
        off=off,
        manned=seat.driver.id != 0,
    )


def _stops_outside_zones(known: RouteInputs, seat: DriverDay, waiting: Sequence[Any]) -> tuple[int, ...]:
    """The last stop of each order whose destination is in none of the driver's zones."""
    zones = seat.profile.zones if seat.profile else ()
    last = {stop.order_id: stop.id for stop in waiting if stop.order_id in known.orders}
    orders = ((known.orders[order_id], stop_id) for order_id, stop_id in last.items())
    return tuple(
        stop_id
        for order, stop_id in orders
        if order.lat is not None
        and order.lng is not None
        and not is_in_driver_zones(zones, (order.lat, order.lng), order.postal_code)
    )


def _driver_of_route(known: RouteInputs, route: Any) -> tuple[DriverDay, bool]:
    """Who drives the route, with hours in any case, and whether it is their day off."""
    assert known.yard is not None
    driving = known.seats.get(route.driver_id)
    seat = driving or DriverDay(driver=PlaceholderDriver(contractor_id=route.contractor_id), profile=None)
    usual = shift_hours((), known.yard.day, known.yard.zone)
    found = replace(seat, hours=seat.hours or usual, depot=known.depots[route.depot_id], route=route)
    return found, driving is not None and driving.hours is None


def _vehicle_shift_of_route(known: RouteInputs, route_id: int, seat: DriverDay) -> VehicleShift:
    """The crew of a route, without what it has to do: that is what is asked about."""
    assert known.yard is not None
    row, stops = known.rows[route_id], known.stops[route_id]
    under_way = row.status == RouteStatus.STARTED
    standing = existing_route(row, stops, ExistingRouteMode.REBUILD)
    aboard = load_to_bring_back(stops, known.orders, known.loads) if under_way else NO_LOAD
    where = last_known_place(stops, known.orders, known.loads)
    found = build_vehicle_shift(known.yard, seat, standing, loading_s=0, where=where, aboard=aboard)
    shift = found.shift if row.driver_id else _unlimited_hours(found.shift, row)
    return replace(found, route=None, shift=shift)


def _unlimited_hours(shift: tuple[int, int], row: Any) -> tuple[int, int]:
    """Without a driver there is no closing time, and the route leaves when it is to leave."""
    start = max(shift[0], int(row.planned_start_at.timestamp())) if row.planned_start_at else shift[0]
    return start, start + ANY_HOURS_S


def list_untimed_findings(case: RouteCase) -> list[tuple[FeasibilityRule, int | None]]:
    """What stands against a route before its clock runs: stops without a place or out of zone, a driver who does not work."""
    lost: list[tuple[FeasibilityRule, int | None]] = [(FeasibilityRule.NO_PLACE, stop_id) for stop_id in case.lost]
    outside: list[tuple[FeasibilityRule, int | None]] = [(FeasibilityRule.ZONE, stop_id) for stop_id in case.outside]
    return [*lost, *outside, *([(FeasibilityRule.DAY_OFF, None)] if case.off else [])]
