"""From a planning input to a plan: travel times, the solver's problem, the search, and the plan as it is stored."""

import asyncio
from collections.abc import Awaitable, Callable
from time import monotonic

from haulier.contexts.planning.builds.queries.travel_matrix import load_travel_matrix
from haulier.contexts.planning.builds.rules.plan_document import (
    PlanDocument,
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
from haulier.contexts.planning.ports import SolverRun, SolverRunner, TravelTimes
from haulier.kernel.application import Application
from haulier.solvers.routing.engine import SearchBudget
from haulier.solvers.routing.plan import RoutingPlan

PlanReporter = Callable[[PlanDocument, bool], Awaitable[bool]]
"""Gets the best plan so far and whether it is new. False ends the search."""


async def plan_without_search(planning_input: PlanningInput) -> PlanDocument | None:
    """The plan of an input that needs no search, as nothing can be planned; None for one that needs a search."""
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
    travel = await load_travel_matrix(app.adapter(TravelTimes), list_places(planning_input), planning_input.worked)
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
