"""Reads of builds for other families."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from haulier.contexts.fleet.public import (
    DepotRow,
    DriverRow,
    VehicleRow,
    get_depot_rows,
    get_driver_rows,
    get_vehicle_rows,
    get_working_profile_rows,
    list_depot_rows,
    list_driver_rows,
    list_vehicle_rows,
)
from haulier.contexts.orders.public import (
    OrderFacts,
    OrderLoad,
    get_order_facts,
    get_order_loads,
)
from haulier.contexts.places.public import get_opening_periods, get_zone_index
from haulier.contexts.planning.builds.contract import MAX_BUILD_DRIVERS, MAX_BUILD_ORDERS, BuildRoute, OrderPreference
from haulier.contexts.planning.builds.rules.plan_document import PlanDocument
from haulier.contexts.planning.builds.rules.planning_input import (
    ObjectiveWeights,
    PlaceCoordinates,
    PlanningInput,
    TransportRequest,
    VehicleShift,
)
from haulier.contexts.planning.builds.rules.requests import (
    NO_LOAD,
    EligibleDrivers,
    PlannableDrivers,
    build_transport_request,
    clip_to_opening_hours,
    find_eligible_drivers,
    find_window_reason,
    is_in_any_pool,
    request_fingerprint,
    restrict_to_zones,
)
from haulier.contexts.planning.builds.rules.routing_problem import TravelByMode, list_places, list_travel_modes
from haulier.contexts.planning.builds.rules.shifts import (
    DayResources,
    build_driver_days,
    build_vehicle_shift,
    count_drivers_by_hour,
    existing_route,
    last_known_place,
    load_to_bring_back,
)
from haulier.contexts.planning.ports import GeoPoint, ModeAware, TrafficAware, TravelFailed, TravelTimes, VehicleBodies
from haulier.contexts.routes.assignments.rules import ORDER_ON_ROUTE, ORDER_UNKNOWN
from haulier.contexts.routes.pools.rules import (
    ContractorRule,
    check_plannable,
    why_not_waiting,
)
from haulier.contexts.routes.public import (
    RouteRow,
    StopRow,
    get_collected_order_ids,
    get_pool_rules,
    get_route_ids_by_order,
    get_route_rows,
    list_route_rows,
    list_stops_of_routes,
    list_waiting_orders,
    to_pool_order,
)
from haulier.contexts.routes.routes.rules.progress import RouteStatus
from haulier.contexts.routes.stops.rules import OPEN
from haulier.kernel.call import Call
from haulier.kernel.operations.enums import Account
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError, OperationError
from haulier.late_import import LateModule
from haulier.solvers.routing.installed import is_routing_installed
from haulier.solvers.routing.travel import TravelMatrices, TravelMode

if TYPE_CHECKING:
    import numpy as np
else:
    np = LateModule("numpy")


OPEN_ROUTE_STATUSES = frozenset({RouteStatus.DRAFT, RouteStatus.ASSIGNED, RouteStatus.STARTED})
MAX_DAY_ROUTES = 5000


def get_planner_id(call: Call) -> int | None:
    """The contractor who plans (user id); None for the office."""
    return call.actor if call.principal.account is Account.CONTRACTOR else None


async def get_day_resources(
    call: Call,
    day: date,
    *,
    driver_ids: Collection[int] = (),
    vehicle_ids: Collection[int] = (),
    depot_ids: Collection[int] = (),
) -> DayResources:
    """Return the resources with these ids, or all of the caller's by default.

    Raises `INVALID_REQUEST` for an unknown id.
    """
    planner_id = get_planner_id(call)
    drivers = await _list_day_drivers(call, planner_id, driver_ids)
    vehicles = await _list_day_vehicles(call, {driver.contractor_id for driver in drivers}, vehicle_ids)
    bodies = call.app.find_adapter(VehicleBodies)
    return DayResources(
        day=day,
        zone=call.time_zone,
        now=call.now,
        drivers=drivers,
        profiles=await get_working_profile_rows(call, [driver.id for driver in drivers]),
        vehicles=vehicles,
        bodies=await bodies.get(call, [vehicle.id for vehicle in vehicles]) if bodies else {},
        depots=await _list_day_depots(call, depot_ids),
        routes=await _list_open_routes(call, day),
    )


async def _list_day_drivers(call: Call, planner_id: int | None, ids: Collection[int]) -> Sequence[DriverRow]:
    if not ids:
        owner = {"own": True} if planner_id is None else {"contractor": planner_id}
        rows, _ = await list_driver_rows(call, {**owner, "enabled": True}, limit=MAX_BUILD_DRIVERS, offset=0)
        return rows
    rows_by_id = await get_driver_rows(call, ids)
    visible = {id for id, row in rows_by_id.items() if planner_id is None or row.contractor_id == planner_id}
    _require_ids("driver_ids", ids, visible, "field.driver_unknown")
    return sorted(rows_by_id.values(), key=lambda row: (row.name, row.id))


async def _list_day_vehicles(call: Call, owners: Collection[int | None], ids: Collection[int]) -> Sequence[VehicleRow]:
    if not ids:
        rows, _ = await list_vehicle_rows(call, {"in_use": True}, limit=2 * MAX_BUILD_DRIVERS, offset=0)
        return [row for row in rows if row.contractor_id in owners]
    rows_by_id = await get_vehicle_rows(call, ids)
    usable = {id for id, row in rows_by_id.items() if row.contractor_id in owners and not row.retired_at}
    _require_ids("vehicle_ids", ids, usable, "field.vehicle_unknown")
    return sorted(rows_by_id.values(), key=lambda row: (row.name, row.id))


async def _list_day_depots(call: Call, ids: Collection[int]) -> Sequence[DepotRow]:
    if not ids:
        return (await list_depot_rows(call, closed=False, limit=MAX_BUILD_DRIVERS, offset=0))[0]
    rows_by_id = await get_depot_rows(call, ids)
    _require_ids("depot_ids", ids, {id for id, row in rows_by_id.items() if not row.closed}, "field.depot_unknown")
    return sorted(rows_by_id.values(), key=lambda row: (row.name, row.id))


async def _list_open_routes(call: Call, day: date) -> dict[int, list[RouteRow]]:
    rows, _ = await list_route_rows(call, {"since": day, "until": day}, limit=MAX_DAY_ROUTES, offset=0)
    by_driver: defaultdict[int, list[RouteRow]] = defaultdict(list)
    for row in rows:
        if row.driver_id is not None and row.status in OPEN_ROUTE_STATUSES:
            by_driver[row.driver_id].append(row)
    return by_driver


def _require_ids(field: str, ids: Collection[int], usable: Collection[int], code: str) -> None:
    field_errors = [FieldError(f"{field}.{place}", code) for place, id in enumerate(ids) if id not in usable]
    if field_errors:
        raise INVALID_REQUEST.for_fields(*field_errors)


ContractorRules = Mapping[int | None, Sequence[ContractorRule]]


class AssembledInput(Struct, frozen=True):
    """A planning input, and the named orders that cannot be planned now."""

    planning_input: PlanningInput
    refused: Mapping[int, OperationError]


class ExistingRouteData(Struct, frozen=True):
    """Stops of the routes that may be replanned, with their orders and loads."""

    stops: Mapping[int, Sequence[StopRow]]
    orders: Mapping[int, OrderFacts]
    loads: Mapping[int, OrderLoad]


async def assemble_planning_input(call: Call, request: BuildRoute) -> AssembledInput:
    """Return the planning input of a request.

    The number of statements does not grow with orders, drivers or routes. Raises `INVALID_REQUEST` for an unknown
    driver, vehicle or depot.
    """
    resources = await get_day_resources(
        call,
        request.day,
        driver_ids=request.driver_ids,
        vehicle_ids=request.vehicle_ids,
        depot_ids=request.depot_ids,
    )
    existing = await _load_existing_routes(call, resources, request)
    vehicle_shifts = _vehicle_shifts(resources, existing, request)
    rules: dict[int | None, Sequence[ContractorRule]] = {
        owner: await get_pool_rules(call, owner)
        for owner in dict.fromkeys([get_planner_id(call), *_contractor_ids(vehicle_shifts)])
    }
    requests, refused = await _transport_requests(call, request, resources, vehicle_shifts, rules, existing)
    return AssembledInput(_planning_input(call, request, vehicle_shifts, requests), refused)


def _contractor_ids(vehicle_shifts: Sequence[VehicleShift]) -> list[int | None]:
    return [shift.contractor_id for shift in vehicle_shifts]


def _planning_input(
    call: Call, request: BuildRoute, vehicle_shifts: Sequence[VehicleShift], requests: Sequence[TransportRequest]
) -> PlanningInput:
    grace_s = request.late_minutes_max * 60
    return PlanningInput(
        day=request.day.isoformat(),
        planner_id=get_planner_id(call),
        requests=tuple(
            replace(
                each,
                window_reason=find_window_reason(each.window, request.day, call.now, call.time_zone, grace_s=grace_s),
            )
            for each in sorted(requests, key=lambda each: each.order_id)
        ),
        vehicle_shifts=tuple(sorted(vehicle_shifts, key=lambda shift: shift.driver_id)),
        weights=ObjectiveWeights(**request.objective.model_dump()),
        worked=count_drivers_by_hour((shift.shift for shift in vehicle_shifts), call.time_zone),
        grace_s=grace_s,
        seconds=request.time_budget_s,
        iterations=request.iterations,
        seed=request.seed,
    )


async def _load_existing_routes(call: Call, resources: DayResources, request: BuildRoute) -> ExistingRouteData:
    """Return the stops, orders and loads of the routes that may be replanned."""
    ids = [
        driver_day.route.id
        for driver_day in build_driver_days(resources, request.current)
        if driver_day.route and not driver_day.why_not
    ]
    stops: dict[int, list[StopRow]] = {id: [] for id in ids}
    for stop in await list_stops_of_routes(call, ids):
        stops[stop.route_id].append(stop)
    order_ids = {stop.order_id for route_stops in stops.values() for stop in route_stops}
    return ExistingRouteData(
        stops, await get_order_facts(call, order_ids) if order_ids else {}, await get_order_loads(call, order_ids)
    )


def _vehicle_shifts(resources: DayResources, existing: ExistingRouteData, request: BuildRoute) -> list[VehicleShift]:
    vehicle_shifts: list[VehicleShift] = []
    for driver_day in build_driver_days(resources, request.current):
        if driver_day.why_not:
            continue
        stops = existing.stops[driver_day.route.id] if driver_day.route else ()
        route = existing_route(driver_day.route, stops, request.current) if driver_day.route else None
        where: PlaceCoordinates | None = last_known_place(stops, existing.orders, existing.loads)
        aboard = load_to_bring_back(stops, existing.orders, existing.loads) if route and route.under_way else NO_LOAD
        loading_s = request.loading_min * 60
        vehicle_shifts.append(
            build_vehicle_shift(resources, driver_day, route, loading_s=loading_s, where=where, aboard=aboard)
        )
    return vehicle_shifts


async def _transport_requests(
    call: Call,
    request: BuildRoute,
    resources: DayResources,
    vehicle_shifts: Sequence[VehicleShift],
    rules: ContractorRules,
    existing: ExistingRouteData,
) -> tuple[list[TransportRequest], dict[int, OperationError]]:
    plannable = PlannableDrivers(
        vehicle_shifts=vehicle_shifts,
        zones={id: row.zones for id, row in resources.profiles.items()},
        accounts={driver.id: driver.user_id for driver in resources.drivers},
        rules={owner: rules[owner] for owner in _contractor_ids(vehicle_shifts)},
    )
    preferences = {preference.order_id: preference for preference in request.preferences}
    standing = _existing_requests(vehicle_shifts, existing, plannable, preferences)
    if request.order_ids:
        chosen, refused = await _list_named_orders(
            call, request.order_ids, rules, {on_route.order_id for on_route in standing}
        )
    else:
        chosen, refused = await _list_pool_orders(call, request, rules), {}
    loads = await get_order_loads(call, [order.id for order in chosen])
    collected = await get_collected_order_ids(call, chosen)
    new = [
        build_transport_request(
            order,
            loads[order.id],
            find_eligible_drivers(order, to_pool_order(order), plannable, preferences.get(order.id), pinned=True),
            collected=order.id in collected,
            preference=preferences.get(order.id),
        )
        for order in chosen
        if order.id in loads
    ]
    return await _filter_by_places(call, request.day, vehicle_shifts, standing, new), refused


async def _filter_by_places(
    call: Call,
    day: date,
    vehicle_shifts: Sequence[VehicleShift],
    standing: Sequence[TransportRequest],
    new: Sequence[TransportRequest],
) -> list[TransportRequest]:
    """Return the requests limited by their places.

    Opening hours apply to all, zones to orders that are on no route yet.
    """
    requests = [*standing, *new][:MAX_BUILD_ORDERS]
    index = await get_zone_index(call)
    openings = await get_opening_periods(call, {each.order_id: each.stop for each in requests if each.stop}, day)
    return [
        clip_to_opening_hours(
            each if at < len(standing) else restrict_to_zones(each, index, vehicle_shifts),
            openings.get(each.order_id),
            required=at >= len(standing),
        )
        for at, each in enumerate(requests)
    ]


def _existing_requests(
    vehicle_shifts: Sequence[VehicleShift],
    existing: ExistingRouteData,
    plannable: PlannableDrivers,
    preferences: Mapping[int, OrderPreference],
) -> list[TransportRequest]:
    """The orders of routes that exist already. Those of a route under way stay on it."""
    requests: list[TransportRequest] = []
    for shift in vehicle_shifts:
        for order_id in dict.fromkeys(stop.order_id for stop in shift.route.stops) if shift.route else ():
            order, load, preference = existing.orders[order_id], existing.loads[order_id], preferences.get(order_id)
            assert shift.route is not None
            kinds = {stop.kind for stop in shift.route.stops if stop.order_id == order_id}
            bound = shift.route.under_way or any(s.kept for s in shift.route.stops if s.order_id == order_id)
            own = EligibleDrivers((shift.driver_id,))
            eligible = (
                own
                if bound
                else find_eligible_drivers(order, to_pool_order(order), plannable, preference, pinned=False)
            )
            requests.append(
                build_transport_request(order, load, eligible, collected=kinds == {"delivery"}, preference=preference)
            )
    return requests


async def _list_pool_orders(call: Call, request: BuildRoute, rules: ContractorRules) -> list[OrderFacts]:
    """Return the waiting orders in the pool of a planned contractor or of staff.

    Orders for this day, an earlier day or no day.
    """
    waiting, _ = await list_waiting_orders(call, limit=MAX_BUILD_ORDERS)
    return [
        order
        for order in waiting
        if (order.scheduled_date is None or order.scheduled_date <= request.day)
        and is_in_any_pool(to_pool_order(order), rules)
    ]


async def _list_named_orders(
    call: Call, order_ids: Collection[int], rules: ContractorRules, standing: Collection[int]
) -> tuple[list[OrderFacts], dict[int, OperationError]]:
    """Return the named orders, and the errors of those that no driver can take.

    Staff see in the plan's reasons that an order is in another pool. For contractors it does not exist.
    """
    candidates = [id for id in dict.fromkeys(order_ids) if id not in standing]
    orders = await get_order_facts(call, candidates)
    routes = await get_route_ids_by_order(call, orders)
    refused: dict[int, OperationError] = {}
    for id in candidates:
        order = orders.get(id)
        if order is None or (get_planner_id(call) is not None and not is_in_any_pool(to_pool_order(order), rules)):
            refused[id] = ORDER_UNKNOWN(order_id=id)
        elif id in routes:
            refused[id] = ORDER_ON_ROUTE(order_id=id)
        elif error := why_not_waiting(to_pool_order(order)):
            refused[id] = error
    return [orders[id] for id in candidates if id not in refused], refused


class PlanBasis(Struct, frozen=True, kw_only=True):
    """Current state that a plan depends on.

    `routes` are the locked routes that the plan changes, with their `stops`. `standing` is the current route of each
    order; `busy` are the drivers with other open routes on the day.
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
    # Every call locks routes before orders, so that two of them cannot block each other.
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
    """Return the changes since the plan was built, named by record.

    For example `orders.17`, `routes.3` and `drivers.2`.
    """
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
    """Return the error that prevents planning an order, or None.

    An order that leaves another route of the plan is not checked again.
    """
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


async def load_travel(travel_times: TravelTimes, planning_input: PlanningInput) -> TravelByMode:
    """Return the travel times between the places of an input, by travel mode.

    Raises `TravelFailed`.
    """
    places, worked = list_places(planning_input), planning_input.worked
    return {
        mode: await load_travel_matrix(travel_times, places, worked, mode) for mode in list_travel_modes(planning_input)
    }


async def load_travel_matrix(
    travel_times: TravelTimes,
    places: Sequence[GeoPoint],
    worked: Sequence[int] = (),
    mode: TravelMode = TravelMode.VAN,
) -> TravelMatrices:
    """Return the travel times between all of these places, for the solver.

    Raises `TravelFailed`. `worked` counts the active drivers in each of the 24 hours of a local day (see
    `TrafficAware`). Sources without traffic data or travel modes are queried without them.
    """
    if not is_routing_installed():
        raise TravelFailed("not_installed", "this needs the extra `routing`: install haulier[routing]")
    if mode is not TravelMode.VAN and isinstance(travel_times, ModeAware):
        travel_times = travel_times.by(mode)
    if any(worked) and isinstance(travel_times, TrafficAware):
        travel_times = travel_times.during(worked)
    seconds, metres = await travel_times.table(places, places)
    np.fill_diagonal(seconds, 0)
    np.fill_diagonal(metres, 0)
    return TravelMatrices(seconds, metres)
