"""Orders go onto a route and come off it: what is locked, decided and written, for every operation that does it."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from haulier.contexts.dispatch.assignments import store as assignment_store
from haulier.contexts.dispatch.assignments.rules import ORDER_UNKNOWN
from haulier.contexts.dispatch.pools.membership import pool_order, rules_of
from haulier.contexts.dispatch.pools.rules import why_not_plan
from haulier.contexts.dispatch.routes import store
from haulier.contexts.dispatch.routes.contract import STOPS_MAX
from haulier.contexts.dispatch.routes.finding import stop_states
from haulier.contexts.dispatch.routes.rules.progress import collected, undelivered
from haulier.contexts.dispatch.stops import store as stop_store
from haulier.contexts.dispatch.stops.rules import Outcome, StopStatus, kinds_of, turned_away
from haulier.contexts.orders.public import OrderFacts, Step, facts, give_to_contractor, give_to_driver, take
from haulier.kernel.call import Call
from haulier.kernel.errors import Refusal, problem

ROUTE_FULL = problem("route_full", 409)

FROM_DOOR_TO_DOOR = "P2P"
UNKNOWN_END: dict[str, Any] = {"planned_end_at": None, "planned_distance_m": None}
"""What a route no longer knows when its stops changed after it was planned."""
Refusals = dict[int, Refusal]


async def put_on(call: Call, route: Any, order_ids: Sequence[int]) -> tuple[list[int], Refusals]:
    """Put orders of the route's own pool on it, in the order in which they were named.

    Returns those that went, and why the others did not. Raises `ROUTE_FULL`.
    """
    asked = list(dict.fromkeys(order_ids))
    orders = await facts(call, sorted(asked), lock=True)
    refused = await _not_in_pool(call, route, asked, orders)
    chosen = [order_id for order_id in asked if order_id not in refused]
    standing = await stop_store.of_routes(call.work, [route.id])
    last = max((stop.position for stop in standing), default=0)
    rows = await _new_stops(call, route, [orders[order_id] for order_id in chosen], last)
    if len(standing) + len(rows) > STOPS_MAX:
        raise ROUTE_FULL(most=STOPS_MAX)
    refused |= await take(call, Step.PLAN, chosen) if chosen else {}
    planned = [order_id for order_id in chosen if order_id not in refused]
    if planned:
        await stop_store.add(call.work, [row for row in rows if row["order_id"] not in refused])
        await store.change(call.work, route.id, **UNKNOWN_END)
        await _hand_out(call, route, planned, orders)
    return planned, refused


async def _not_in_pool(call: Call, route: Any, asked: Collection[int], orders: Mapping[int, OrderFacts]) -> Refusals:
    rules = await rules_of(call, route.contractor_id)
    routes = await stop_store.routes_of(call.work, orders)
    refused: Refusals = {}
    for order_id in asked:
        order = orders.get(order_id)
        if order is None:
            refused[order_id] = ORDER_UNKNOWN(order_id=order_id)
        elif refusal := why_not_plan(pool_order(order), route.contractor_id, rules, routes.get(order_id)):
            refused[order_id] = refusal
    return refused


async def _new_stops(call: Call, route: Any, orders: Sequence[OrderFacts], taken: int) -> list[dict[str, Any]]:
    aboard_before = await stop_store.collected(
        call.work, [order.id for order in orders if order.type == FROM_DOOR_TO_DOOR]
    )
    visits = [
        (order.id, kind) for order in orders for kind in kinds_of(order.type, collected=order.id in aboard_before)
    ]
    return [
        {"route_id": route.id, "order_id": order_id, "kind": kind, "position": taken + place}
        for place, (order_id, kind) in enumerate(visits, start=1)
    ]


async def _hand_out(call: Call, route: Any, planned: Sequence[int], orders: Mapping[int, OrderFacts]) -> None:
    """Whoever drives the route may see its orders: the driver, and a contractor to whom rules alone brought them."""
    if (driver := driver_told(route)) is not None:
        await give_to_driver(call, planned, driver)
    by_rule = [order_id for order_id in planned if orders[order_id].contractor_id is None]
    if route.contractor_id is not None and by_rule:
        await give_to_contractor(call, by_rule, route.contractor_id)
    call.concerns("order", *planned)


def driver_told(route: Any) -> int | None:
    """The account of the driver who may see the orders of a route: none before the route is published."""
    return route.driver_user_id if route.published_at is not None else None


async def set_plan(
    call: Call,
    route_id: int,
    legs: Sequence[stop_store.Leg],
    *,
    planned_start_at: datetime | None = None,
    planned_end_at: datetime | None = None,
    planned_distance_m: int | None = None,
) -> None:
    """Write what a plan says of a route beside what will be observed.

    A leg is (stop id, planned arrival, planned departure, metres driven to the stop). `planned_distance_m` is the whole
    way back to the depot; left out, it is the sum of the legs. Without `planned_start_at` the start stays as it was.
    """
    await stop_store.set_plan(call.work, legs)
    way = [metres for *_, metres in legs if metres is not None]
    start = {} if planned_start_at is None else {"planned_start_at": planned_start_at}
    await store.change(
        call.work,
        route_id,
        planned_end_at=planned_end_at,
        planned_distance_m=sum(way) if planned_distance_m is None and way else planned_distance_m,
        **start,
    )


async def take_off(call: Call, route: Any, stops: Collection[Any]) -> None:
    """Take the orders of these unvisited stops off the route; each is back in the pool it came from.

    An order that has left the planned state by itself (held, cancelled) comes off like the others.
    """
    if not stops:
        return
    order_ids = sorted({stop.order_id for stop in stops})
    await stop_store.remove(call.work, [stop.id for stop in stops])
    await _close_up(call, route, stops)
    await take(call, Step.UNPLAN, order_ids)
    await give_back(call, route, order_ids)


async def _close_up(call: Call, route: Any, gone: Collection[Any]) -> None:
    """Number what is left, and forget the planned times of what stood behind the first that is gone."""
    left = await stop_store.of_routes(call.work, [route.id])
    first = min(stop.position for stop in gone)
    await stop_store.place(call.work, [stop.id for stop in left])
    await stop_store.forget_plan(
        call.work, [stop.id for stop in left if stop.position > first and stop.status == StopStatus.PLANNED]
    )
    await store.change(call.work, route.id, **UNKNOWN_END)


async def give_back(call: Call, route: Any, order_ids: Sequence[int]) -> None:
    """Orders that left a route undelivered: no driver has them, and a contractor only where they hold them."""
    await give_to_driver(call, order_ids, None)
    if route.contractor_id is not None:
        holders = await assignment_store.holders(call, order_ids)
        free = [order_id for order_id in order_ids if order_id not in holders]
        if free:
            await give_to_contractor(call, free, None)
    call.concerns("order", *order_ids)


async def hand_in(call: Call, route: Any, at: datetime, *, until: datetime | None = None) -> tuple[list[int], Refusals]:
    """Everything that the vehicle still holds is at the depot; `until` leaves out what only came on board after that.

    Returns the orders it was about, and why the life cycle of some did not move; those are off the vehicle all the same.
    """
    stops = await stop_store.of_routes(call.work, [route.id])
    later = {stop.id for stop in stops if until and stop.ended_at and stop.ended_at > until}
    states = stop_states(stops)
    brought = [stop.id for stop in undelivered(states) if stop.id not in later]
    back = {stop.order_id: stop.outcome for stop in stops if stop.id in set(brought)}
    refused_at_the_door = {stop.order_id for stop in stops if turned_away(stop.reason, stop.outcome)}
    sent_back = {order_id for order_id, outcome in back.items() if outcome == Outcome.RETURN}
    returned = sorted(sent_back - refused_at_the_door)  # a refused order is over already; only the parcel comes back
    again = sorted(back.keys() - sent_back)
    arrived = {stop.id: stop.order_id for stop in collected(states) if stop.id not in later}
    refused = await take(call, Step.RETURN, returned, at=at) if returned else {}
    refused |= await take(call, Step.DELIVER, sorted(arrived.values()), at=at) if arrived else {}
    await stop_store.end(call.work, brought, StopStatus.BROUGHT_BACK)
    await stop_store.end(call.work, list(arrived), StopStatus.HANDED_IN)
    await stop_store.leave(call.work, route.id, list(back))
    if again:
        await give_back(call, route, again)
    return sorted({*back, *arrived.values()}), refused
