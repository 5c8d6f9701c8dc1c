"""Packing plans step by step: what is in each carton after each piece, of a plan that is kept or of anybody's."""

from haulier.contexts.warehouse.packing.contract.plans import PackingPlanRef, ProposedPlan
from haulier.contexts.warehouse.packing.contract.steps import BrokenStepRule, PlanSteps
from haulier.contexts.warehouse.packing.operations.plans import PLAN_PATH, QUESTION_ERRORS
from haulier.contexts.warehouse.packing.queries import (
    find_orders_of_pieces,
    get_packing_plan_row,
    load_problem,
    read_plan,
)
from haulier.contexts.warehouse.packing.rules.problems import input_hash, proposed_plan
from haulier.contexts.warehouse.packing.rules.steps import stepped_cartons
from haulier.contexts.warehouse.packing.serializers import broken_rule, carton_codes
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads
from haulier.kernel.operations.enums import OFFICE, Scope
from haulier.kernel.operations.errors import NOT_FOUND
from haulier.solvers.packing.checker import check_plan


@reads(
    "get_packing_steps",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    doors=(Rest("GET", f"{PLAN_PATH}/steps"), GraphQL("packingSteps")),
    errors=(NOT_FOUND,),
)
async def get_packing_steps(call: Call, request: PackingPlanRef) -> PlanSteps:
    """Follow a plan step by step: what is in each carton after each piece, what it weighs, how full it is."""
    row = await get_packing_plan_row(call, request.plan_id)
    problem, plan = read_plan(row)
    orders = await find_orders_of_pieces(call, problem.pieces)
    spaces = stepped_cartons(problem, plan, row.plan["codes"], orders)
    return PlanSteps(result=True, input_hash=row.input_hash, spaces=spaces, broken=[])


@reads(
    "follow_packing_plan",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    doors=(Rest("POST", "/v1/packing/steps"), GraphQL("followPackingPlan")),
    errors=QUESTION_ERRORS,
)
async def follow_packing_plan(call: Call, request: ProposedPlan) -> PlanSteps:
    """Follow anybody's plan step by step, and name every rule that it breaks. Nothing is stored."""
    problem, rows = await load_problem(call, request)
    plan = proposed_plan(request.cartons, request.placements)
    broken = [broken_rule(call, each) for each in check_plan(problem, plan)]
    return PlanSteps(
        result=not broken,
        input_hash=input_hash(problem),
        spaces=stepped_cartons(problem, plan, carton_codes(rows), await find_orders_of_pieces(call, problem.pieces)),
        broken=[
            BrokenStepRule(rule=each.rule, pieces=each.pieces, space=each.carton, after_stop=None, message=each.message)
            for each in broken
        ],
    )
