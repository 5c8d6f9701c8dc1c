"""Orders on routes, for the port of orders: where each stands, and what becomes of those that were held or cancelled."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from operator import attrgetter
from typing import Any

import msgspec
from msgspec import Struct

from haulier.contexts.orders.public import OrderPlacement
from haulier.contexts.routes.assignments.actions import end_assignments, lock_assignment_candidates, open_assignments
from haulier.contexts.routes.assignments.queries import get_order_holders
from haulier.contexts.routes.assignments.rules import REVOKED
from haulier.contexts.routes.events import StopReopened
from haulier.contexts.routes.routes import store
from haulier.contexts.routes.routes.actions.cancelled_stops import cancel_open_stops
from haulier.contexts.routes.routes.actions.route_orders import remove_orders, return_orders_to_pools
from haulier.contexts.routes.routes.notifications import mark_routes_changed
from haulier.contexts.routes.routes.queries import get_route_rows
from haulier.contexts.routes.routes.rules.state_machine import RouteAction, RouteStatus, next_route_status
from haulier.contexts.routes.stops.actions import detach_orders_from_route, reopen_stop, update_stops
from haulier.contexts.routes.stops.queries import get_route_ids_by_order, list_stops_of_orders
from haulier.contexts.routes.stops.rules import OPEN, FailedStopOutcome, StopCancelReason, StopKind, StopStatus
from haulier.kernel.call import Call
from haulier.kernel.operations.records import record

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
    """The next visit to an order, of its visits in their order; the last once all are over."""
    visit = next((each for each in visits if each.status in OPEN), visits[-1])
    return record(OrderPlacement, visit, stop_number=visit.position)


class RoutesOfOrders:
    """Implements the port from the tables of routes and stops."""

    places_column = staticmethod(store.order_places_column)

    def read_placement(self, places: Collection[Mapping[str, Any]]) -> OrderPlacement | None:
        """Where the order stands whose row has these in its `places_column`; None on no route."""
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
        """Take orders off their routes. On one under way their stops are cancelled; what is aboard is to be brought back."""
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
        """The contractors who hold orders by an assignment; an order that nobody holds is absent."""
        return await get_order_holders(call, order_ids)

    async def assign(self, call: Call, order_id: int, contractor_id: int) -> None:
        """Assign an order to a contractor, who held the one that it replaces."""
        orders = await lock_assignment_candidates(call, [order_id])
        await open_assignments(call, orders.values(), contractor_id, None)

    async def reopen(self, call: Call, order_id: int, reason: str) -> bool:
        """Open the stop of a delivery that never was. False where its route is over: the stop then counts as failed."""
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
        """Return the orders with a failed stop on a route under way. One or two statements."""
        stops = [stop for stop in await list_stops_of_orders(call, order_ids) if stop.status == StopStatus.FAILED]
        routes = await get_route_rows(call, {stop.route_id for stop in stops}) if stops else {}
        return {stop.order_id for stop in stops if routes[stop.route_id].status == RouteStatus.STARTED}

    async def send_back(self, call: Call, order_id: int) -> bool:
        """Have goods that are in a vehicle returned to their sender once it is at the depot. False where none has them."""
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
