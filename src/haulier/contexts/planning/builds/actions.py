"""Writes of builds for other families."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime
from time import monotonic
from typing import Any

from msgspec import convert

from haulier.contexts.orders.public import (
    OrderStep,
    apply_order_transition,
    assign_orders_to_contractor,
    assign_orders_to_driver,
    count_orders_for_driver,
)
from haulier.contexts.planning.builds import store
from haulier.contexts.planning.builds.queries import PlanBasis, find_plan_changes, load_plan_basis, load_travel
from haulier.contexts.planning.builds.rules.plan_document import (
    PlanDocument,
    RouteDocument,
    build_plan_document,
    plan_without_routes,
    to_warm_start,
)
from haulier.contexts.planning.builds.rules.planning_input import PlanningInput
from haulier.contexts.planning.builds.rules.routing_problem import (
    existing_routes_plan,
    list_places,
    list_requests_without_place,
    prove_impossible,
    route_loads,
    to_problem,
)
from haulier.contexts.planning.builds.store import BuildRow
from haulier.contexts.planning.ports import SolverRun, SolverRunner, TravelTimes
from haulier.contexts.routes.events import RouteAssigned, RouteCreated
from haulier.contexts.routes.public import (
    PlannedLeg,
    insert_routes,
    insert_stops,
    list_stops_of_routes,
    remove_orders,
    renumber_stops,
    update_route,
    update_stop_plans,
)
from haulier.contexts.routes.routes.rules.progress import RouteStatus
from haulier.contexts.routes.stops.rules import OPEN
from haulier.kernel.application import Application
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import FieldError, declare_error
from haulier.solvers.routing.engine import SearchBudget
from haulier.solvers.routing.plan import RoutingPlan

PLAN_OUTDATED = declare_error("plan_outdated", 409)
NOTHING_TO_COMMIT = declare_error("nothing_to_commit", 409)
RouteIdsByDriver = dict[int, int]
"""The route of each driver of the plan."""


async def commit_plan(call: Call, build: BuildRow) -> list[int]:
    """Write the plan of a build that is locked. Returns the ids of its routes.

    Raises `NOTHING_TO_COMMIT`, and `PLAN_OUTDATED` with the orders, routes and drivers that changed since.
    """
    planning_input, plan = convert(build.question, PlanningInput), convert(build.plan, PlanDocument)
    if not plan.routes:
        raise NOTHING_TO_COMMIT()
    now = await load_plan_basis(call, planning_input, plan)
    if changes := find_plan_changes(planning_input, plan, now):
        raise PLAN_OUTDATED.for_fields(*changes)
    await _remove_leaving_stops(call, plan, now)
    routes = await _write_routes(call, planning_input, plan, now)
    await _write_stops(call, plan, now, routes)
    await _write_planned_times(call, plan, now, routes)
    await _assign_orders(call, plan, now)
    ids = sorted(routes.values())
    call.add_audit_subjects("route", *ids)
    await store.update_build(call.work, build.id, committed_at=call.now, committed_by=call.actor, route_ids=ids)
    return ids


async def _remove_leaving_stops(call: Call, plan: PlanDocument, now: PlanBasis) -> None:
    """Take orders off the routes on which the plan does not leave them."""
    stays = {(route.route_id, stop.order_id) for route in plan.routes for stop in route.stops}
    for route in now.routes.values():
        leaving = [s for s in now.stops[route.id] if s.status in OPEN and (route.id, s.order_id) not in stays]
        await remove_orders(call, route, leaving)


async def _write_routes(
    call: Call, planning_input: PlanningInput, plan: PlanDocument, now: PlanBasis
) -> RouteIdsByDriver:
    """Create the new routes of the plan and set the planned times of the others.

    Returns the route of each driver.
    """
    new = [route for route in plan.routes if route.route_id is None]
    rows = [
        {
            **_planned_times(route),
            "day": datetime.fromisoformat(planning_input.day).date(),
            "depot_id": route.depot_id,
            "driver_id": route.driver_id,
            "vehicle_id": route.vehicle_id,
            "contractor_id": route.contractor_id,
            "status": RouteStatus.ASSIGNED,
            "created_by": call.actor,
            "created_at": call.now,
        }
        for route in new
    ]
    ids = await insert_routes(call, rows) if rows else []
    route_ids: RouteIdsByDriver = {
        route.driver_id: route.route_id for route in plan.routes if route.route_id is not None
    }
    for route, id in zip(new, ids, strict=True):
        route_ids[route.driver_id] = id
        day = datetime.fromisoformat(planning_input.day).date()
        await call.publish(RouteCreated(route_id=id, day=day, contractor_id=route.contractor_id))
        await call.publish(RouteAssigned(route_id=id, driver_id=route.driver_id))
    for route in plan.routes:
        if route.route_id is not None:
            await update_route(call, route.route_id, vehicle_id=route.vehicle_id, **_planned_times(route))
    return route_ids


def _planned_times(route: RouteDocument) -> dict[str, Any]:
    return {
        "planned_start_at": _utc_time(route.start_s),
        "planned_end_at": _utc_time(route.end_s),
        "planned_distance_m": route.distance_m,
    }


async def _write_stops(call: Call, plan: PlanDocument, now: PlanBasis, routes: RouteIdsByDriver) -> None:
    """Create the new stops of the plan."""
    moving = sorted({stop.order_id for route in plan.routes for stop in route.stops} - now.order_ids_staying(plan))
    if moving:
        errors = await apply_order_transition(call, OrderStep.PLAN, moving)
        # `find_plan_changes` has checked the same orders, but only the life cycle decides. Its errors count as changes.
        if errors:
            raise PLAN_OUTDATED.for_fields(
                *(FieldError(f"orders.{id}", error.error_type.id, error.params) for id, error in errors.items())
            )
    rows: list[Mapping[str, Any]] = []
    for route in plan.routes:
        closed_stop_ids = now.closed_stop_ids(route.route_id)
        rows += [
            {"route_id": routes[route.driver_id], "order_id": stop.order_id, "kind": stop.kind, "position": position}
            for position, stop in enumerate(route.stops, start=1 + len(closed_stop_ids))
            if stop.order_id in set(moving)
        ]
    if rows:
        await insert_stops(call, rows)


async def _write_planned_times(call: Call, plan: PlanDocument, now: PlanBasis, routes: RouteIdsByDriver) -> None:
    """Write the planned times and positions of every stop of the plan."""
    ids: dict[tuple[int, int, str], int] = {}
    for stop in await list_stops_of_routes(call, list(routes.values())):
        if stop.status in OPEN:
            ids[stop.route_id, stop.order_id, stop.kind] = stop.id
    legs: list[PlannedLeg] = []
    for route in plan.routes:
        route_id = routes[route.driver_id]
        in_order = [ids[route_id, stop.order_id, stop.kind] for stop in route.stops]
        legs += [
            (id, _utc_time(stop.start_s), _utc_time(stop.departure_s), stop.leg_distance_m)
            for id, stop in zip(in_order, route.stops, strict=True)
        ]
        if route.route_id is not None:
            await renumber_stops(call, [*now.closed_stop_ids(route_id), *in_order])
    await update_stop_plans(call, legs)


async def _assign_orders(call: Call, plan: PlanDocument, now: PlanBasis) -> None:
    """Assign the new orders of each route to its driver.

    Also to its contractor, unless a contractor holds them already.
    """
    order_ids_staying = now.order_ids_staying(plan)
    for route in plan.routes:
        new = _new_order_ids(route, without=order_ids_staying)
        driver = now.drivers[route.driver_id]
        if driver.user_id is not None:
            await assign_orders_to_driver(call, new, driver.user_id, route.driver_id)
        else:
            await count_orders_for_driver(call, new, route.driver_id)
        by_rule = [id for id in new if now.orders[id].contractor_id is None]
        if by_rule and route.contractor_id is not None:
            await assign_orders_to_contractor(call, by_rule, route.contractor_id)
        call.add_audit_subjects("order", *new)


def _new_order_ids(route: RouteDocument, *, without: frozenset[int]) -> Sequence[int]:
    return list(dict.fromkeys(stop.order_id for stop in route.stops if stop.order_id not in without))


def _utc_time(seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


PlanReporter = Callable[[PlanDocument, bool], Awaitable[bool]]
"""Gets the best plan so far and whether it is new. False ends the search."""


async def plan_without_search(planning_input: PlanningInput) -> PlanDocument | None:
    """Return the plan of an input where nothing can be planned, or None.

    Such an input needs no search.
    """
    unplaced = list_requests_without_place(planning_input)
    if not any(vehicle_shift.route for vehicle_shift in planning_input.vehicle_shifts) and len(unplaced) == len(
        planning_input.requests
    ):
        return plan_without_routes(planning_input, (), unplaced)
    impossible = await asyncio.to_thread(prove_impossible, planning_input)
    return None if impossible is None else plan_without_routes(planning_input, impossible, unplaced)


async def search_plan(
    app: Application,
    planning_input: PlanningInput,
    report: PlanReporter,
    *,
    seconds: float,
    deadline: float | None = None,
    best_plan: PlanDocument | None = None,
) -> PlanDocument:
    """Return the best plan found, beginning with `best_plan` or the existing routes.

    `seconds` is the length of the search. With `deadline`, a moment of `monotonic()`, preparation counts as well, and
    iterations are a cap inside that time. Without it, a search by iterations starts over after an interruption, so that its
    plan does not depend on the interruption. Raises `TravelFailed`, `SolverRunFailed`.
    """
    travel = await load_travel(app.adapter(TravelTimes), planning_input)
    problem = await asyncio.to_thread(to_problem, planning_input, travel)
    unplaced = list_requests_without_place(planning_input)
    plans: list[RoutingPlan] = []
    best: list[PlanDocument] = []

    async def report_better(plan: RoutingPlan) -> bool:
        new = not plans or plans[-1] is not plan
        if new:
            plans[:] = [plan]
            best[:] = [await asyncio.to_thread(build_plan_document, planning_input, problem, plan, unplaced)]
        return await report(best[0], new)

    search = SolverRun(
        problem=problem,
        budget=_search_budget(planning_input, seconds, deadline),
        seed=planning_input.seed,
        start=_warm_start(planning_input, best_plan),
        loads=route_loads(planning_input),
    )
    plan = await app.adapter(SolverRunner).best(search, report_better)
    return best[0] if plans and plans[-1] is plan else build_plan_document(planning_input, problem, plan, unplaced)


def _search_budget(planning_input: PlanningInput, seconds: float, deadline: float | None) -> SearchBudget:
    if deadline is not None:
        left_s = max(0.0, deadline - monotonic())
        return SearchBudget(seconds=min(seconds, left_s), iterations=planning_input.iterations)
    if planning_input.iterations is None:
        return SearchBudget(seconds=seconds)
    return SearchBudget(iterations=planning_input.iterations)


def _warm_start(planning_input: PlanningInput, best_plan: PlanDocument | None) -> RoutingPlan | None:
    if best_plan is None or planning_input.iterations is not None:
        return existing_routes_plan(planning_input)
    place_numbers = {spot: number for number, spot in enumerate(list_places(planning_input))}
    return to_warm_start(planning_input, best_plan, place_numbers)
