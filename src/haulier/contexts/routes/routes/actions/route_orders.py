"""Writes of routes for other families: route orders."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from operator import attrgetter
from typing import Any

import msgspec
from msgspec import Struct

from haulier.contexts.orders.public import (
    OrderFacts,
    OrderPlacement,
    OrderStatus,
    OrderStep,
    apply_order_transition,
    assign_orders_to_contractor,
    assign_orders_to_driver,
    count_orders_for_driver,
    get_order_facts,
    hold_used_up_orders,
)
from haulier.contexts.routes.assignments.actions import end_assignments, lock_assignment_candidates, open_assignments
from haulier.contexts.routes.assignments.queries import get_order_holders
from haulier.contexts.routes.assignments.rules import ORDER_UNKNOWN, REVOKED
from haulier.contexts.routes.events import RouteAborted, StopReopened
from haulier.contexts.routes.pools.queries import get_pool_rules, to_pool_order
from haulier.contexts.routes.pools.rules import check_plannable
from haulier.contexts.routes.routes import store
from haulier.contexts.routes.routes.contract import STOPS_MAX, AbortRoute
from haulier.contexts.routes.routes.notifications import mark_routes_changed
from haulier.contexts.routes.routes.queries import get_route_rows, lock_route_for_action, to_stop_states
from haulier.contexts.routes.routes.rules.progress import (
    RouteAction,
    RouteStatus,
    collected_stops,
    next_route_status,
    orders_not_loaded,
    undelivered_stops,
)
from haulier.contexts.routes.routes.store import RouteRow
from haulier.contexts.routes.stops.actions import (
    clear_stop_plans,
    delete_stops,
    detach_orders_from_route,
    detach_stops,
    insert_stops,
    renumber_stops,
    reopen_stop,
    update_stops,
)
from haulier.contexts.routes.stops.queries import (
    StopRow,
    get_collected_order_ids,
    get_route_ids_by_order,
    list_stops_of_orders,
    list_stops_of_routes,
)
from haulier.contexts.routes.stops.rules import (
    OPEN,
    FailedStopOutcome,
    StopCancelReason,
    StopKind,
    StopStatus,
    is_refused,
    stop_kinds_of_order,
)
from haulier.contexts.tracking.public import INCIDENT_REASONS, IncidentReason
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError, OperationError, declare_error
from haulier.kernel.operations.records import record


async def cancel_open_stops(
    call: Call,
    stops: Sequence[StopRow],
    why: StopCancelReason,
    *,
    order_ids: Collection[int] | None = None,
    note: str | None = None,
) -> tuple[set[int], set[int]]:
    """Cancel the open stops of a route under way, or those of some orders.

    `stops` are all stops of the route. Returns the orders on board, which stay on the route until they are brought
    back, and the others.
    """
    leaving = [stop for stop in stops if stop.status in OPEN and (order_ids is None or stop.order_id in order_ids)]
    if not leaving:
        return set(), set()
    elsewhere = orders_not_loaded(to_stop_states(leaving))
    await update_stops(
        call,
        [stop.id for stop in leaving],
        StopStatus.CANCELLED,
        reason=why.value,
        note=note,
        to_load=False,
        ended_at=call.now,
        ended_recorded_at=call.now,
        ended_by=call.actor,
    )
    await detach_stops(call, [stop.id for stop in leaving if stop.order_id in elsewhere])
    return {stop.order_id for stop in leaving} - elsewhere, elsewhere


ROUTE_FULL = declare_error("route_full", 409)

UNKNOWN_PLAN_END: dict[str, Any] = {"planned_end_at": None, "planned_distance_m": None}
"""Plan values removed from a route whose stops changed after planning."""
OrderErrors = dict[int, OperationError]


async def add_orders(call: Call, route: RouteRow, order_ids: Sequence[int]) -> tuple[list[int], OrderErrors]:
    """Append orders of the route's own pool to its stops, in id order.

    On a route under way, pickups are out at once, and orders at the depot must be loaded first. Returns the added
    orders, and the error of each other one. Raises `ROUTE_FULL`.
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
    collected = await get_collected_order_ids(call, orders)
    visits = [
        (order.id, kind)
        for order in orders
        for kind in stop_kinds_of_order(order.movement, collected=order.id in collected)
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
    """Return the planned orders that a vehicle under way picks up at a stop.

    They need no loading.
    """
    return sorted({row["order_id"] for row in rows if row["order_id"] in planned and not row["to_load"]})


async def _share_route_orders(
    call: Call, route: RouteRow, planned: Sequence[int], orders: Mapping[int, OrderFacts]
) -> None:
    """Share orders with the route's driver and its contractor.

    The contractor only if contractor rules matched them.
    """
    if (driver := get_informed_driver_user_id(route)) is not None:
        await assign_orders_to_driver(call, planned, driver, route.driver_id)
    else:
        await count_orders_for_driver(call, planned, route.driver_id)
    by_rule = [order_id for order_id in planned if orders[order_id].contractor_id is None]
    if route.contractor_id is not None and by_rule:
        await assign_orders_to_contractor(call, by_rule, route.contractor_id)
    call.add_audit_subjects("order", *planned)


def get_informed_driver_user_id(route: RouteRow) -> int | None:
    """Return the account of the driver who may see a route's orders.

    None before the route is published.
    """
    return route.driver_user_id if route.published_at is not None else None


async def remove_orders(call: Call, route: RouteRow, stops: Collection[StopRow]) -> None:
    """Return the orders of these unvisited stops to their pools.

    Includes orders that are no longer planned because they were put on hold or cancelled.
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
    """Renumber the remaining stops.

    Removes the planned times after the first removed stop.
    """
    stops = await list_stops_of_routes(call, [route.id])
    first = min(stop.position for stop in removed)
    await renumber_stops(call, [stop.id for stop in stops])
    await clear_stop_plans(
        call, [stop.id for stop in stops if stop.position > first and stop.status == StopStatus.PLANNED]
    )
    await store.update_route(call.work, route.id, **UNKNOWN_PLAN_END)


async def return_orders_to_pools(call: Call, route: RouteRow, order_ids: Sequence[int]) -> None:
    """Unassign the driver of orders that left a route undelivered.

    Also their contractor, unless it holds them.
    """
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
    """Unload everything on board at the depot.

    With `until`, only goods that were on board at that time. Returns the unloaded orders, and the errors of those whose
    status could not change; these are unloaded as well.
    """
    stops = await list_stops_of_routes(call, [route.id])
    later = {stop.id for stop in stops if until and stop.ended_at and stop.ended_at > until}
    states = to_stop_states(stops)
    undelivered = {stop.id for stop in undelivered_stops(states)} - later
    outcomes = {stop.order_id: stop.outcome for stop in stops if stop.id in undelivered}
    failed = [stop.id for stop in stops if stop.id in undelivered and stop.status == StopStatus.FAILED]
    orders = await get_order_facts(call, {stop.order_id for stop in stops})
    elsewhere = {order.id for order in orders.values() if order.goods_at}
    # Orders of refused deliveries, and cancelled ones, are finished already; only the parcel comes back.
    over = {stop.order_id for stop in stops if is_refused(stop.reason, stop.outcome)} - elsewhere
    over |= {order.id for order in orders.values() if order.status is OrderStatus.CANCELLED}
    sent_back = {order_id for order_id, outcome in outcomes.items() if outcome == FailedStopOutcome.RETURN} - elsewhere
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


async def load_route(call: Call, route: RouteRow, at: datetime) -> tuple[list[int], OrderErrors]:
    """Load orders that were added to a route under way.

    Returns the loaded orders, and the error of each other one.
    """
    stops = [stop for stop in await list_stops_of_routes(call, [route.id]) if stop.to_load and stop.status in OPEN]
    order_ids = sorted({stop.order_id for stop in stops})
    errors = await apply_order_transition(call, OrderStep.START, order_ids, at=at) if order_ids else {}
    loaded = [stop.id for stop in stops if stop.order_id not in errors]
    await update_stops(call, loaded, StopStatus.PLANNED, to_load=False)
    await remove_orders(call, route, [stop for stop in stops if stop.order_id in errors])
    return [order_id for order_id in order_ids if order_id not in errors], errors


async def abort_route(call: Call, request: AbortRoute) -> None:
    """Abort a route under way.

    Raises `NOT_FOUND`, `ROUTE_CHANGED`, `ROUTE_CANNOT` or `INVALID_REQUEST`.
    """
    route, status = await lock_route_for_action(
        call, request.route_id, RouteAction.ABORT, expected=request.expected_version
    )
    if request.reason not in INCIDENT_REASONS:
        raise INVALID_REQUEST.for_fields(FieldError("reason", "field.reason_unknown"))
    stops = await list_stops_of_routes(call, [route.id])
    aboard, waiting = await cancel_open_stops(call, stops, StopCancelReason.ROUTE_ABORTED, note=request.note)
    reason = IncidentReason(code=request.reason)
    # Errors of single orders are ignored: a cancelled order takes no step, and only its goods move.
    await apply_order_transition(call, OrderStep.ABORT, sorted(aboard), reason=reason, note=request.note)
    await apply_order_transition(call, OrderStep.REMOVE, sorted(waiting), note=request.note)
    await apply_order_transition(call, OrderStep.UNPLAN, sorted(waiting), note=request.note)
    await return_orders_to_pools(call, route, sorted(waiting))
    await store.update_route(
        call.work,
        route.id,
        status=status,
        cancel_reason=request.note or request.reason,
        finished_at=call.now,
        finished_recorded_at=call.now,
    )
    mark_routes_changed(call, route)
    await call.publish(
        RouteAborted(
            route_id=route.id,
            driver_id=route.driver_id,
            reason=request.reason,
            aboard_order_ids=tuple(sorted(aboard)),
            waiting_order_ids=tuple(sorted(waiting)),
            at=call.now,
        )
    )


ORDER_CANCELLED = "order_cancelled"
"""The end reason of an assignment whose order was cancelled."""


class _Visit(Struct, frozen=True):
    """A visit to an order, as a plain document."""

    route_id: int
    position: int
    status: str
    planned_arrival_at: datetime | None
    driver_id: int | None
    driver_name: str | None


def _placement_at(visits: Sequence[_Visit | store.OrderPlaceRow]) -> OrderPlacement:
    """Return the next of the visits to an order; the last one if all are finished."""
    visit = next((each for each in visits if each.status in OPEN), visits[-1])
    return record(OrderPlacement, visit, stop_number=visit.position)


class RoutesOfOrders:
    """Implements the port from the tables of routes and stops."""

    places_column = staticmethod(store.order_places_column)

    def read_placement(self, places: Collection[Mapping[str, Any]]) -> OrderPlacement | None:
        """Return the position of an order from its `places_column`, or None on no route."""
        visits = sorted(msgspec.convert(places, list[_Visit]), key=attrgetter("position"))
        return _placement_at(visits) if visits else None

    async def get_placements(self, call: Call, order_ids: Collection[int]) -> Mapping[int, OrderPlacement]:
        """Where each order stands; one that stands on no route is absent. One statement."""
        visits: defaultdict[int, list[store.OrderPlaceRow]] = defaultdict(list)
        for row in await store.list_order_places(call.work, order_ids):
            visits[row.order_id].append(row)
        return {order_id: _placement_at(rows) for order_id, rows in visits.items()}

    async def lock(self, call: Call, order_ids: Collection[int]) -> None:
        """Lock the routes of these orders until the transaction ends."""
        routes = await get_route_ids_by_order(call, order_ids)
        await get_route_rows(call, set(routes.values()), lock=True)

    async def remove(self, call: Call, order_ids: Collection[int]) -> None:
        """Remove orders from their routes.

        On a route under way, their stops are cancelled and goods on board are to come back.
        """
        stops = await list_stops_of_orders(call, order_ids)
        routes = await get_route_rows(call, {stop.route_id for stop in stops}, lock=True)
        for route in routes.values():
            theirs = [stop for stop in stops if stop.route_id == route.id]
            if route.status == RouteStatus.STARTED:
                await remove_orders(call, route, [stop for stop in theirs if stop.to_load])
                await cancel_open_stops(
                    call, [stop for stop in theirs if not stop.to_load], StopCancelReason.ORDER_CANCELLED
                )
            elif next_route_status(RouteAction.REMOVE_ORDERS, RouteStatus(route.status)) is not None:
                await remove_orders(call, route, theirs)
            else:
                continue
            mark_routes_changed(call, route)

    async def get_holders(self, call: Call, order_ids: Collection[int]) -> Mapping[int, int]:
        """Return the contractors that hold orders by an assignment, by order."""
        return await get_order_holders(call, order_ids)

    async def assign(self, call: Call, order_id: int, contractor_id: int) -> None:
        """Assign an order to a contractor, who held the one that it replaces."""
        orders = await lock_assignment_candidates(call, [order_id])
        await open_assignments(call, orders.values(), contractor_id, None)

    async def reopen(self, call: Call, order_id: int, reason: str) -> bool:
        """Reopen the stop of an undone delivery.

        Returns False if its route is finished; the stop then counts as failed.
        """
        stops = await list_stops_of_orders(call, [order_id])
        stop = next((stop for stop in stops if stop.kind == StopKind.DELIVERY), None)
        routes = await get_route_rows(call, {stop.route_id for stop in stops}, lock=True)
        if stop is None:
            return False
        route = routes[stop.route_id]
        under_way = route.status == RouteStatus.STARTED
        await reopen_stop(call, stop.id)
        if not under_way:
            words = {"outcome": FailedStopOutcome.RETRY.value, "reason": "other", "note": reason}
            await update_stops(call, [stop.id], StopStatus.BROUGHT_BACK, **words, ended_at=stop.ended_at)
            await detach_orders_from_route(call, route.id, [order_id])
            await return_orders_to_pools(call, route, [order_id])
        mark_routes_changed(call, route)
        await call.publish(StopReopened(route_id=route.id, stop_id=stop.id, order_id=order_id, at=call.now))
        return under_way

    async def find_reopenable(self, call: Call, order_ids: Collection[int]) -> Collection[int]:
        """Return the orders with a failed stop on a route under way.

        One or two statements.
        """
        stops = [stop for stop in await list_stops_of_orders(call, order_ids) if stop.status == StopStatus.FAILED]
        routes = await get_route_rows(call, {stop.route_id for stop in stops}) if stops else {}
        return {stop.order_id for stop in stops if routes[stop.route_id].status == RouteStatus.STARTED}

    async def send_back(self, call: Call, order_id: int) -> bool:
        """Return goods in a vehicle to their sender once it is at the depot.

        Returns False if no vehicle has them.
        """
        stops = [stop for stop in await list_stops_of_orders(call, [order_id]) if stop.status == StopStatus.FAILED]
        await update_stops(call, [stop.id for stop in stops], StopStatus.FAILED, outcome=FailedStopOutcome.RETURN.value)
        routes = await get_route_rows(call, {stop.route_id for stop in stops})
        mark_routes_changed(call, *routes.values())
        return bool(stops)

    async def end_assignments(self, call: Call, order_ids: Collection[int]) -> None:
        """End the assignments of cancelled orders to contractors."""
        if order_ids:
            orders = await lock_assignment_candidates(call, order_ids)
            held = [order for order in orders.values() if order.holder_id is not None]
            await end_assignments(call, held, REVOKED, ORDER_CANCELLED)
