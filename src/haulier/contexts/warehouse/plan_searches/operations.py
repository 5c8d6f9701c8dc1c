"""Operations on plan searches."""

from typing import Any

import msgspec
from msgspec.structs import replace

from haulier.contexts.routes.public import get_visible_route
from haulier.contexts.warehouse.events import PlanSearchEnded
from haulier.contexts.warehouse.load_plans.actions import save_load_plan
from haulier.contexts.warehouse.load_plans.contract import LoadingQuestion
from haulier.contexts.warehouse.load_plans.errors import LOAD_PLAN_STALE, NO_LOAD_SPACES, TOO_MANY_PIECES_TO_LOAD
from haulier.contexts.warehouse.load_plans.queries import load_problem as load_loading_problem
from haulier.contexts.warehouse.load_plans.rules import problem_hash
from haulier.contexts.warehouse.load_plans.serializers import load_plan_detail, space_codes
from haulier.contexts.warehouse.packing.actions import lock_packing_subject, save_packing_plan
from haulier.contexts.warehouse.packing.contract.plans import PackingQuestion
from haulier.contexts.warehouse.packing.errors import (
    NO_CARTONS,
    PIECE_WITHOUT_SIZE,
    TOO_MANY_PIECES,
)
from haulier.contexts.warehouse.packing.queries import list_carton_kinds, load_filling
from haulier.contexts.warehouse.packing.queries import load_problem as load_packing_problem
from haulier.contexts.warehouse.packing.rules import input_hash
from haulier.contexts.warehouse.packing.serializers import carton_codes, plan_detail
from haulier.contexts.warehouse.picking.errors import PACKING_PLAN_STALE
from haulier.contexts.warehouse.plan_searches import store
from haulier.contexts.warehouse.plan_searches.actions import stocking_problem
from haulier.contexts.warehouse.plan_searches.contract import (
    SEARCH_PIECES_MAX,
    CommitPlanSearch,
    CommittedSearch,
    ListPlanSearches,
    ListPlanSearchSteps,
    PlanSearchAnswer,
    PlanSearchList,
    PlanSearchRef,
    PlanSearchSteps,
    SearchBudgetFields,
    StartCartonAdvice,
    StartLoadSearch,
    StartPackingSearch,
)
from haulier.contexts.warehouse.plan_searches.errors import NO_SIZED_ORDERS, PLAN_SEARCH_IS_OVER, PLAN_SEARCH_NOT_READY
from haulier.contexts.warehouse.plan_searches.jobs import (
    PLAN_SEARCH_CHANNEL,
    PLAN_SEARCH_JOB,
    RunPlanSearch,
    record_search_step,
)
from haulier.contexts.warehouse.plan_searches.queries import get_search_row, load_order_history
from haulier.contexts.warehouse.plan_searches.rules import (
    ACTIVE_STATES,
    PLAN_SEARCH_LIFE,
    PlanSearchAction,
    PlanSearchKind,
    PlanSearchState,
    effective_state,
    order_shapes,
    pieces_in,
    read_document,
    stocking_hash,
)
from haulier.contexts.warehouse.plan_searches.serializers import search_detail, search_step, search_summary
from haulier.contexts.warehouse.plan_searches.store import SearchRow
from haulier.contexts.warehouse.stock.errors import UNKNOWN_SKU
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import EventStream, GraphQL, Mcp, RateLimit, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, NOT_FOUND, FieldError, OperationError, record_not_found
from haulier.kernel.values.pagination import make_cursor, parse_cursor

SEARCHES_PATH = "/v1/plan-searches"
SEARCH_PATH = f"{SEARCHES_PATH}/{{plan_search_id}}"
STEPS_PER_PAGE = 50
SEARCH_STREAM = EventStream(f"{SEARCH_PATH}/stream", PLAN_SEARCH_CHANNEL, "plan_search_id", "steps", of_client=True)


@reads(
    "list_plan_searches",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    interfaces=(Rest("GET", SEARCHES_PATH), GraphQL("planSearches")),
)
async def list_plan_searches(call: Call, request: ListPlanSearches) -> PlanSearchList:
    """List plan searches, newest first.

    Returns them without their plans.
    """
    filters = {"of_kind": request.kind, "standing": request.state}
    given = {name: value for name, value in filters.items() if value is not None}
    rows, total = await store.list_searches(call.work, given, limit=request.per_page, offset=request.offset)
    shown = [search_summary(call, row) for row in rows]
    return PlanSearchList(total=total, page=request.page, per_page=request.per_page, searches=shown)


@reads(
    "get_plan_search",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    interfaces=(Rest("GET", SEARCH_PATH), GraphQL("planSearch"), Mcp("get_plan_search", title="Get a plan search")),
    errors=(NOT_FOUND,),
)
async def get_plan_search(call: Call, request: PlanSearchRef) -> PlanSearchAnswer:
    """Get a plan search.

    Returns its progress and the best plan so far. Call it at any time.
    """
    return PlanSearchAnswer(search=search_detail(call, await get_search_row(call, request.plan_search_id)))


@reads(
    "list_plan_search_steps",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    interfaces=(Rest("GET", f"{SEARCH_PATH}/steps", event_stream=SEARCH_STREAM), GraphQL("planSearchSteps")),
    errors=(NOT_FOUND,),
)
async def list_plan_search_steps(call: Call, request: ListPlanSearchSteps) -> PlanSearchSteps:
    """List the improvements of a plan search.

    Use the cursor to continue. `/stream` instead of `/steps` pushes them as server-sent events. The last step has the
    state in which the search ended.
    """
    row = await get_search_row(call, request.plan_search_id)
    after = parse_cursor(request.cursor, tuple[int])[0] if request.cursor else 0
    rows = await store.list_steps(call.work, row.id, after, STEPS_PER_PAGE + 1)
    page = rows[:STEPS_PER_PAGE]
    return PlanSearchSteps(
        plan_search_id=row.id,
        steps=[search_step(call, step, PlanSearchKind(row.kind)) for step in page],
        next_cursor=make_cursor(page[-1].number) if page else request.cursor,
        more=len(rows) > len(page),
    )


@writes(
    "cancel_plan_search",
    available_when={"state": PLAN_SEARCH_LIFE.allowing(PlanSearchAction.CANCEL)},
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.LOW,
    interfaces=(Rest("POST", f"{SEARCH_PATH}/cancel"), GraphQL("cancelPlanSearch")),
    errors=(NOT_FOUND, PLAN_SEARCH_IS_OVER),
)
async def cancel_plan_search(call: Call, request: PlanSearchRef) -> PlanSearchAnswer:
    """Cancel a plan search.

    The best plan so far can still be saved. Repeating the call changes nothing.
    """
    row = await get_search_row(call, request.plan_search_id, lock=True)
    if row.state != PlanSearchState.CANCELLED:
        state = effective_state(row.state, row.job_state)
        cancelled = PLAN_SEARCH_LIFE.next_status_or_raise(PlanSearchAction.CANCEL, state)
        number = row.improvements + 1
        over = {"state": cancelled, "updated_at": call.now, "finished_at": call.now, "improvements": number}
        await store.update_search(call.work, row.id, **over)
        await record_search_step(call, row.id, number, cancelled, row.score)
        await call.publish(PlanSearchEnded(plan_search_id=row.id, kind=row.kind, state=cancelled))
    call.add_audit_subjects("plan_search", row.id)
    return PlanSearchAnswer(search=search_detail(call, await get_search_row(call, row.id)))


@writes(
    "commit_plan_search",
    available_when={"state": frozenset(PlanSearchState) - ACTIVE_STATES},
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(
        Rest("POST", f"{SEARCH_PATH}/commit"),
        GraphQL("commitPlanSearch"),
        Mcp("commit_plan_search", title="Save the plan of a search"),
    ),
    errors=(NOT_FOUND, PLAN_SEARCH_NOT_READY, PACKING_PLAN_STALE, LOAD_PLAN_STALE),
)
async def commit_plan_search(call: Call, request: CommitPlanSearch) -> CommittedSearch:
    """Save the plan of a search.

    The plan is saved for an order, a shipment, or the route of its request. Repeating the call changes nothing. A plan
    whose items, rules, cartons or spaces have changed since is rejected.
    """
    row = await get_search_row(call, request.plan_search_id)
    state = effective_state(row.state, row.job_state)
    if state in ACTIVE_STATES or not row.plan or not (row.score and row.score["objective"]):
        raise PLAN_SEARCH_NOT_READY()
    if row.kind == PlanSearchKind.STOCKING:
        raise INVALID_REQUEST.for_fields(FieldError("plan_search_id", "field.advice_is_no_plan"))
    call.add_audit_subjects("plan_search", row.id)
    if row.kind == PlanSearchKind.PACKING:
        return await _commit_packing(call, request, row)
    return await _commit_loading(call, request, row)


async def _commit_packing(call: Call, request: CommitPlanSearch, row: SearchRow) -> CommittedSearch:
    subject = await lock_packing_subject(call, request.order_id, request.shipment_id)
    question = PackingQuestion.model_validate(row.request)
    try:
        problem, _ = await load_packing_problem(call, question, most=SEARCH_PIECES_MAX)
    except OperationError:
        raise PACKING_PLAN_STALE() from None
    if input_hash(problem) != row.input_hash:
        raise PACKING_PLAN_STALE()
    _, plan = read_document(PlanSearchKind.PACKING, row.problem, row.plan)
    kept = await save_packing_plan(call, subject, (problem, plan), row.codes)
    return CommittedSearch(packing_plan=plan_detail(call, kept, problem, plan), load_plan=None)


async def _commit_loading(call: Call, request: CommitPlanSearch, row: SearchRow) -> CommittedSearch:
    if request.order_id is not None or request.shipment_id is not None:
        raise INVALID_REQUEST.for_fields(FieldError("order_id", "field.load_plan_route"))
    question = LoadingQuestion.model_validate(row.request)
    if question.route_id is None:
        raise INVALID_REQUEST.for_fields(FieldError("plan_search_id", "field.load_plan_route"))
    route = await get_visible_route(call, question.route_id, lock=True)
    try:
        problem, _ = await load_loading_problem(call, question, most=SEARCH_PIECES_MAX)
    except OperationError:
        raise LOAD_PLAN_STALE() from None
    if problem_hash(problem) != row.input_hash:
        raise LOAD_PLAN_STALE()
    _, plan = read_document(PlanSearchKind.LOADING, row.problem, row.plan)
    kept = await save_load_plan(call, route.id, (problem, plan), row.codes)
    return CommittedSearch(packing_plan=None, load_plan=load_plan_detail(call, kept, problem, plan))


SEARCHES_A_MINUTE = RateLimit(60, 60, ("user",))


@writes(
    "start_packing_search",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.LOW,
    limits=(SEARCHES_A_MINUTE,),
    interfaces=(
        Rest("POST", "/v1/packing/searches"),
        GraphQL("startPackingSearch"),
        Mcp("start_packing_search", title="Start a packing search"),
    ),
    errors=(NOT_FOUND, UNKNOWN_SKU, NO_CARTONS, PIECE_WITHOUT_SIZE, TOO_MANY_PIECES),
)
async def start_packing_search(call: Call, request: StartPackingSearch) -> PlanSearchAnswer:
    """Start a background search for a packing plan.

    `get_plan_search` returns the best plan so far.
    """
    problem, rows = await load_packing_problem(call, request, most=SEARCH_PIECES_MAX)
    return await start_search(call, PlanSearchKind.PACKING, request, problem, carton_codes(rows), input_hash(problem))


@writes(
    "start_load_search",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.LOW,
    limits=(SEARCHES_A_MINUTE,),
    interfaces=(
        Rest("POST", "/v1/loading/searches"),
        GraphQL("startLoadSearch"),
        Mcp("start_load_search", title="Start a load search"),
    ),
    errors=(NOT_FOUND, NO_LOAD_SPACES, PIECE_WITHOUT_SIZE, TOO_MANY_PIECES_TO_LOAD),
)
async def start_load_search(call: Call, request: StartLoadSearch) -> PlanSearchAnswer:
    """Start a background search for a load plan.

    `get_plan_search` returns the best plan so far.
    """
    problem, rows = await load_loading_problem(call, request, most=SEARCH_PIECES_MAX)
    return await start_search(call, PlanSearchKind.LOADING, request, problem, space_codes(rows), problem_hash(problem))


async def start_search(
    call: Call, kind: PlanSearchKind, request: SearchBudgetFields, problem: Any, codes: dict[str, str], hash: str
) -> PlanSearchAnswer:
    """Insert a search and enqueue it."""
    asked = request.model_dump(mode="json", exclude=set(SearchBudgetFields.model_fields))
    plan_search_id = await store.insert_search(
        call.work,
        kind=kind,
        request=asked,
        problem=msgspec.to_builtins(problem),
        codes=codes,
        input_hash=hash,
        pieces=pieces_in(problem),
        seconds=request.seconds,
        steps=request.steps,
        seed=request.seed,
        created_at=call.now,
        created_by=call.actor,
        updated_at=call.now,
    )
    job_id = await call.enqueue(PLAN_SEARCH_JOB, RunPlanSearch(plan_search_id))
    await store.update_search(call.work, plan_search_id, job_id=job_id)
    call.add_audit_subjects("plan_search", plan_search_id)
    answer = PlanSearchAnswer(search=search_detail(call, await get_search_row(call, plan_search_id)))
    if call.dry_run:
        answer.search.id = None
    return answer


@writes(
    "start_carton_advice",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.LOW,
    limits=(SEARCHES_A_MINUTE,),
    interfaces=(
        Rest("POST", "/v1/packing/carton-advice"),
        GraphQL("startCartonAdvice"),
        Mcp("start_carton_advice", title="Start a carton advice"),
    ),
    errors=(NOT_FOUND, NO_SIZED_ORDERS),
)
async def start_carton_advice(call: Call, request: StartCartonAdvice) -> PlanSearchAnswer:
    """Start a background search for cartons to stock.

    Finds a few kinds of cartons that take a period's orders, one carton each, at the lowest total. `get_plan_search`
    returns the best advice so far: the cartons, the saving against the catalogue, and the orders that fit into none.
    """
    faults = []
    if request.to_day < request.from_day:
        faults.append(FieldError("to_day", "field.advice_days"))
    if len(request.keep_carton_ids) > request.most:
        faults.append(FieldError("keep_carton_ids", "field.advice_keeps", {"most": request.most}))
    if faults:
        raise INVALID_REQUEST.for_fields(*faults)
    kinds, codes = await list_carton_kinds(call)
    for carton_id in sorted(request.keep_carton_ids):
        if str(carton_id) not in codes:
            raise record_not_found(keep_carton_ids=carton_id)
    rule = await load_filling(call, request, fragile_cushion_mm=0)
    history = await load_order_history(call, request.from_day, request.to_day)
    if not history.orders:
        raise NO_SIZED_ORDERS()
    shapes = order_shapes(history.orders)
    problem = stocking_problem(request, shapes, kinds, rule)
    problem = replace(problem, without_size=history.without_size, is_cut=history.is_cut)
    return await start_search(call, PlanSearchKind.STOCKING, request, problem, codes, stocking_hash(problem))
