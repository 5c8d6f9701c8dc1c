"""Orders are put on a route and taken off it."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from haulier.contexts.orders.public import (
    OrderFacts,
    OrderStatus,
    OrderStep,
    apply_order_transition,
    assign_orders_to_contractor,
    assign_orders_to_driver,
    count_orders_for_driver,
    get_order_facts,
    hold_used_up_orders,
)
from haulier.contexts.routes.assignments.queries import get_order_holders
from haulier.contexts.routes.assignments.rules import ORDER_UNKNOWN
from haulier.contexts.routes.pools.queries import get_pool_rules, to_pool_order
from haulier.contexts.routes.pools.rules import check_plannable
from haulier.contexts.routes.routes import store
from haulier.contexts.routes.routes.contract.routes import STOPS_MAX
from haulier.contexts.routes.routes.queries import to_stop_states
from haulier.contexts.routes.routes.rules.progress import collected_stops, undelivered_stops
from haulier.contexts.routes.routes.rules.state_machine import RouteStatus
from haulier.contexts.routes.routes.store import RouteRow
from haulier.contexts.routes.stops.actions import (
    clear_stop_plans,
    delete_stops,
    detach_orders_from_route,
    insert_stops,
    renumber_stops,
    update_stop_plans,
    update_stops,
)
from haulier.contexts.routes.stops.queries import (
    PlannedLeg,
    StopRow,
    get_collected_order_ids,
    get_route_ids_by_order,
    list_stops_of_routes,
)
from haulier.contexts.routes.stops.rules import (
    OPEN,
    FailedStopOutcome,
    StopKind,
    StopStatus,
    is_refused,
    stop_kinds_of_order,
)
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import OperationError, declare_error

ROUTE_FULL = declare_error("route_full", 409)

POINT_TO_POINT = "P2P"
UNKNOWN_PLAN_END: dict[str, Any] = {"planned_end_at": None, "planned_distance_m": None}
"""What is removed from a route whose stops changed after it was planned."""
OrderErrors = dict[int, OperationError]


async def add_orders(call: Call, route: RouteRow, order_ids: Sequence[int]) -> tuple[list[int], OrderErrors]:
    """Put orders of the route's own pool on it, behind its stops, in the order of the ids.

    On a route under way, what is to be collected is out for pickup at once, and what is at the depot has to be loaded first.
    Returns the orders that were added, and the error of each other one. Raises `ROUTE_FULL`.
    """
    unique_ids = list(dict.fromkeys(order_ids))
    orders = await get_order_facts(call, sorted(unique_ids), lock=True)
    errors = await _check_orders_plannable(call, route, unique_ids, orders)
    chosen = [order_id for order_id in unique_ids if order_id not in errors]
    stops = await list_stops_of_routes(call, [route.id])
    last = max((stop.position for stop in stops), default=0)
    rows = await _new_stop_rows(call, route, [orders[order_id] for order_id in chosen], last)
    if len(stops) + len(rows) > STOPS_MAX:
        raise ROUTE_FULL(most=STOPS_MAX)
    errors |= await apply_order_transition(call, OrderStep.PLAN, chosen) if chosen else {}
    planned = [order_id for order_id in chosen if order_id not in errors]
    if planned:
        await insert_stops(call, [row for row in rows if row["order_id"] not in errors])
        if route.status == RouteStatus.STARTED:
            await apply_order_transition(call, OrderStep.START, _orders_to_collect(rows, planned), at=call.now)
        await store.update_route(call.work, route.id, **UNKNOWN_PLAN_END)
        await _share_route_orders(call, route, planned, orders)
    return planned, errors


async def _check_orders_plannable(
    call: Call, route: RouteRow, order_ids: Collection[int], orders: Mapping[int, OrderFacts]
) -> OrderErrors:
    """The error of each order that the planner of the route may not put on it."""
    rules = await get_pool_rules(call, route.contractor_id)
    routes = await get_route_ids_by_order(call, orders)
    errors: OrderErrors = {}
    for order_id in order_ids:
        order = orders.get(order_id)
        if order is None:
            errors[order_id] = ORDER_UNKNOWN(order_id=order_id)
        elif error := check_plannable(to_pool_order(order), route.contractor_id, rules, routes.get(order_id)):
            errors[order_id] = error
    return errors


async def _new_stop_rows(call: Call, route: RouteRow, orders: Sequence[OrderFacts], last: int) -> list[dict[str, Any]]:
    """The stops of these orders, numbered behind position `last`."""
    collected = await get_collected_order_ids(call, [order.id for order in orders if order.type == POINT_TO_POINT])
    visits = [
        (order.id, kind)
        for order in orders
        for kind in stop_kinds_of_order(order.type, collected=order.id in collected)
    ]
    to_collect = {order_id for order_id, kind in visits if kind is StopKind.PICKUP}
    under_way = route.status == RouteStatus.STARTED
    return [
        {
            "route_id": route.id,
            "order_id": order_id,
            "kind": kind,
            "position": position,
            "to_load": under_way and order_id not in to_collect,
        }
        for position, (order_id, kind) in enumerate(visits, start=last + 1)
    ]


def _orders_to_collect(rows: Sequence[Mapping[str, Any]], planned: Collection[int]) -> list[int]:
    """Those of some planned orders that a vehicle under way collects from somebody, and so need not be loaded."""
    return sorted({row["order_id"] for row in rows if row["order_id"] in planned and not row["to_load"]})


async def _share_route_orders(
    call: Call, route: RouteRow, planned: Sequence[int], orders: Mapping[int, OrderFacts]
) -> None:
    """Give orders to the driver of their route, and to its contractor where only contractor rules matched."""
    if (driver := get_informed_driver_user_id(route)) is not None:
        await assign_orders_to_driver(call, planned, driver, route.driver_id)
    else:
        await count_orders_for_driver(call, planned, route.driver_id)
    by_rule = [order_id for order_id in planned if orders[order_id].contractor_id is None]
    if route.contractor_id is not None and by_rule:
        await assign_orders_to_contractor(call, by_rule, route.contractor_id)
    call.add_audit_subjects("order", *planned)


def get_informed_driver_user_id(route: RouteRow) -> int | None:
    """The account of the driver who may see the orders of a route; None before the route is published."""
    return route.driver_user_id if route.published_at is not None else None


async def update_route_plan(
    call: Call,
    route_id: int,
    legs: Sequence[PlannedLeg],
    *,
    planned_start_at: datetime | None = None,
    planned_end_at: datetime | None = None,
    planned_distance_m: int | None = None,
) -> None:
    """Write the planned times and distances of a route and its stops. A leg is a `PlannedLeg`.

    `planned_distance_m` includes the way back to the depot; without it, the legs are summed. Without `planned_start_at` the
    planned start stays.
    """
    await update_stop_plans(call, legs)
    distances = [distance_m for *_, distance_m in legs if distance_m is not None]
    start = {} if planned_start_at is None else {"planned_start_at": planned_start_at}
    await store.update_route(
        call.work,
        route_id,
        planned_end_at=planned_end_at,
        planned_distance_m=sum(distances) if planned_distance_m is None and distances else planned_distance_m,
        **start,
    )


async def remove_orders(call: Call, route: RouteRow, stops: Collection[StopRow]) -> None:
    """Take the orders of these unvisited stops off the route, back to the pools they came from.

    This includes orders that are no longer planned, because they were put on hold or cancelled.
    """
    if not stops:
        return
    order_ids = sorted({stop.order_id for stop in stops})
    await delete_stops(call, [stop.id for stop in stops])
    await _renumber_remaining_stops(call, route, stops)
    await apply_order_transition(call, OrderStep.UNPLAN, order_ids)
    if route.status == RouteStatus.STARTED:
        await apply_order_transition(call, OrderStep.REMOVE, order_ids)
    await return_orders_to_pools(call, route, order_ids)


async def _renumber_remaining_stops(call: Call, route: RouteRow, removed: Collection[StopRow]) -> None:
    """Number the remaining stops, and remove the planned times of those behind the first that was removed."""
    stops = await list_stops_of_routes(call, [route.id])
    first = min(stop.position for stop in removed)
    await renumber_stops(call, [stop.id for stop in stops])
    await clear_stop_plans(
        call, [stop.id for stop in stops if stop.position > first and stop.status == StopStatus.PLANNED]
    )
    await store.update_route(call.work, route.id, **UNKNOWN_PLAN_END)


async def return_orders_to_pools(call: Call, route: RouteRow, order_ids: Sequence[int]) -> None:
    """Take orders that left a route undelivered from its driver, and from its contractor unless they hold them."""
    await assign_orders_to_driver(call, order_ids, None, None)
    if route.contractor_id is not None:
        holders = await get_order_holders(call, order_ids)
        free = [order_id for order_id in order_ids if order_id not in holders]
        if free:
            await assign_orders_to_contractor(call, free, None)
    call.add_audit_subjects("order", *order_ids)


async def unload_at_depot(
    call: Call, route: RouteRow, at: datetime, *, until: datetime | None = None
) -> tuple[list[int], OrderErrors]:
    """Unload everything on board at the depot; with `until`, only what was on board at that time.

    Returns the unloaded orders, and the errors of those whose status could not change; these are unloaded all the same.
    """
    stops = await list_stops_of_routes(call, [route.id])
    later = {stop.id for stop in stops if until and stop.ended_at and stop.ended_at > until}
    states = to_stop_states(stops)
    undelivered = {stop.id for stop in undelivered_stops(states)} - later
    outcomes = {stop.order_id: stop.outcome for stop in stops if stop.id in undelivered}
    failed = [stop.id for stop in stops if stop.id in undelivered and stop.status == StopStatus.FAILED]
    # Why: the order of a refused delivery is over already, and so is one that was cancelled; only the parcel comes back.
    over = {stop.order_id for stop in stops if is_refused(stop.reason, stop.outcome)}
    over |= await _cancelled_order_ids(call, stops)
    sent_back = {order_id for order_id, outcome in outcomes.items() if outcome == FailedStopOutcome.RETURN}
    returned = sorted(sent_back - over)
    retried = sorted(outcomes.keys() - sent_back)
    collected = {stop.id: stop.order_id for stop in collected_stops(states) if stop.id not in later}
    errors = await apply_order_transition(call, OrderStep.RETURN, returned, at=at) if returned else {}
    if handed_in := sorted(set(collected.values()) - over):
        errors |= await apply_order_transition(call, OrderStep.DELIVER, handed_in, at=at)
    if recalled := sorted({stop.order_id for stop in stops if stop.id in undelivered - set(failed)} - over):
        errors |= await apply_order_transition(call, OrderStep.REMOVE, recalled, at=at)
    await update_stops(call, failed, StopStatus.BROUGHT_BACK)
    await update_stops(call, list(collected), StopStatus.HANDED_IN)
    await detach_orders_from_route(call, route.id, list(outcomes))
    if retried:
        await return_orders_to_pools(call, route, retried)
        await hold_used_up_orders(call, retried)
    return sorted({*outcomes, *collected.values()}), errors


async def _cancelled_order_ids(call: Call, stops: Sequence[StopRow]) -> set[int]:
    orders = await get_order_facts(call, {stop.order_id for stop in stops})
    return {order.id for order in orders.values() if order.status is OrderStatus.CANCELLED}


async def load_route(call: Call, route: RouteRow, at: datetime) -> tuple[list[int], OrderErrors]:
    """Take on at the depot what was put on a route under way. Returns the loaded orders, and the error of each other one."""
    stops = [stop for stop in await list_stops_of_routes(call, [route.id]) if stop.to_load and stop.status in OPEN]
    order_ids = sorted({stop.order_id for stop in stops})
    errors = await apply_order_transition(call, OrderStep.START, order_ids, at=at) if order_ids else {}
    loaded = [stop.id for stop in stops if stop.order_id not in errors]
    await update_stops(call, loaded, StopStatus.PLANNED, to_load=False)
    await remove_orders(call, route, [stop for stop in stops if stop.order_id in errors])
    return [order_id for order_id in order_ids if order_id not in errors], errors
