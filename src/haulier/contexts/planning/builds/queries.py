"""Assembles a planning input: the orders, who may take them, and the routes that exist already."""

from collections.abc import Collection, Mapping, Sequence
from datetime import date

from msgspec import Struct
from msgspec.structs import replace

from haulier.contexts.orders.public import (
    OrderFacts,
    OrderLoad,
    get_order_facts,
    get_order_loads,
)
from haulier.contexts.places.public import get_opening_periods, get_zone_index
from haulier.contexts.planning.builds.contract.requests import MAX_BUILD_ORDERS, BuildRoute, OrderPreference
from haulier.contexts.planning.builds.queries.resources import get_day_resources, get_planner_id
from haulier.contexts.planning.builds.rules.existing_routes import existing_route, last_known_place, load_to_bring_back
from haulier.contexts.planning.builds.rules.order_windows import find_window_reason
from haulier.contexts.planning.builds.rules.places import keep_to_opening, keep_to_zones
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
    find_eligible_drivers,
    is_in_any_pool,
)
from haulier.contexts.planning.builds.rules.shifts import DayResources, build_driver_days, build_vehicle_shift
from haulier.contexts.planning.builds.rules.working_hours import count_drivers_by_hour
from haulier.contexts.routes.assignments.rules import ORDER_ON_ROUTE, ORDER_UNKNOWN
from haulier.contexts.routes.pools.rules import ORDER_NOT_PLANNABLE, ContractorRule, is_waiting_for_route
from haulier.contexts.routes.public import (
    StopRow,
    get_collected_order_ids,
    get_pool_rules,
    get_route_ids_by_order,
    list_stops_of_routes,
    list_waiting_orders,
    to_pool_order,
)
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import OperationError

ContractorRules = Mapping[int | None, Sequence[ContractorRule]]
P2P_ORDER_TYPE = "P2P"


class AssembledInput(Struct, frozen=True):
    """A planning input, and the orders that were named but cannot be planned at all now."""

    planning_input: PlanningInput
    refused: Mapping[int, OperationError]


class ExistingRouteData(Struct, frozen=True):
    """The stops of the routes that may be planned anew, by route, and the orders and loads on them."""

    stops: Mapping[int, Sequence[StopRow]]
    orders: Mapping[int, OrderFacts]
    loads: Mapping[int, OrderLoad]


async def assemble_planning_input(call: Call, request: BuildRoute) -> AssembledInput:
    """The planning input of a request, in a number of statements that does not grow with orders, drivers or routes.

    Raises `INVALID_REQUEST` for an unknown driver, vehicle or depot.
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
    """The stops, orders and loads of the routes that may be planned anew."""
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
        loading_s = request.loading_minutes * 60
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
    collected = await get_collected_order_ids(call, [o.id for o in chosen if o.type == P2P_ORDER_TYPE])
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
    return await _keep_to_places(call, request.day, vehicle_shifts, standing, new), refused


async def _keep_to_places(
    call: Call,
    day: date,
    vehicle_shifts: Sequence[VehicleShift],
    standing: Sequence[TransportRequest],
    new: Sequence[TransportRequest],
) -> list[TransportRequest]:
    """The requests, within what their places allow: opening hours for all, zones for those that are on no route yet."""
    requests = [*standing, *new][:MAX_BUILD_ORDERS]
    index = await get_zone_index(call)
    openings = await get_opening_periods(call, {each.order_id: each.stop for each in requests if each.stop}, day)
    return [
        keep_to_opening(
            each if at < len(standing) else keep_to_zones(each, index, vehicle_shifts),
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
    """The orders that wait for this day, an earlier one or none, and are in the pool of a planned contractor or the office."""
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
    """The orders that were named, and why some of them cannot be planned whoever drives.

    The office learns by a plan's reasons that an order is in another's pool; a contractor not even that it exists.
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
        elif not is_waiting_for_route(to_pool_order(order)):
            refused[id] = ORDER_NOT_PLANNABLE(order_id=id, status=order.status.name)
    return [orders[id] for id in candidates if id not in refused], refused
