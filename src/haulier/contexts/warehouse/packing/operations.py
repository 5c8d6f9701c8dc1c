"""Packing plans: asked for, checked, committed, listed and shown."""

from typing import Any

from haulier.contexts.orders.public import find_orders_by_reference
from haulier.contexts.warehouse.packing.actions import keep_packing_plan, lock_packing_subject
from haulier.contexts.warehouse.packing.contract.plans import (
    CommitPackingPlan,
    ListPackingPlans,
    Pack,
    PackingAnswer,
    PackingCheck,
    PackingPlanAnswer,
    PackingPlanList,
    PackingPlanRef,
    ProposedPlan,
)
from haulier.contexts.warehouse.packing.errors import (
    NO_CARTONS,
    PACKING_NOT_FOUND_IN_TIME,
    PACKING_PLAN_STALE,
    PACKING_RULES_BROKEN,
    PIECE_WITHOUT_SIZE,
    TOO_MANY_PIECES,
)
from haulier.contexts.warehouse.packing.queries import get_packing_plan_row, load_problem, read_plan
from haulier.contexts.warehouse.packing.rules.problems import input_hash, proposed_plan
from haulier.contexts.warehouse.packing.serializers import (
    broken_rule,
    carton_codes,
    packing_answer,
    plan_detail,
    plan_summary,
)
from haulier.contexts.warehouse.packing.store import plans as store
from haulier.contexts.warehouse.ports import PackingSearch, PackingSolver
from haulier.contexts.warehouse.stock.errors import UNKNOWN_SKU
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Mcp, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, NOT_FOUND, FieldError
from haulier.solvers.packing.budget import PackingBudget
from haulier.solvers.packing.checker import check_plan

PLANS_PATH = "/v1/packing/plans"
PLAN_PATH = f"{PLANS_PATH}/{{plan_id}}"
QUESTION_ERRORS = (NOT_FOUND, UNKNOWN_SKU, NO_CARTONS, PIECE_WITHOUT_SIZE, TOO_MANY_PIECES)


@reads(
    "pack",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    doors=(Rest("POST", "/v1/packing/pack"), GraphQL("pack"), Mcp("pack", title="Choose cartons")),
    errors=(*QUESTION_ERRORS, PACKING_NOT_FOUND_IN_TIME),
)
async def pack(call: Call, request: Pack) -> PackingAnswer:
    """Choose cartons for pieces and say what goes where: least outer volume, then fewest cartons, then least cost."""
    problem, rows = await load_problem(call, request)
    budget = PackingBudget(steps=request.steps) if request.steps else PackingBudget(seconds=request.seconds)
    search = PackingSearch(problem=problem, budget=budget, seed=request.seed)
    plan = await call.app.adapter(PackingSolver).solve(search)
    if plan is None:
        raise PACKING_NOT_FOUND_IN_TIME()
    if broken := check_plan(problem, plan):
        raise RuntimeError(f"an engine broke rules of packing: {broken}")
    return packing_answer(call, problem, plan, carton_codes(rows))


@reads(
    "check_packing_plan",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    doors=(
        Rest("POST", "/v1/packing/check"),
        GraphQL("checkPackingPlan"),
        Mcp("check_packing_plan", title="Check a packing plan"),
    ),
    errors=QUESTION_ERRORS,
)
async def check_packing_plan(call: Call, request: ProposedPlan) -> PackingCheck:
    """Check anybody's plan: every broken rule with the pieces and the carton. Nothing is stored."""
    problem, _ = await load_problem(call, request)
    broken = check_plan(problem, proposed_plan(request.cartons, request.placements))
    return PackingCheck(
        result=not broken, input_hash=input_hash(problem), broken=[broken_rule(call, each) for each in broken]
    )


@writes(
    "commit_packing_plan",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    doors=(
        Rest("POST", PLANS_PATH),
        GraphQL("commitPackingPlan"),
        Mcp("commit_packing_plan", title="Commit a packing plan"),
    ),
    errors=(*QUESTION_ERRORS, PACKING_PLAN_STALE, PACKING_RULES_BROKEN),
)
async def commit_packing_plan(call: Call, request: CommitPackingPlan) -> PackingPlanAnswer:
    """Keep a plan for an order or a shipment, in place of an earlier one. The same plan again changes nothing."""
    subject = await lock_packing_subject(call, request.order_id, request.shipment_id)
    problem, rows = await load_problem(call, request)
    hash = input_hash(problem)
    if hash != request.input_hash.lower():
        raise PACKING_PLAN_STALE()
    plan = proposed_plan(request.cartons, request.placements)
    if broken := check_plan(problem, plan):
        raise PACKING_RULES_BROKEN(count=len(broken), problem=broken_rule(call, broken[0]).message)
    row = await keep_packing_plan(call, subject, (problem, plan), carton_codes(rows))
    return await _load_plan(call, row.id)


@reads(
    "list_packing_plans",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    doors=(Rest("GET", PLANS_PATH), GraphQL("packingPlans")),
)
async def list_packing_plans(call: Call, request: ListPackingPlans) -> PackingPlanList:
    """List the plans that were committed, the newest first."""
    if request.order_id is not None and request.shipment_id is not None:
        raise INVALID_REQUEST.for_fields(FieldError("shipment_id", "field.packing_subject"))
    wanted: dict[str, Any] = {}
    for subject, id in (("order", request.order_id), ("shipment", request.shipment_id)):
        if id is not None:
            wanted = {"subject": subject, "subject_id": id}
    orders = None
    if request.reference is not None:
        wanted = {"subject": "order", **wanted}
        orders = [order.id for order in await find_orders_by_reference(call, request.reference)]
    rows, total = await store.list_plan_rows(
        call.work, wanted, subject_ids=orders, replaced=request.replaced, limit=request.per_page, offset=request.offset
    )
    shown = [plan_summary(call, row) for row in rows]
    return PackingPlanList(total=total, page=request.page, per_page=request.per_page, plans=shown)


@reads(
    "get_packing_plan",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    doors=(Rest("GET", PLAN_PATH), GraphQL("packingPlan")),
    errors=(NOT_FOUND,),
)
async def get_packing_plan(call: Call, request: PackingPlanRef) -> PackingPlanAnswer:
    """Show a plan with what goes where, in steps."""
    return await _load_plan(call, request.plan_id)


async def _load_plan(call: Call, plan_id: int) -> PackingPlanAnswer:
    row = await get_packing_plan_row(call, plan_id)
    return PackingPlanAnswer(plan=plan_detail(call, row, *read_plan(row)))
