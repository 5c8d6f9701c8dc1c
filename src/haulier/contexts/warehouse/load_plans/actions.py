"""Storage of load plans for routes."""

from typing import Any

import msgspec

from haulier.contexts.warehouse.load_plans import store
from haulier.contexts.warehouse.load_plans.rules import load_digest, problem_hash
from haulier.contexts.warehouse.load_plans.store import LoadPlanRow
from haulier.kernel.call import Call
from haulier.solvers.loading.plan import LoadingPlan
from haulier.solvers.loading.problem import LoadingProblem


async def save_load_plan(
    call: Call, route_id: int, answered: tuple[LoadingProblem, LoadingPlan], codes: dict[str, str]
) -> LoadPlanRow:
    """Save a checked plan for a locked route and replace the earlier one.

    Saving the same plan again changes nothing.
    """
    problem, plan = answered
    hash = problem_hash(problem)
    costs = {space.id: space.cost_cents for space in problem.spaces}
    values: dict[str, Any] = {
        "route_id": route_id,
        "digest": load_digest(hash, plan),
        "input_hash": hash,
        "problem": msgspec.to_builtins(problem),
        "plan": {**msgspec.to_builtins(plan), "codes": {id: code for id, code in codes.items() if id in plan.spaces}},
        "pieces": len(plan.placements),
        "left_over": len(plan.left_over),
        "spaces_used": len(plan.spaces),
        "cost_minor": sum(costs[id] for id in plan.spaces),
        "created_at": call.now,
        "created_by": call.actor,
        "replaced_at": None,
    }
    row = await store.insert_load_plan(call.work, values, call.now)
    call.add_audit_subjects("load_plan", row.id)
    call.add_audit_subjects("route", route_id)
    return row
