"""Operations on load plans."""

from base64 import b64encode
from typing import Any

from haulier.contexts.fleet.public import get_vehicle_rows
from haulier.contexts.routes.public import get_visible_route
from haulier.contexts.warehouse.load_plans import store
from haulier.contexts.warehouse.load_plans.actions import save_load_plan
from haulier.contexts.warehouse.load_plans.contract import (
    CommitLoadPlan,
    CreateLoadSpace,
    GetLoadPicture,
    ListLoadPlans,
    ListLoadSpaces,
    LoadAnswer,
    LoadPicture,
    LoadPlanAnswer,
    LoadPlanCheck,
    LoadPlanList,
    LoadPlanRef,
    LoadSpaceAnswer,
    LoadSpaceList,
    LoadSpaceRef,
    LoadSpaceTerms,
    PlanLoad,
    ProposedLoad,
    UpdateLoadSpace,
)
from haulier.contexts.warehouse.load_plans.errors import (
    LOAD_PLAN_STALE,
    LOAD_SPACE_CODE_TAKEN,
    LOADING_RULES_BROKEN,
    NO_LOAD_SPACES,
    TOO_MANY_PIECES_TO_LOAD,
)
from haulier.contexts.warehouse.load_plans.queries import (
    get_load_plan_row,
    get_load_space_row,
    get_space_vehicles,
    load_problem,
    read_load_plan,
)
from haulier.contexts.warehouse.load_plans.rules import (
    aboard_after,
    boxes_of,
    problem_hash,
    proposed_load,
    repacked_boxes,
    space_faults,
    space_layout,
    stepped_spaces,
)
from haulier.contexts.warehouse.load_plans.serializers import (
    axle_bars,
    broken_load_rule,
    load_answer,
    load_plan_detail,
    load_plan_summary,
    load_space_record,
    space_codes,
    space_picture,
)
from haulier.contexts.warehouse.load_plans.store import LoadSpaceRow
from haulier.contexts.warehouse.packing.contract.plans import BrokenStepRule, PlanSteps
from haulier.contexts.warehouse.packing.errors import PIECE_WITHOUT_SIZE
from haulier.contexts.warehouse.packing.queries import find_orders_of_pieces
from haulier.contexts.warehouse.ports import LoadingSearch, LoadingSolver
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UniqueConflict
from haulier.kernel.operations.answers import Done
from haulier.kernel.operations.declaration import GraphQL, Mcp, Representation, Representations, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, NOT_FOUND, FieldError, record_not_found
from haulier.rendering.axle_bars import draw_axle_bars
from haulier.rendering.packing_pictures import draw_isometric, draw_layers
from haulier.solvers.loading.checker import check_loading_plan
from haulier.solvers.packing.budget import PackingBudget

LOAD_PLANS_PATH = "/v1/loading/plans"
LOAD_PLAN_PATH = f"{LOAD_PLANS_PATH}/{{load_plan_id}}"
QUESTION_ERRORS = (NOT_FOUND, NO_LOAD_SPACES, PIECE_WITHOUT_SIZE, TOO_MANY_PIECES_TO_LOAD)


@reads(
    "load",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    interfaces=(Rest("POST", "/v1/loading/load"), GraphQL("load"), Mcp("load", title="Plan a load")),
    errors=QUESTION_ERRORS,
)
async def plan_load(call: Call, request: PlanLoad) -> LoadAnswer:
    """Plan the load of vehicles, containers or pallets.

    Returns the place and order of each item, and the items left behind with the reason. Nothing is stored.
    """
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
    interfaces=(
        Rest("POST", "/v1/loading/check"),
        GraphQL("checkLoadPlan"),
        Mcp("check_load_plan", title="Check a load plan"),
    ),
    errors=QUESTION_ERRORS,
)
async def check_load_plan(call: Call, request: ProposedLoad) -> LoadPlanCheck:
    """Check a load plan against every rule.

    Checks any plan at departure and after every stop. Returns each broken rule with items, space and axle.
    """
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
    interfaces=(
        Rest("POST", LOAD_PLANS_PATH),
        GraphQL("commitLoadPlan"),
        Mcp("commit_load_plan", title="Commit a load plan"),
    ),
    errors=(*QUESTION_ERRORS, LOAD_PLAN_STALE, LOADING_RULES_BROKEN),
)
async def commit_load_plan(call: Call, request: CommitLoadPlan) -> LoadPlanAnswer:
    """Save a load plan for its route.

    Replaces an earlier plan of the route. Saving the same plan again changes nothing.
    """
    if request.route_id is None:
        raise INVALID_REQUEST.for_fields(FieldError("route_id", "field.load_plan_route"))
    # Lock the route: of two concurrent plans, one replaces the other.
    route = await get_visible_route(call, request.route_id, lock=True)
    problem, rows = await load_problem(call, request)
    hash = problem_hash(problem)
    if hash != request.input_hash.lower():
        raise LOAD_PLAN_STALE()
    plan = proposed_load(request)
    if broken := check_loading_plan(problem, plan):
        raise LOADING_RULES_BROKEN(count=len(broken), problem=broken_load_rule(call, broken[0]).message)
    row = await save_load_plan(call, route.id, (problem, plan), space_codes(rows))
    return await _load_plan(call, row.id)


@reads(
    "list_load_plans",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    interfaces=(Rest("GET", LOAD_PLANS_PATH), GraphQL("loadPlans")),
)
async def list_load_plans(call: Call, request: ListLoadPlans) -> LoadPlanList:
    """List saved load plans, newest first."""
    rows, total = await store.list_load_plan_rows(
        call.work, route_id=request.route_id, replaced=request.replaced, limit=request.per_page, offset=request.offset
    )
    shown = [load_plan_summary(call, row) for row in rows]
    return LoadPlanList(total=total, page=request.page, per_page=request.per_page, plans=shown)


@reads(
    "get_load_plan",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    interfaces=(Rest("GET", LOAD_PLAN_PATH), GraphQL("loadPlan")),
    errors=(NOT_FOUND,),
)
async def get_load_plan(call: Call, request: LoadPlanRef) -> LoadPlanAnswer:
    """Get a load plan.

    Returns the place of each item, step by step, and the axle loads after every stop.
    """
    return await _load_plan(call, request.load_plan_id)


async def _load_plan(call: Call, load_plan_id: int) -> LoadPlanAnswer:
    row = await get_load_plan_row(call, load_plan_id)
    problem, plan = read_load_plan(row)
    return LoadPlanAnswer(plan=load_plan_detail(call, row, problem, plan))


SVG = "image/svg+xml"


@reads(
    "get_load_picture",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    interfaces=(
        Rest(
            "GET",
            f"{LOAD_PLAN_PATH}/picture",
            representations=Representations(
                (Representation(SVG, "svg"),), data_field="document", media_type_field="media_type"
            ),
        ),
        GraphQL("loadPicture"),
    ),
    errors=(NOT_FOUND,),
)
async def get_load_picture(call: Call, request: GetLoadPicture) -> LoadPicture:
    """Draw a cargo space of a load plan.

    Draws the whole space, its first loading steps, its contents after a stop, or its axle loads.
    """
    row = await get_load_plan_row(call, request.load_plan_id)
    problem, plan = read_load_plan(row)
    if request.space > len(plan.spaces):
        raise record_not_found(space=request.space)
    kind = plan.spaces[request.space - 1]
    space = next(each for each in problem.spaces if each.id == kind)
    boxes, title = boxes_of(problem, plan, request.space - 1), f"{request.space}: {row.plan['codes'][kind]}"
    repacked = repacked_boxes(plan, boxes)
    if request.view == "axles":
        drawn = draw_axle_bars(title, axle_bars(call, space, boxes, repacked))
    else:
        draw = draw_isometric if request.view == "isometric" else draw_layers
        fixed = call.translate("load_obstacle")
        aboard = aboard_after(boxes, repacked, request.after_stop)
        drawn = draw(space_picture(space, aboard, title, fixed, request.colour, request.steps))
    return LoadPicture(
        space=request.space, view=request.view, media_type=SVG, document=b64encode(drawn.encode()).decode()
    )


SPACES_PATH = "/v1/loading/spaces"
SPACE_PATH = f"{SPACES_PATH}/{{load_space_id}}"
NOT_COLUMNS = {"doors", "obstacles", "axles", "balance", "reach", "vehicle_ids"}


@reads(
    "list_load_spaces",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    interfaces=(Rest("GET", SPACES_PATH), GraphQL("loadSpaces")),
)
async def list_load_spaces(call: Call, request: ListLoadSpaces) -> LoadSpaceList:
    """List cargo spaces by code."""
    rows, total = await store.list_load_space_rows(
        call.work, inactive=request.inactive, limit=request.per_page, offset=request.offset
    )
    vehicles = await get_space_vehicles(call, [row.id for row in rows])
    shown = [load_space_record(call, row, vehicles[row.id]) for row in rows]
    return LoadSpaceList(total=total, page=request.page, per_page=request.per_page, load_spaces=shown)


@reads(
    "get_load_space",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    interfaces=(Rest("GET", SPACE_PATH), GraphQL("loadSpace")),
    errors=(NOT_FOUND,),
)
async def get_load_space(call: Call, request: LoadSpaceRef) -> LoadSpaceAnswer:
    """Get a cargo space."""
    return await _load_space(call, request.load_space_id)


@writes(
    "create_load_space",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", SPACES_PATH), GraphQL("createLoadSpace")),
    errors=(LOAD_SPACE_CODE_TAKEN,),
)
async def create_load_space(call: Call, request: CreateLoadSpace) -> LoadSpaceAnswer:
    """Create a cargo space for load plans.

    A cargo space is a vehicle body, trailer, container, pallet or aircraft unit.
    """
    values = await _values(call, request)
    try:
        async with call.work.savepoint():
            id = await LoadSpaceRow.insert(
                call.work, **values, code=request.code, created_at=call.now, updated_at=call.now
            )
    except UniqueConflict:
        raise LOAD_SPACE_CODE_TAKEN(code=request.code) from None
    await store.set_space_vehicles(call.work, id, request.vehicle_ids)
    call.add_audit_subjects("load_space", id)
    return await _load_space(call, id)


@writes(
    "update_load_space",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("PUT", SPACE_PATH), GraphQL("updateLoadSpace")),
    errors=(NOT_FOUND,),
)
async def update_load_space(call: Call, request: UpdateLoadSpace) -> LoadSpaceAnswer:
    """Replace a cargo space.

    Omitted fields are reset to their defaults. Saved plans keep the old sizes.
    """
    await get_load_space_row(call, request.load_space_id)
    values = await _values(call, request)
    await LoadSpaceRow.update(call.work, request.load_space_id, {**values, "updated_at": call.now})
    await store.set_space_vehicles(call.work, request.load_space_id, request.vehicle_ids)
    call.add_audit_subjects("load_space", request.load_space_id)
    return await _load_space(call, request.load_space_id)


@writes(
    "delete_load_space",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("DELETE", SPACE_PATH), GraphQL("deleteLoadSpace")),
    errors=(NOT_FOUND,),
)
async def delete_load_space(call: Call, request: LoadSpaceRef) -> Done:
    """Delete a cargo space.

    Saved plans are kept.
    """
    if not await store.delete_load_space_row(call.work, request.load_space_id):
        raise record_not_found(load_space_id=request.load_space_id)
    call.add_audit_subjects("load_space", request.load_space_id)
    return Done(message=call.translate("load_space_deleted"))


async def _load_space(call: Call, load_space_id: int) -> LoadSpaceAnswer:
    row = await get_load_space_row(call, load_space_id)
    vehicles = await get_space_vehicles(call, [row.id])
    return LoadSpaceAnswer(load_space=load_space_record(call, row, vehicles[row.id]))


async def _values(call: Call, terms: LoadSpaceTerms) -> dict[str, Any]:
    faults = space_faults(terms)
    known = await get_vehicle_rows(call, terms.vehicle_ids) if terms.vehicle_ids else {}
    faults += [
        FieldError(f"vehicle_ids.{place}", "field.vehicle_unknown")
        for place, id in enumerate(sorted(terms.vehicle_ids))
        if id not in known
    ]
    if faults:
        raise INVALID_REQUEST.for_fields(*faults)
    plain = terms.model_dump(include=set(LoadSpaceTerms.model_fields) - NOT_COLUMNS)
    return {**plain, "layout": space_layout(terms)}


@reads(
    "get_load_steps",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    interfaces=(Rest("GET", f"{LOAD_PLAN_PATH}/steps"), GraphQL("loadSteps")),
    errors=(NOT_FOUND,),
)
async def get_load_steps(call: Call, request: LoadPlanRef) -> PlanSteps:
    """Get the steps of a load plan.

    Returns the contents and axle loads after each item and after each stop.
    """
    row = await get_load_plan_row(call, request.load_plan_id)
    problem, plan = read_load_plan(row)
    spaces = stepped_spaces(problem, plan, row.plan["codes"], await find_orders_of_pieces(call, problem.pieces))
    return PlanSteps(result=True, input_hash=row.input_hash, spaces=spaces, broken=[])


@reads(
    "follow_load_plan",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    interfaces=(Rest("POST", "/v1/loading/steps"), GraphQL("followLoadPlan")),
    errors=QUESTION_ERRORS,
)
async def follow_load_plan(call: Call, request: ProposedLoad) -> PlanSteps:
    """Get the steps of a proposed load plan.

    Returns every broken rule. Nothing is stored.
    """
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
