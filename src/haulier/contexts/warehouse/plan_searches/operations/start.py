"""Plan searches begin."""

from typing import Any

import msgspec

from haulier.contexts.warehouse.load_plans.errors import NO_LOAD_SPACES, TOO_MANY_PIECES_TO_LOAD
from haulier.contexts.warehouse.load_plans.queries import load_problem as load_loading_problem
from haulier.contexts.warehouse.load_plans.rules.problems import problem_hash
from haulier.contexts.warehouse.load_plans.serializers import space_codes
from haulier.contexts.warehouse.packing.errors import NO_CARTONS, PIECE_WITHOUT_SIZE, TOO_MANY_PIECES
from haulier.contexts.warehouse.packing.queries import load_problem as load_packing_problem
from haulier.contexts.warehouse.packing.rules.problems import input_hash
from haulier.contexts.warehouse.packing.serializers import carton_codes
from haulier.contexts.warehouse.plan_searches import store
from haulier.contexts.warehouse.plan_searches.contract.answers import PlanSearchAnswer
from haulier.contexts.warehouse.plan_searches.contract.requests import (
    SEARCH_PIECES_MAX,
    SearchBudgetFields,
    StartLoadSearch,
    StartPackingSearch,
)
from haulier.contexts.warehouse.plan_searches.jobs import PLAN_SEARCH_JOB, RunPlanSearch
from haulier.contexts.warehouse.plan_searches.queries import get_search_row
from haulier.contexts.warehouse.plan_searches.rules.kinds import PlanSearchKind, pieces_in
from haulier.contexts.warehouse.plan_searches.serializers import search_detail
from haulier.contexts.warehouse.stock.errors import UNKNOWN_SKU
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Mcp, RateLimit, Rest, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND

SEARCHES_A_MINUTE = RateLimit(60, 60, ("user",))


@writes(
    "start_packing_search",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.LOW,
    limits=(SEARCHES_A_MINUTE,),
    doors=(
        Rest("POST", "/v1/packing/searches"),
        GraphQL("startPackingSearch"),
        Mcp("start_packing_search", title="Search long for cartons"),
    ),
    errors=(NOT_FOUND, UNKNOWN_SKU, NO_CARTONS, PIECE_WITHOUT_SIZE, TOO_MANY_PIECES),
)
async def start_packing_search(call: Call, request: StartPackingSearch) -> PlanSearchAnswer:
    """Search long, in the background, for the best choice of cartons; `get_plan_search` shows the best plan so far."""
    problem, rows = await load_packing_problem(call, request, most=SEARCH_PIECES_MAX)
    return await start_search(call, PlanSearchKind.PACKING, request, problem, carton_codes(rows), input_hash(problem))


@writes(
    "start_load_search",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.LOW,
    limits=(SEARCHES_A_MINUTE,),
    doors=(
        Rest("POST", "/v1/loading/searches"),
        GraphQL("startLoadSearch"),
        Mcp("start_load_search", title="Search long for a load"),
    ),
    errors=(NOT_FOUND, NO_LOAD_SPACES, PIECE_WITHOUT_SIZE, TOO_MANY_PIECES_TO_LOAD),
)
async def start_load_search(call: Call, request: StartLoadSearch) -> PlanSearchAnswer:
    """Search long, in the background, for the best load; `get_plan_search` shows the best plan so far."""
    problem, rows = await load_loading_problem(call, request, most=SEARCH_PIECES_MAX)
    return await start_search(call, PlanSearchKind.LOADING, request, problem, space_codes(rows), problem_hash(problem))


async def start_search(
    call: Call, kind: PlanSearchKind, request: SearchBudgetFields, problem: Any, codes: dict[str, str], hash: str
) -> PlanSearchAnswer:
    """Write a search and let a worker do it."""
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
