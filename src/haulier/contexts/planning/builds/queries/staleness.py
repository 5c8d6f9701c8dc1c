"""Whether what a plan was built from has changed since: read under locks, compared, each difference named."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date

from msgspec import Struct

from haulier.contexts.fleet.public import DriverRow, get_driver_rows
from haulier.contexts.orders.public import OrderFacts, OrderLoad, get_order_facts, get_order_loads
from haulier.contexts.planning.builds.queries.resources import MAX_DAY_ROUTES, OPEN_ROUTE_STATUSES
from haulier.contexts.planning.builds.rules.plan_document import PlanDocument
from haulier.contexts.planning.builds.rules.planning_input import PlanningInput, VehicleShift
from haulier.contexts.planning.builds.rules.requests import request_fingerprint
from haulier.contexts.routes.assignments.rules import ORDER_UNKNOWN
from haulier.contexts.routes.pools.rules import ContractorRule, check_plannable
from haulier.contexts.routes.public import (
    RouteRow,
    StopRow,
    get_pool_rules,
    get_route_ids_by_order,
    get_route_rows,
    list_route_rows,
    list_stops_of_routes,
    to_pool_order,
)
from haulier.contexts.routes.routes.rules.state_machine import RouteStatus
from haulier.contexts.routes.stops.rules import OPEN
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import FieldError, OperationError


class PlanBasis(Struct, frozen=True, kw_only=True):
    """What a plan depends on, as it is now.

    `routes` are those that the plan changes, locked, with their `stops`. `standing` is the route that each order stands on;
    `busy` are the drivers with other open routes on the day.
    """

    routes: Mapping[int, RouteRow]
    stops: Mapping[int, Sequence[StopRow]]
    orders: Mapping[int, OrderFacts]
    loads: Mapping[int, OrderLoad]
    standing: Mapping[int, int]
    drivers: Mapping[int, DriverRow]
    busy: frozenset[int]
    rules: Mapping[int | None, Sequence[ContractorRule]]

    def closed_stop_ids(self, route_id: int | None) -> list[int]:
        """The stops of a route that are no longer open, in order."""
        return [stop.id for stop in self.stops.get(route_id or 0, ()) if stop.status not in OPEN]

    def order_ids_staying(self, plan: PlanDocument) -> frozenset[int]:
        """The orders that the plan leaves on the route on which they stand."""
        return frozenset(
            stop.order_id
            for route in plan.routes
            for stop in route.stops
            if route.route_id is not None and self.standing.get(stop.order_id) == route.route_id
        )


async def load_plan_basis(call: Call, planning_input: PlanningInput, plan: PlanDocument) -> PlanBasis:
    """Everything that the plan depends on; its routes are locked."""
    # Why: every call locks routes before orders, so that two of them cannot block each other.
    changed = [vehicle_shift.route.route_id for vehicle_shift in planning_input.vehicle_shifts if vehicle_shift.route]
    routes = await get_route_rows(call, changed, lock=True) if changed else {}
    stops: dict[int, list[StopRow]] = {id: [] for id in routes}
    for stop in await list_stops_of_routes(call, list(routes)):
        stops[stop.route_id].append(stop)
    ids = {stop.order_id for route in plan.routes for stop in route.stops}
    ids |= {stop.order_id for route_stops in stops.values() for stop in route_stops if stop.status in OPEN}
    orders = await get_order_facts(call, sorted(ids), lock=True)
    owners = dict.fromkeys(route.contractor_id for route in plan.routes)
    return PlanBasis(
        routes=routes,
        stops=stops,
        orders=orders,
        loads=await get_order_loads(call, sorted(ids)),
        standing=await get_route_ids_by_order(call, sorted(ids)),
        drivers=await get_driver_rows(call, [route.driver_id for route in plan.routes]),
        busy=await _list_busy_drivers(call, planning_input, set(routes)),
        rules={owner: await get_pool_rules(call, owner) for owner in owners},
    )


async def _list_busy_drivers(call: Call, planning_input: PlanningInput, own_route_ids: set[int]) -> frozenset[int]:
    day = date.fromisoformat(planning_input.day)
    rows, _ = await list_route_rows(call, {"since": day, "until": day}, limit=MAX_DAY_ROUTES, offset=0)
    return frozenset(
        row.driver_id
        for row in rows
        if row.driver_id and row.status in OPEN_ROUTE_STATUSES and row.id not in own_route_ids
    )


def find_plan_changes(planning_input: PlanningInput, plan: PlanDocument, now: PlanBasis) -> list[FieldError]:
    """What changed since, each under the name of its record: `orders.17`, `routes.3`, `drivers.2`."""
    return [
        *_order_changes(planning_input, plan, now),
        *_route_changes(planning_input, now),
        *_driver_changes(plan, now),
    ]


def _order_changes(planning_input: PlanningInput, plan: PlanDocument, now: PlanBasis) -> Iterator[FieldError]:
    fingerprints = {request.order_id: request.request_fingerprint for request in planning_input.requests}
    order_ids_staying = now.order_ids_staying(plan)
    for route in plan.routes:
        for id in dict.fromkeys(stop.order_id for stop in route.stops):
            order, load = now.orders.get(id), now.loads.get(id)
            if order is None or load is None:
                yield FieldError(f"orders.{id}", ORDER_UNKNOWN.id, {"order_id": id})
            elif id not in order_ids_staying and (error := _check_order_plannable(order, route.contractor_id, now)):
                yield FieldError(f"orders.{id}", error.error_type.id, error.params)
            elif request_fingerprint(order, load) != fingerprints[id]:
                yield FieldError(f"orders.{id}", "order_changed_since", {"order_id": id})


def _check_order_plannable(order: OrderFacts, contractor_id: int | None, now: PlanBasis) -> OperationError | None:
    """Why an order cannot be planned, or None. One that leaves another route of the plan is not checked again."""
    route_id = now.standing.get(order.id)
    if route_id in now.routes:
        return None
    return check_plannable(to_pool_order(order), contractor_id, now.rules[contractor_id], route_id)


def _route_changes(planning_input: PlanningInput, now: PlanBasis) -> Iterator[FieldError]:
    for vehicle_shift in planning_input.vehicle_shifts:
        if vehicle_shift.route and not _is_route_unchanged(vehicle_shift, now):
            yield FieldError(
                f"routes.{vehicle_shift.route.route_id}",
                "route_changed_since",
                {"route_id": vehicle_shift.route.route_id},
            )


def _is_route_unchanged(vehicle_shift: VehicleShift, now: PlanBasis) -> bool:
    assert vehicle_shift.route is not None
    route = now.routes.get(vehicle_shift.route.route_id)
    if (
        route is None
        or route.driver_id != vehicle_shift.driver_id
        or route.status not in OPEN_ROUTE_STATUSES
        or route.locked_at
    ):
        return False
    open_stops = [stop.id for stop in now.stops[route.id] if stop.status in OPEN]
    return (
        route.version == vehicle_shift.route.version
        and (route.status == RouteStatus.STARTED) == vehicle_shift.route.under_way
        and open_stops == [stop.stop_id for stop in vehicle_shift.route.stops]
    )


def _driver_changes(plan: PlanDocument, now: PlanBasis) -> Iterator[FieldError]:
    for route in plan.routes:
        driver = now.drivers.get(route.driver_id)
        if driver is None or not driver.active or driver.id in now.busy:
            yield FieldError(f"drivers.{route.driver_id}", "driver_changed_since", {"driver_id": route.driver_id})
