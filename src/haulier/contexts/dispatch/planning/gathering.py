"""Putting a question together: the orders, who may take them, and the routes that are there already."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from msgspec import Struct

from haulier.contexts.dispatch.assignments.rules import ORDER_ON_ROUTE, ORDER_UNKNOWN
from haulier.contexts.dispatch.planning.asking import ORDERS_MOST, BuildRoute
from haulier.contexts.dispatch.planning.rules.crewing import Yard, crew, seats
from haulier.contexts.dispatch.planning.rules.demanding import NO_LOAD, Takers, Taking, demand, in_any_pool, may_take
from haulier.contexts.dispatch.planning.rules.hours import worked
from haulier.contexts.dispatch.planning.rules.question import Aims, Crew, Demand, Question, Spot
from haulier.contexts.dispatch.planning.rules.roads import aboard_of, standings, whereabouts
from haulier.contexts.dispatch.planning.yard import planner_of, yard_of
from haulier.contexts.dispatch.pools.membership import pool_order, rules_of
from haulier.contexts.dispatch.pools.rules import ORDER_NOT_PLANNABLE, ContractorRule, waits
from haulier.contexts.dispatch.stops import store as stop_store
from haulier.contexts.orders.public import OrderFacts, facts, loads, waiting
from haulier.kernel.call import Call
from haulier.kernel.errors import Refusal

Rules = Mapping[int | None, Sequence[ContractorRule]]
FROM_DOOR_TO_DOOR = "P2P"


class Gathered(Struct, frozen=True):
    """A question, and the orders that were named but cannot be planned at all now."""

    question: Question
    refused: Mapping[int, Refusal]


class Road(Struct, frozen=True):
    """The stops of the routes that may be planned anew, by route, and the orders and loads on them."""

    stops: Mapping[int, Sequence[Any]]
    orders: Mapping[int, OrderFacts]
    loads: Mapping[int, Any]


async def gather(call: Call, request: BuildRoute) -> Gathered:
    """The question of a request, in a number of statements that does not grow with orders, drivers or routes.

    Raises `INVALID_REQUEST` for a driver, vehicle or depot that there is not.
    """
    yard = await yard_of(
        call,
        request.day,
        driver_ids=request.driver_ids,
        vehicle_ids=request.vehicle_ids,
        depot_ids=request.depot_ids,
    )
    road = await _road(call, yard, request)
    crews = _crews(yard, road, request)
    rules: dict[int | None, Sequence[ContractorRule]] = {
        owner: await rules_of(call, owner) for owner in dict.fromkeys([planner_of(call), *_owners(crews)])
    }
    demands, refused = await _demands(call, request, yard, crews, rules, road)
    return Gathered(_question(call, request, crews, demands), refused)


def _owners(crews: Sequence[Crew]) -> list[int | None]:
    return [each.contractor_id for each in crews]


def _question(call: Call, request: BuildRoute, crews: Sequence[Crew], demands: Sequence[Demand]) -> Question:
    return Question(
        day=request.day.isoformat(),
        planner_id=planner_of(call),
        demands=tuple(sorted(demands, key=lambda each: each.order_id)),
        crews=tuple(sorted(crews, key=lambda each: each.driver_id)),
        aims=Aims(**request.objective.model_dump()),
        worked=worked((each.shift for each in crews), call.time_zone),
        grace_s=request.late_minutes_max * 60,
        seconds=request.time_budget_s,
        iterations=request.iterations,
        seed=request.seed,
    )


async def _road(call: Call, yard: Yard, request: BuildRoute) -> Road:
    """What the drivers who may be planned anew have to do already."""
    ids = [seat.route.id for seat in seats(yard, request.current) if seat.route and not seat.why_not]
    stops: dict[int, list[Any]] = {id: [] for id in ids}
    for stop in await stop_store.of_routes(call.work, ids):
        stops[stop.route_id].append(stop)
    order_ids = {stop.order_id for each in stops.values() for stop in each}
    return Road(stops, await facts(call, order_ids) if order_ids else {}, await loads(call, order_ids))


def _crews(yard: Yard, road: Road, request: BuildRoute) -> list[Crew]:
    found: list[Crew] = []
    for seat in seats(yard, request.current):
        if seat.why_not:
            continue
        stops = road.stops[seat.route.id] if seat.route else ()
        route = standings(seat.route, stops, request.current) if seat.route else None
        where: Spot | None = whereabouts(stops, road.orders, road.loads)
        aboard = aboard_of(stops, road.orders, road.loads) if route and route.under_way else NO_LOAD
        loading_s = request.loading_minutes * 60
        found.append(crew(yard, seat, route, loading_s=loading_s, where=where, aboard=aboard))
    return found


async def _demands(
    call: Call, request: BuildRoute, yard: Yard, crews: Sequence[Crew], rules: Rules, road: Road
) -> tuple[list[Demand], dict[int, Refusal]]:
    takers = Takers(
        crews=crews,
        zones={id: row.zones for id, row in yard.profiles.items()},
        accounts={driver.id: driver.user_id for driver in yard.drivers},
        rules={owner: rules[owner] for owner in _owners(crews)},
    )
    wishes = {wish.order_id: wish for wish in request.wishes}
    standing = _standing(crews, road, takers, wishes)
    if request.order_ids:
        chosen, refused = await _named(call, request.order_ids, rules, {each.order_id for each in standing})
    else:
        chosen, refused = await _pooled(call, request, rules), {}
    taken_up = await loads(call, [order.id for order in chosen])
    collected = await stop_store.collected(call.work, [o.id for o in chosen if o.type == FROM_DOOR_TO_DOOR])
    new = [
        demand(
            order,
            taken_up[order.id],
            may_take(order, pool_order(order), takers, wishes.get(order.id), pinned=True),
            collected=order.id in collected,
            wish=wishes.get(order.id),
        )
        for order in chosen
        if order.id in taken_up
    ]
    return [*standing, *new][:ORDERS_MOST], refused


def _standing(crews: Sequence[Crew], road: Road, takers: Takers, wishes: Mapping[int, Any]) -> list[Demand]:
    """The orders of routes that are there already. Those of a route under way stay on it."""
    found: list[Demand] = []
    for each in crews:
        for order_id in dict.fromkeys(stop.order_id for stop in each.route.stops) if each.route else ():
            order, load, wish = road.orders[order_id], road.loads[order_id], wishes.get(order_id)
            assert each.route is not None
            kinds = {stop.kind for stop in each.route.stops if stop.order_id == order_id}
            bound = each.route.under_way or any(s.kept for s in each.route.stops if s.order_id == order_id)
            own = Taking((each.driver_id,))
            taking = own if bound else may_take(order, pool_order(order), takers, wish, pinned=False)
            found.append(demand(order, load, taking, collected=kinds == {"delivery"}, wish=wish))
    return found


async def _pooled(call: Call, request: BuildRoute, rules: Rules) -> list[OrderFacts]:
    """The orders that wait for the day, for an earlier one or for none, in the pools of those who are planned."""
    found = await waiting(call, limit=ORDERS_MOST)
    return [
        order
        for order in found
        if (order.scheduled_date is None or order.scheduled_date <= request.day)
        and in_any_pool(pool_order(order), rules)
    ]


async def _named(
    call: Call, order_ids: Collection[int], rules: Rules, standing: Collection[int]
) -> tuple[list[OrderFacts], dict[int, Refusal]]:
    """The orders that were named, and why some of them cannot be planned whoever drives.

    The office learns by a plan's reasons that an order is in another's pool; a contractor not even that it exists.
    """
    asked = [id for id in dict.fromkeys(order_ids) if id not in standing]
    orders = await facts(call, asked)
    routes = await stop_store.routes_of(call.work, orders)
    refused: dict[int, Refusal] = {}
    for id in asked:
        order = orders.get(id)
        if order is None or (planner_of(call) is not None and not in_any_pool(pool_order(order), rules)):
            refused[id] = ORDER_UNKNOWN(order_id=id)
        elif id in routes:
            refused[id] = ORDER_ON_ROUTE(order_id=id)
        elif not waits(pool_order(order)):
            refused[id] = ORDER_NOT_PLANNABLE(order_id=id, status=order.status.name)
    return [orders[id] for id in asked if id not in refused], refused
