"""Load plans: asked for, checked, committed, listed and shown."""

from haulier.contexts.routes.public import get_visible_route
from haulier.contexts.warehouse.load_plans.actions import keep_load_plan
from haulier.contexts.warehouse.load_plans.contract.plans import (
    CommitLoadPlan,
    ListLoadPlans,
    LoadAnswer,
    LoadPlanAnswer,
    LoadPlanCheck,
    LoadPlanList,
    LoadPlanRef,
    PlanLoad,
    ProposedLoad,
)
from haulier.contexts.warehouse.load_plans.errors import (
    LOAD_PLAN_STALE,
    LOADING_RULES_BROKEN,
    NO_LOAD_SPACES,
    TOO_MANY_PIECES_TO_LOAD,
)
from haulier.contexts.warehouse.load_plans.queries import get_load_plan_row, load_problem, read_load_plan
from haulier.contexts.warehouse.load_plans.rules.problems import problem_hash, proposed_load
from haulier.contexts.warehouse.load_plans.serializers import (
    broken_load_rule,
    load_answer,
    load_plan_detail,
    load_plan_summary,
    space_codes,
)
from haulier.contexts.warehouse.load_plans.store import plans as store
from haulier.contexts.warehouse.packing.errors import PIECE_WITHOUT_SIZE
from haulier.contexts.warehouse.ports import LoadingSearch, LoadingSolver
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Mcp, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, NOT_FOUND, FieldError
from haulier.solvers.loading.checker import check_loading_plan
from haulier.solvers.packing.budget import PackingBudget

LOAD_PLANS_PATH = "/v1/loading/plans"
LOAD_PLAN_PATH = f"{LOAD_PLANS_PATH}/{{load_plan_id}}"
QUESTION_ERRORS = (NOT_FOUND, NO_LOAD_SPACES, PIECE_WITHOUT_SIZE, TOO_MANY_PIECES_TO_LOAD)


@reads(
    "load",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    doors=(Rest("POST", "/v1/loading/load"), GraphQL("load"), Mcp("load", title="Plan a load")),
    errors=QUESTION_ERRORS,
)
async def plan_load(call: Call, request: PlanLoad) -> LoadAnswer:
    """Say what goes where in which vehicles, containers or pallets, in which order, and what stays behind and why."""
    problem, rows = await load_problem(call, request)
    budget = PackingBudget(steps=request.steps) if request.steps else PackingBudget(seconds=request.seconds)
    search = LoadingSearch(problem=problem, budget=budget, seed=request.seed)
    plan = await call.app.adapter(LoadingSolver).solve(search)
    if broken := check_loading_plan(problem, plan):
        raise RuntimeError(f"an engine broke rules of loading: {broken}")
    return load_answer(call, problem, plan, space_codes(rows))


@reads(
    "check_load_plan",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    doors=(
        Rest("POST", "/v1/loading/check"),
        GraphQL("checkLoadPlan"),
        Mcp("check_load_plan", title="Check a load plan"),
    ),
    errors=QUESTION_ERRORS,
)
async def check_load_plan(call: Call, request: ProposedLoad) -> LoadPlanCheck:
    """Check anybody's plan at departure and after every stop: each broken rule with pieces, space and axle."""
    problem, _ = await load_problem(call, request)
    broken = check_loading_plan(problem, proposed_load(request))
    return LoadPlanCheck(
        result=not broken, input_hash=problem_hash(problem), broken=[broken_load_rule(call, each) for each in broken]
    )


@writes(
    "commit_load_plan",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    doors=(
        Rest("POST", LOAD_PLANS_PATH),
        GraphQL("commitLoadPlan"),
        Mcp("commit_load_plan", title="Commit a load plan"),
    ),
    errors=(*QUESTION_ERRORS, LOAD_PLAN_STALE, LOADING_RULES_BROKEN),
)
async def commit_load_plan(call: Call, request: CommitLoadPlan) -> LoadPlanAnswer:
    """Keep a plan for its route, in place of an earlier one. The same plan again changes nothing."""
    if request.route_id is None:
        raise INVALID_REQUEST.for_fields(FieldError("route_id", "field.load_plan_route"))
    # Why locked: of two plans that come at once, one replaces the other.
    route = await get_visible_route(call, request.route_id, lock=True)
    problem, rows = await load_problem(call, request)
    hash = problem_hash(problem)
    if hash != request.input_hash.lower():
        raise LOAD_PLAN_STALE()
    plan = proposed_load(request)
    if broken := check_loading_plan(problem, plan):
        raise LOADING_RULES_BROKEN(count=len(broken), problem=broken_load_rule(call, broken[0]).message)
    row = await keep_load_plan(call, route.id, (problem, plan), space_codes(rows))
    return await _load_plan(call, row.id)


@reads(
    "list_load_plans",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    doors=(Rest("GET", LOAD_PLANS_PATH), GraphQL("loadPlans")),
)
async def list_load_plans(call: Call, request: ListLoadPlans) -> LoadPlanList:
    """List the load plans that were committed, the newest first."""
    rows, total = await store.list_load_plan_rows(
        call.work, route_id=request.route_id, replaced=request.replaced, limit=request.per_page, offset=request.offset
    )
    shown = [load_plan_summary(call, row) for row in rows]
    return LoadPlanList(total=total, page=request.page, per_page=request.per_page, plans=shown)


@reads(
    "get_load_plan",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    doors=(Rest("GET", LOAD_PLAN_PATH), GraphQL("loadPlan")),
    errors=(NOT_FOUND,),
)
async def get_load_plan(call: Call, request: LoadPlanRef) -> LoadPlanAnswer:
    """Show a load plan: what goes where, step by step, and what weighs on the axles after every stop."""
    return await _load_plan(call, request.load_plan_id)


async def _load_plan(call: Call, load_plan_id: int) -> LoadPlanAnswer:
    row = await get_load_plan_row(call, load_plan_id)
    problem, plan = read_load_plan(row)
    return LoadPlanAnswer(plan=load_plan_detail(call, row, problem, plan))
