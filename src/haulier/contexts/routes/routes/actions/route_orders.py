"""Orders go onto a route and come off it: what is locked, decided and written, for every operation that does it."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from haulier.contexts.orders.public import (
    OrderFacts,
    OrderStep,
    apply_order_transition,
    assign_orders_to_contractor,
    assign_orders_to_driver,
    get_order_facts,
)
from haulier.contexts.routes.assignments import store as assignment_store
from haulier.contexts.routes.assignments.rules import ORDER_UNKNOWN
from haulier.contexts.routes.pools.queries import get_pool_rules, to_pool_order
from haulier.contexts.routes.pools.rules import check_plannable
from haulier.contexts.routes.routes import store
from haulier.contexts.routes.routes.contract.routes import STOPS_MAX
from haulier.contexts.routes.routes.queries import to_stop_states
from haulier.contexts.routes.routes.rules.progress import collected_stops, undelivered_stops
from haulier.contexts.routes.stops import store as stop_store
from haulier.contexts.routes.stops.rules import FailedStopOutcome, StopStatus, is_refused, stop_kinds_of_order
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import OperationError, declare_error

ROUTE_FULL = declare_error("route_full", 409)

POINT_TO_POINT = "P2P"
UNKNOWN_PLAN_END: dict[str, Any] = {"planned_end_at": None, "planned_distance_m": None}
"""What a route no longer knows when its stops changed after it was planned."""
OrderRefusals = dict[int, OperationError]


async def add_orders(call: Call, route: Any, order_ids: Sequence[int]) -> tuple[list[int], OrderRefusals]:
    """Put orders of the route's own pool on it, in the order in which they were named.

    Returns those that went, and why the others did not. Raises `ROUTE_FULL`.
    """
    asked = list(dict.fromkeys(order_ids))
    orders = await get_order_facts(call, sorted(asked), lock=True)
    refused = await _refuse_outside_pool(call, route, asked, orders)
    chosen = [order_id for order_id in asked if order_id not in refused]
    standing = await stop_store.list_stops_of_routes(call.work, [route.id])
    last = max((stop.position for stop in standing), default=0)
    rows = await _new_stop_rows(call, route, [orders[order_id] for order_id in chosen], last)
    if len(standing) + len(rows) > STOPS_MAX:
        raise ROUTE_FULL(most=STOPS_MAX)
    refused |= await apply_order_transition(call, OrderStep.PLAN, chosen) if chosen else {}
    planned = [order_id for order_id in chosen if order_id not in refused]
    if planned:
        await stop_store.insert_stops(call.work, [row for row in rows if row["order_id"] not in refused])
        await store.update_route(call.work, route.id, **UNKNOWN_PLAN_END)
        await _share_route_orders(call, route, planned, orders)
    return planned, refused


async def _refuse_outside_pool(
    call: Call, route: Any, asked: Collection[int], orders: Mapping[int, OrderFacts]
) -> OrderRefusals:
    rules = await get_pool_rules(call, route.contractor_id)
    routes = await stop_store.get_route_ids_by_order(call.work, orders)
    refused: OrderRefusals = {}
    for order_id in asked:
        order = orders.get(order_id)
        if order is None:
            refused[order_id] = ORDER_UNKNOWN(order_id=order_id)
        elif refusal := check_plannable(to_pool_order(order), route.contractor_id, rules, routes.get(order_id)):
            refused[order_id] = refusal
    return refused


async def _new_stop_rows(call: Call, route: Any, orders: Sequence[OrderFacts], taken: int) -> list[dict[str, Any]]:
    aboard_before = await stop_store.get_collected_order_ids(
        call.work, [order.id for order in orders if order.type == POINT_TO_POINT]
    )
    visits = [
        (order.id, kind)
        for order in orders
        for kind in stop_kinds_of_order(order.type, collected=order.id in aboard_before)
    ]
    return [
        {"route_id": route.id, "order_id": order_id, "kind": kind, "position": taken + place}
        for place, (order_id, kind) in enumerate(visits, start=1)
    ]


async def _share_route_orders(call: Call, route: Any, planned: Sequence[int], orders: Mapping[int, OrderFacts]) -> None:
    """Whoever drives the route may see its orders: the driver, and a contractor to whom rules alone brought them."""
    if (driver := get_informed_driver_user_id(route)) is not None:
        await assign_orders_to_driver(call, planned, driver)
    by_rule = [order_id for order_id in planned if orders[order_id].contractor_id is None]
    if route.contractor_id is not None and by_rule:
        await assign_orders_to_contractor(call, by_rule, route.contractor_id)
    call.add_audit_subjects("order", *planned)


def get_informed_driver_user_id(route: Any) -> int | None:
    """The account of the driver who may see the orders of a route: none before the route is published."""
    return route.driver_user_id if route.published_at is not None else None


async def update_route_plan(
    call: Call,
    route_id: int,
    legs: Sequence[stop_store.PlannedLeg],
    *,
    planned_start_at: datetime | None = None,
    planned_end_at: datetime | None = None,
    planned_distance_m: int | None = None,
) -> None:
    """Write what a plan says of a route beside what will be observed.

    A leg is (stop id, planned arrival, planned departure, metres driven to the stop). `planned_distance_m` is the whole
    way back to the depot; left out, it is the sum of the legs. Without `planned_start_at` the start stays as it was.
    """
    await stop_store.update_stop_plans(call.work, legs)
    way = [metres for *_, metres in legs if metres is not None]
    start = {} if planned_start_at is None else {"planned_start_at": planned_start_at}
    await store.update_route(
        call.work,
        route_id,
        planned_end_at=planned_end_at,
        planned_distance_m=sum(way) if planned_distance_m is None and way else planned_distance_m,
        **start,
    )


async def remove_orders(call: Call, route: Any, stops: Collection[Any]) -> None:
    """Take the orders of these unvisited stops off the route; each is back in the pool it came from.

    An order that has left the planned state by itself (held, cancelled) comes off like the others.
    """
    if not stops:
        return
    order_ids = sorted({stop.order_id for stop in stops})
    await stop_store.delete_stops(call.work, [stop.id for stop in stops])
    await _renumber_remaining_stops(call, route, stops)
    await apply_order_transition(call, OrderStep.UNPLAN, order_ids)
    await return_orders_to_pools(call, route, order_ids)


async def _renumber_remaining_stops(call: Call, route: Any, gone: Collection[Any]) -> None:
    """Number what is left, and forget the planned times of what stood behind the first that is gone."""
    left = await stop_store.list_stops_of_routes(call.work, [route.id])
    first = min(stop.position for stop in gone)
    await stop_store.renumber_stops(call.work, [stop.id for stop in left])
    await stop_store.clear_stop_plans(
        call.work, [stop.id for stop in left if stop.position > first and stop.status == StopStatus.PLANNED]
    )
    await store.update_route(call.work, route.id, **UNKNOWN_PLAN_END)


async def return_orders_to_pools(call: Call, route: Any, order_ids: Sequence[int]) -> None:
    """Orders that left a route undelivered: no driver has them, and a contractor only where they hold them."""
    await assign_orders_to_driver(call, order_ids, None)
    if route.contractor_id is not None:
        holders = await assignment_store.get_order_holders(call, order_ids)
        free = [order_id for order_id in order_ids if order_id not in holders]
        if free:
            await assign_orders_to_contractor(call, free, None)
    call.add_audit_subjects("order", *order_ids)


async def unload_at_depot(
    call: Call, route: Any, at: datetime, *, until: datetime | None = None
) -> tuple[list[int], OrderRefusals]:
    """Everything that the vehicle still holds is at the depot; `until` leaves out what only came on board after that.

    Returns the orders it was about, and why the life cycle of some did not move; those are off the vehicle all the same.
    """
    stops = await stop_store.list_stops_of_routes(call.work, [route.id])
    later = {stop.id for stop in stops if until and stop.ended_at and stop.ended_at > until}
    states = to_stop_states(stops)
    brought = [stop.id for stop in undelivered_stops(states) if stop.id not in later]
    back = {stop.order_id: stop.outcome for stop in stops if stop.id in set(brought)}
    refused_at_the_door = {stop.order_id for stop in stops if is_refused(stop.reason, stop.outcome)}
    sent_back = {order_id for order_id, outcome in back.items() if outcome == FailedStopOutcome.RETURN}
    returned = sorted(sent_back - refused_at_the_door)  # a refused order is over already; only the parcel comes back
    again = sorted(back.keys() - sent_back)
    arrived = {stop.id: stop.order_id for stop in collected_stops(states) if stop.id not in later}
    refused = await apply_order_transition(call, OrderStep.RETURN, returned, at=at) if returned else {}
    refused |= await apply_order_transition(call, OrderStep.DELIVER, sorted(arrived.values()), at=at) if arrived else {}
    await stop_store.update_stop_statuses(call.work, brought, StopStatus.BROUGHT_BACK)
    await stop_store.update_stop_statuses(call.work, list(arrived), StopStatus.HANDED_IN)
    await stop_store.detach_orders_from_route(call.work, route.id, list(back))
    if again:
        await return_orders_to_pools(call, route, again)
    return sorted({*back, *arrived.values()}), refused
