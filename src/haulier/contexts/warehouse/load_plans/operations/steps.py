"""Load plans step by step: what is aboard after each piece and after each stop, of a plan that is kept or of anybody's."""

from haulier.contexts.warehouse.load_plans.contract.plans import LoadPlanRef, ProposedLoad
from haulier.contexts.warehouse.load_plans.operations.plans import LOAD_PLAN_PATH, QUESTION_ERRORS
from haulier.contexts.warehouse.load_plans.queries import get_load_plan_row, load_problem, read_load_plan
from haulier.contexts.warehouse.load_plans.rules.problems import problem_hash, proposed_load
from haulier.contexts.warehouse.load_plans.rules.steps import stepped_spaces
from haulier.contexts.warehouse.load_plans.serializers import broken_load_rule, space_codes
from haulier.contexts.warehouse.packing.contract.steps import BrokenStepRule, PlanSteps
from haulier.contexts.warehouse.packing.queries import find_orders_of_pieces
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads
from haulier.kernel.operations.enums import OFFICE, Scope
from haulier.kernel.operations.errors import NOT_FOUND
from haulier.solvers.loading.checker import check_loading_plan


@reads(
    "get_load_steps",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    doors=(Rest("GET", f"{LOAD_PLAN_PATH}/steps"), GraphQL("loadSteps")),
    errors=(NOT_FOUND,),
)
async def get_load_steps(call: Call, request: LoadPlanRef) -> PlanSteps:
    """Follow a plan step by step: what is aboard and weighs on each axle after each piece, and after each stop."""
    row = await get_load_plan_row(call, request.load_plan_id)
    problem, plan = read_load_plan(row)
    spaces = stepped_spaces(problem, plan, row.plan["codes"], await find_orders_of_pieces(call, problem.pieces))
    return PlanSteps(result=True, input_hash=row.input_hash, spaces=spaces, broken=[])


@reads(
    "follow_load_plan",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    doors=(Rest("POST", "/v1/loading/steps"), GraphQL("followLoadPlan")),
    errors=QUESTION_ERRORS,
)
async def follow_load_plan(call: Call, request: ProposedLoad) -> PlanSteps:
    """Follow anybody's plan step by step and after each stop, and name every rule that it breaks. Nothing is stored."""
    problem, rows = await load_problem(call, request)
    plan = proposed_load(request)
    broken = [broken_load_rule(call, each) for each in check_loading_plan(problem, plan)]
    return PlanSteps(
        result=not broken,
        input_hash=problem_hash(problem),
        spaces=stepped_spaces(problem, plan, space_codes(rows), await find_orders_of_pieces(call, problem.pieces)),
        broken=[
            BrokenStepRule(
                rule=each.rule,
                pieces=each.pieces,
                space=each.space,
                after_stop=each.after_stop,
                message=each.message,
            )
            for each in broken
        ],
    )
