"""From a question to a plan: travel times, the problem, the search, and the plan as we keep it."""

import asyncio
from collections.abc import Awaitable, Callable

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
    to_problem,
)
from haulier.contexts.planning.ports import SolverRun, SolverRunner, TravelTimes, load_travel_matrix
from haulier.kernel.application import Application
from haulier.solvers.routing.engine import SearchBudget
from haulier.solvers.routing.plan import RoutingPlan

PlanReporter = Callable[[PlanDocument, bool], Awaitable[bool]]
"""Is told the best plan so far and whether it is new. False ends the search."""


async def plan_without_search(question: PlanningInput) -> PlanDocument | None:
    """The plan of a question that needs no search: nothing to plan, nobody to drive, or nothing possible at all."""
    lost = list_requests_without_place(question)
    if not any(vehicle_shift.route for vehicle_shift in question.vehicle_shifts) and len(lost) == len(
        question.requests
    ):
        return plan_without_routes(question, lost)
    found = await asyncio.to_thread(prove_impossible, question)
    return None if found is None else plan_without_routes(question, (*found, *lost))


async def search_plan(
    app: Application, question: PlanningInput, report: PlanReporter, *, seconds: float, kept: PlanDocument | None = None
) -> PlanDocument:
    """The best plan found, beginning with `kept` or with the routes that there are. Raises `TravelFailed`, `SolverRunFailed`.

    A question with iterations is answered from the beginning, so that the answer does not depend on an interruption.
    """
    travel = await load_travel_matrix(app.adapter(TravelTimes), list_places(question), question.worked)
    asked = await asyncio.to_thread(to_problem, question, travel)
    lost = list_requests_without_place(question)
    shown: list[RoutingPlan] = []
    best: list[PlanDocument] = []

    async def told(plan: RoutingPlan) -> bool:
        new = not shown or shown[-1] is not plan
        if new:
            shown[:] = [plan]
            best[:] = [await asyncio.to_thread(build_plan_document, question, asked, plan, lost)]
        return await report(best[0], new)

    search = SolverRun(
        problem=asked, budget=_search_budget(question, seconds), seed=question.seed, start=_warm_start(question, kept)
    )
    plan = await app.adapter(SolverRunner).best(search, told)
    return best[0] if shown and shown[-1] is plan else build_plan_document(question, asked, plan, lost)


def _search_budget(question: PlanningInput, seconds: float) -> SearchBudget:
    return (
        SearchBudget(seconds=seconds) if question.iterations is None else SearchBudget(iterations=question.iterations)
    )


def _warm_start(question: PlanningInput, kept: PlanDocument | None) -> RoutingPlan | None:
    if kept is None or question.iterations is not None:
        return existing_routes_plan(question)
    at = {spot: number for number, spot in enumerate(list_places(question))}
    return to_warm_start(question, kept, at)
