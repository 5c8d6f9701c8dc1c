"""Plan searches: listed, shown, followed, ended, and their plans kept."""

from haulier.contexts.routes.public import get_visible_route
from haulier.contexts.warehouse.events import PlanSearchEnded
from haulier.contexts.warehouse.load_plans.actions import keep_load_plan
from haulier.contexts.warehouse.load_plans.contract.plans import LoadingQuestion
from haulier.contexts.warehouse.load_plans.errors import LOAD_PLAN_STALE
from haulier.contexts.warehouse.load_plans.queries import load_problem as load_loading_problem
from haulier.contexts.warehouse.load_plans.rules.problems import problem_hash
from haulier.contexts.warehouse.load_plans.serializers import load_plan_detail
from haulier.contexts.warehouse.packing.actions import keep_packing_plan, lock_packing_subject
from haulier.contexts.warehouse.packing.contract.plans import PackingQuestion
from haulier.contexts.warehouse.packing.errors import PACKING_PLAN_STALE
from haulier.contexts.warehouse.packing.queries import load_problem as load_packing_problem
from haulier.contexts.warehouse.packing.rules.problems import input_hash
from haulier.contexts.warehouse.packing.serializers import plan_detail
from haulier.contexts.warehouse.plan_searches import store
from haulier.contexts.warehouse.plan_searches.contract.answers import (
    CommittedSearch,
    PlanSearchAnswer,
    PlanSearchList,
    PlanSearchSteps,
)
from haulier.contexts.warehouse.plan_searches.contract.requests import (
    SEARCH_PIECES_MAX,
    CommitPlanSearch,
    ListPlanSearches,
    ListPlanSearchSteps,
    PlanSearchRef,
)
from haulier.contexts.warehouse.plan_searches.errors import PLAN_SEARCH_IS_OVER, PLAN_SEARCH_NOT_READY
from haulier.contexts.warehouse.plan_searches.jobs import PLAN_SEARCH_CHANNEL, record_search_step
from haulier.contexts.warehouse.plan_searches.queries import get_search_row
from haulier.contexts.warehouse.plan_searches.rules.kinds import PlanSearchKind, read_document
from haulier.contexts.warehouse.plan_searches.rules.lifecycle import (
    ACTIVE_STATES,
    PLAN_SEARCH_LIFE,
    PlanSearchAction,
    PlanSearchState,
    effective_state,
)
from haulier.contexts.warehouse.plan_searches.serializers import search_detail, search_step, search_summary
from haulier.contexts.warehouse.plan_searches.store import SearchRow
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import EventStream, GraphQL, Mcp, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, NOT_FOUND, FieldError, OperationError
from haulier.kernel.values.pagination import make_cursor, parse_cursor

SEARCHES_PATH = "/v1/plan-searches"
SEARCH_PATH = f"{SEARCHES_PATH}/{{plan_search_id}}"
STEPS_PER_PAGE = 50
SEARCH_STREAM = EventStream(f"{SEARCH_PATH}/stream", PLAN_SEARCH_CHANNEL, "plan_search_id", "steps", of_client=True)


@reads(
    "list_plan_searches",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    doors=(Rest("GET", SEARCHES_PATH), GraphQL("planSearches")),
)
async def list_plan_searches(call: Call, request: ListPlanSearches) -> PlanSearchList:
    """List searches for packing and load plans, the newest first, without their plans."""
    filters = {"of_kind": request.kind, "standing": request.state}
    given = {name: value for name, value in filters.items() if value is not None}
    rows, total = await store.list_searches(call.work, given, limit=request.per_page, offset=request.offset)
    shown = [search_summary(call, row) for row in rows]
    return PlanSearchList(total=total, page=request.page, per_page=request.per_page, searches=shown)


@reads(
    "get_plan_search",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    doors=(Rest("GET", SEARCH_PATH), GraphQL("planSearch"), Mcp("get_plan_search", title="Read a plan search")),
    errors=(NOT_FOUND,),
)
async def get_plan_search(call: Call, request: PlanSearchRef) -> PlanSearchAnswer:
    """Show how far a search is, and the best plan so far. Ask at any time."""
    return PlanSearchAnswer(search=search_detail(call, await get_search_row(call, request.plan_search_id)))


@reads(
    "list_plan_search_steps",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    doors=(Rest("GET", f"{SEARCH_PATH}/steps", event_stream=SEARCH_STREAM), GraphQL("planSearchSteps")),
    errors=(NOT_FOUND,),
)
async def list_plan_search_steps(call: Call, request: ListPlanSearchSteps) -> PlanSearchSteps:
    """The steps by which a plan gets better, as a list that can be continued.

    At `/stream` instead of `/steps` they are pushed as server-sent events. The last has the state in which the search ended.
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
    allowed_where={"state": PLAN_SEARCH_LIFE.allowing(PlanSearchAction.CANCEL)},
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.LOW,
    doors=(Rest("POST", f"{SEARCH_PATH}/cancel"), GraphQL("cancelPlanSearch")),
    errors=(NOT_FOUND, PLAN_SEARCH_IS_OVER),
)
async def cancel_plan_search(call: Call, request: PlanSearchRef) -> PlanSearchAnswer:
    """End a search. The best plan so far stays, and may be kept. Repeating it changes nothing."""
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
    allowed_where={"state": frozenset(PlanSearchState) - ACTIVE_STATES},
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    doors=(
        Rest("POST", f"{SEARCH_PATH}/commit"),
        GraphQL("commitPlanSearch"),
        Mcp("commit_plan_search", title="Keep the plan of a search"),
    ),
    errors=(NOT_FOUND, PLAN_SEARCH_NOT_READY, PACKING_PLAN_STALE, LOAD_PLAN_STALE),
)
async def commit_plan_search(call: Call, request: CommitPlanSearch) -> CommittedSearch:
    """Keep the plan of a search for an order, a shipment or the route of its question. Repeating it changes nothing.

    A plan whose pieces, rules, cartons or spaces have changed since is refused.
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
    kept = await keep_packing_plan(call, subject, (problem, plan), row.codes)
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
    kept = await keep_load_plan(call, route.id, (problem, plan), row.codes)
    return CommittedSearch(packing_plan=None, load_plan=load_plan_detail(call, kept, problem, plan))
