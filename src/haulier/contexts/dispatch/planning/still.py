"""Whether what a plan was built from is still so: read under locks, compared, and every difference named."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any

from msgspec import Struct

from haulier.contexts.dispatch.assignments.rules import ORDER_UNKNOWN
from haulier.contexts.dispatch.drivers import store as driver_store
from haulier.contexts.dispatch.planning.rules.demanding import mark
from haulier.contexts.dispatch.planning.rules.drawing import Drawn
from haulier.contexts.dispatch.planning.rules.question import Crew, Question
from haulier.contexts.dispatch.planning.yard import OPEN_ROUTES, ROUTES_MOST
from haulier.contexts.dispatch.pools.membership import pool_order, rules_of
from haulier.contexts.dispatch.pools.rules import ContractorRule, why_not_plan
from haulier.contexts.dispatch.routes import store as route_store
from haulier.contexts.dispatch.routes.rules.machine import RouteStatus
from haulier.contexts.dispatch.stops import store as stop_store
from haulier.contexts.dispatch.stops.rules import OPEN
from haulier.contexts.orders.public import OrderFacts, OrderLoad, facts, loads
from haulier.kernel.call import Call
from haulier.kernel.errors import Fault


class Now(Struct, frozen=True, kw_only=True):
    """How things are. `routes` are those that the plan changes, locked, with their `stops`; `standing` is where orders are;
    `busy` are drivers with other open routes on the day."""

    routes: Mapping[int, Any]
    stops: Mapping[int, Sequence[Any]]
    orders: Mapping[int, OrderFacts]
    loads: Mapping[int, OrderLoad]
    standing: Mapping[int, int]
    drivers: Mapping[int, Any]
    busy: frozenset[int]
    rules: Mapping[int | None, Sequence[ContractorRule]]

    def over(self, route_id: int | None) -> list[int]:
        """The stops of a route that are no longer open, in order."""
        return [stop.id for stop in self.stops.get(route_id or 0, ()) if stop.status not in OPEN]

    def staying(self, plan: Drawn) -> frozenset[int]:
        """The orders that the plan leaves on the route on which they stand."""
        return frozenset(
            stop.order_id
            for route in plan.routes
            for stop in route.stops
            if route.route_id is not None and self.standing.get(stop.order_id) == route.route_id
        )


async def now_of(call: Call, question: Question, plan: Drawn) -> Now:
    """Everything that the plan depends on. Routes are locked before orders, as everybody does."""
    changed = [crew.route.route_id for crew in question.crews if crew.route]
    routes = await route_store.some(call.work, changed, lock=True) if changed else {}
    stops: dict[int, list[Any]] = {id: [] for id in routes}
    for stop in await stop_store.of_routes(call.work, list(routes)):
        stops[stop.route_id].append(stop)
    ids = {stop.order_id for route in plan.routes for stop in route.stops}
    ids |= {stop.order_id for each in stops.values() for stop in each if stop.status in OPEN}
    orders = await facts(call, sorted(ids), lock=True)
    owners = dict.fromkeys(route.contractor_id for route in plan.routes)
    return Now(
        routes=routes,
        stops=stops,
        orders=orders,
        loads=await loads(call, sorted(ids)),
        standing=await stop_store.routes_of(call.work, sorted(ids)),
        drivers=await driver_store.some(call.work, [route.driver_id for route in plan.routes]),
        busy=await _busy(call, question, set(routes)),
        rules={owner: await rules_of(call, owner) for owner in owners},
    )


async def _busy(call: Call, question: Question, ours: set[int]) -> frozenset[int]:
    day = date.fromisoformat(question.day)
    rows, _ = await route_store.page(call.work, {"since": day, "until": day}, limit=ROUTES_MOST, offset=0)
    return frozenset(
        row.driver_id for row in rows if row.driver_id and row.status in OPEN_ROUTES and row.id not in ours
    )


def faults(question: Question, plan: Drawn, now: Now) -> list[Fault]:
    """What changed since, each by its own name: `orders.17`, `routes.3`, `drivers.2`."""
    return [*_orders(question, plan, now), *_routes(question, now), *_drivers(plan, now)]


def _orders(question: Question, plan: Drawn, now: Now) -> Iterator[Fault]:
    marks = {each.order_id: each.mark for each in question.demands}
    staying = now.staying(plan)
    for route in plan.routes:
        for id in dict.fromkeys(stop.order_id for stop in route.stops):
            order, load = now.orders.get(id), now.loads.get(id)
            if order is None or load is None:
                yield Fault(f"orders.{id}", ORDER_UNKNOWN.id, {"order_id": id})
            elif id not in staying and (refusal := _why_not(order, route.contractor_id, now)):
                yield Fault(f"orders.{id}", refusal.problem.id, refusal.params)
            elif mark(order, load) != marks[id]:
                yield Fault(f"orders.{id}", "order_changed_since", {"order_id": id})


def _why_not(order: OrderFacts, contractor_id: int | None, now: Now) -> Any:
    """An order that comes from another route of the plan is judged as it will be when it has left that."""
    route_id = now.standing.get(order.id)
    if route_id in now.routes:
        return None
    return why_not_plan(pool_order(order), contractor_id, now.rules[contractor_id], route_id)


def _routes(question: Question, now: Now) -> Iterator[Fault]:
    for crew in question.crews:
        if crew.route and not _as_it_was(crew, now):
            yield Fault(f"routes.{crew.route.route_id}", "route_changed_since", {"route_id": crew.route.route_id})


def _as_it_was(crew: Crew, now: Now) -> bool:
    assert crew.route is not None
    route = now.routes.get(crew.route.route_id)
    if route is None or route.driver_id != crew.driver_id or route.status not in OPEN_ROUTES or route.locked_at:
        return False
    open_stops = [stop.id for stop in now.stops[route.id] if stop.status in OPEN]
    return (
        route.version == crew.route.version
        and (route.status == RouteStatus.STARTED) == crew.route.under_way
        and open_stops == [stop.stop_id for stop in crew.route.stops]
    )


def _drivers(plan: Drawn, now: Now) -> Iterator[Fault]:
    for route in plan.routes:
        driver = now.drivers.get(route.driver_id)
        if driver is None or not driver.active or driver.id in now.busy:
            yield Fault(f"drivers.{route.driver_id}", "driver_changed_since", {"driver_id": route.driver_id})
