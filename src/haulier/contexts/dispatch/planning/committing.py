"""A plan becomes routes and stops, all of it in the caller's transaction, or none."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from msgspec import convert

from haulier.contexts.dispatch.events import RouteAssigned, RouteCreated
from haulier.contexts.dispatch.planning import store
from haulier.contexts.dispatch.planning.rules.drawing import Drawn, DrawnRoute
from haulier.contexts.dispatch.planning.rules.question import Question
from haulier.contexts.dispatch.planning.still import Now, faults, now_of
from haulier.contexts.dispatch.routes import store as route_store
from haulier.contexts.dispatch.routes.boarding import take_off
from haulier.contexts.dispatch.routes.rules.machine import RouteStatus
from haulier.contexts.dispatch.stops import store as stop_store
from haulier.contexts.dispatch.stops.rules import OPEN
from haulier.contexts.orders.public import Step, give_to_contractor, give_to_driver, take
from haulier.kernel.call import Call
from haulier.kernel.errors import Fault, problem

PLAN_OUTDATED = problem("plan_outdated", 409)
NOTHING_TO_COMMIT = problem("nothing_to_commit", 409)
RouteIds = dict[int, int]
"""The route of each driver of the plan."""


async def commit(call: Call, build: Any) -> list[int]:
    """Write the plan of a build that is locked. Returns the ids of its routes.

    Raises `NOTHING_TO_COMMIT`, and `PLAN_OUTDATED` with the orders, routes and drivers that changed since.
    """
    question, plan = convert(build.question, Question), convert(build.plan, Drawn)
    if not plan.routes:
        raise NOTHING_TO_COMMIT()
    now = await now_of(call, question, plan)
    if found := faults(question, plan, now):
        raise PLAN_OUTDATED.at(*found)
    await _leave(call, plan, now)
    routes = await _routes(call, question, plan, now)
    await _board(call, plan, now, routes)
    await _set_times(call, plan, now, routes)
    await _hand_out(call, plan, now)
    ids = sorted(routes.values())
    call.concerns("route", *ids)
    await store.change(call.work, build.id, committed_at=call.now, committed_by=call.actor, route_ids=ids)
    return ids


async def _leave(call: Call, plan: Drawn, now: Now) -> None:
    """Orders that are on another route now, or on none, come off the one they stand on."""
    stays = {(route.route_id, stop.order_id) for route in plan.routes for stop in route.stops}
    for route in now.routes.values():
        gone = [s for s in now.stops[route.id] if s.status in OPEN and (route.id, s.order_id) not in stays]
        await take_off(call, route, gone)


async def _routes(call: Call, question: Question, plan: Drawn, now: Now) -> RouteIds:
    """The routes of the plan, new ones where there are none yet."""
    new = [route for route in plan.routes if route.route_id is None]
    rows = [
        {
            **_times(route),
            "day": datetime.fromisoformat(question.day).date(),
            "depot_id": route.depot_id,
            "driver_id": route.driver_id,
            "contractor_id": route.contractor_id,
            "status": RouteStatus.ASSIGNED,
            "created_by": call.actor,
            "created_at": call.now,
        }
        for route in new
    ]
    ids = await route_store.add_many(call.work, rows) if rows else []
    found: RouteIds = {route.driver_id: route.route_id for route in plan.routes if route.route_id is not None}
    for route, id in zip(new, ids, strict=True):
        found[route.driver_id] = id
        day = datetime.fromisoformat(question.day).date()
        await call.announce(RouteCreated(route_id=id, day=day, contractor_id=route.contractor_id))
        await call.announce(RouteAssigned(route_id=id, driver_id=route.driver_id))
    for route in plan.routes:
        if route.route_id is not None:
            await route_store.change(call.work, route.route_id, **_times(route))
    return found


def _times(route: DrawnRoute) -> dict[str, Any]:
    return {
        "planned_start_at": _at(route.start_s),
        "planned_end_at": _at(route.end_s),
        "planned_distance_m": route.distance_m,
    }


async def _board(call: Call, plan: Drawn, now: Now, routes: RouteIds) -> None:
    """New stops, and the new order of those that were there."""
    moving = sorted({stop.order_id for route in plan.routes for stop in route.stops} - now.staying(plan))
    if moving:
        refused = await take(call, Step.PLAN, moving)
        if refused:  # the checks before saw it coming, unless the life cycle knows better
            raise PLAN_OUTDATED.at(*(Fault(f"orders.{id}", r.problem.id, r.params) for id, r in refused.items()))
    rows: list[Mapping[str, Any]] = []
    for route in plan.routes:
        over = now.over(route.route_id)
        rows += [
            {"route_id": routes[route.driver_id], "order_id": stop.order_id, "kind": stop.kind, "position": position}
            for position, stop in enumerate(route.stops, start=1 + len(over))
            if stop.order_id in set(moving)
        ]
    if rows:
        await stop_store.add(call.work, rows)


async def _set_times(call: Call, plan: Drawn, now: Now, routes: RouteIds) -> None:
    """Planned times and positions of every stop of the plan."""
    ids: dict[tuple[int, int, str], int] = {}
    for stop in await stop_store.of_routes(call.work, list(routes.values())):
        if stop.status in OPEN:
            ids[stop.route_id, stop.order_id, stop.kind] = stop.id
    legs: list[stop_store.Leg] = []
    for route in plan.routes:
        route_id = routes[route.driver_id]
        in_order = [ids[route_id, stop.order_id, stop.kind] for stop in route.stops]
        legs += [
            (id, _at(stop.start_s), _at(stop.departure_s), stop.way_m)
            for id, stop in zip(in_order, route.stops, strict=True)
        ]
        if route.route_id is not None:
            await stop_store.place(call.work, [*now.over(route_id), *in_order])
    await stop_store.set_plan(call.work, legs)


async def _hand_out(call: Call, plan: Drawn, now: Now) -> None:
    """Drivers see the orders of their routes; a contractor holds those that rules alone brought to them."""
    staying = now.staying(plan)
    for route in plan.routes:
        new = _distinct(route, without=staying)
        driver = now.drivers[route.driver_id]
        if new and driver.user_id is not None:
            await give_to_driver(call, new, driver.user_id)
        by_rule = [id for id in new if now.orders[id].contractor_id is None]
        if by_rule and route.contractor_id is not None:
            await give_to_contractor(call, by_rule, route.contractor_id)
        call.concerns("order", *new)


def _distinct(route: DrawnRoute, *, without: frozenset[int]) -> Sequence[int]:
    return list(dict.fromkeys(stop.order_id for stop in route.stops if stop.order_id not in without))


def _at(seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
