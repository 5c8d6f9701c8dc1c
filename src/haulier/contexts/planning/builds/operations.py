"""Build routes: ask for a plan, cancel the search, commit the plan."""

from dataclasses import dataclass
from time import monotonic

from msgspec import to_builtins

from haulier.contexts.planning.builds import store
from haulier.contexts.planning.builds.actions.plan_commit import NOTHING_TO_COMMIT, PLAN_OUTDATED, commit_plan
from haulier.contexts.planning.builds.actions.plan_search import plan_without_search, search_plan
from haulier.contexts.planning.builds.contract.answers import BuildAnswer
from haulier.contexts.planning.builds.contract.requests import BuildRef, BuildRoute
from haulier.contexts.planning.builds.jobs import BUILD_JOB, RunBuild, record_build_step
from haulier.contexts.planning.builds.operations.builds import get_visible_build
from haulier.contexts.planning.builds.queries.planning_input import AssembledInput, assemble_planning_input
from haulier.contexts.planning.builds.queries.resources import get_planner_id
from haulier.contexts.planning.builds.rules.lifecycle import (
    BUILD_IS_OVER,
    BUILD_LIFE,
    COMMITTABLE_BUILD_STATES,
    BuildAction,
    BuildState,
    effective_build_state,
)
from haulier.contexts.planning.builds.rules.plan_document import PlanDocument
from haulier.contexts.planning.builds.serializers import serialize_build
from haulier.contexts.planning.ports import SolverRunFailed, TravelFailed
from haulier.kernel.call import Call, call_as
from haulier.kernel.operations.declaration import GraphQL, Mcp, RateLimit, Rest, writes
from haulier.kernel.operations.enums import OFFICE, Account, McpServer, Risk, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, NOT_FOUND, FieldError, declare_error
from haulier.kernel.request_context import RequestContext
from haulier.solvers.routing.installed import is_routing_installed

PLANNERS = OFFICE | {Account.CONTRACTOR}
PATH = "/v3/client/build-route"
BOTH = frozenset({McpServer.USER, McpServer.DEVELOPER})
DRY_RUN_SEARCH_S = 10
"""Seconds from the call of a dry run to its plan, because the caller waits. A smaller time budget makes it shorter."""
BODY_MAX = 4_000_000

BUILD_NOT_READY = declare_error("build_not_ready", 409)
BUILD_CANNOT_SEARCH = declare_error("build_cannot_search", 503)


@dataclass(frozen=True)
class PreparedBuild:
    """What is known before the transaction: the planning input, and the plan where it is there already.

    `searched` is true where the plan took a search, as in a dry run.
    """

    assembled: AssembledInput
    plan: PlanDocument | None
    searched: bool


async def prepare_build(context: RequestContext, request: BuildRoute) -> PreparedBuild:
    """Assemble the planning input and plan where no search is needed; in a dry run, search as well."""
    if not is_routing_installed():
        raise BUILD_CANNOT_SEARCH()
    deadline = monotonic() + min(request.time_budget_s, DRY_RUN_SEARCH_S)
    # Why: it runs before the transaction (decision 0004): thousands of orders are read, and a search takes seconds.
    async with context.app.database.read(context.principal.client_id) as work:
        call = call_as(context.app, context.principal, work)
        if request.day < call.today:
            raise INVALID_REQUEST.for_fields(FieldError("day", "field.day_over"))
        assembled = await assemble_planning_input(call, request)
    plan = await plan_without_search(assembled.planning_input)
    searched = plan is None and context.dry_run
    if searched:
        plan = await _search_for_dry_run(context, assembled, deadline)
    return PreparedBuild(assembled, plan, searched)


async def _search_for_dry_run(context: RequestContext, assembled: AssembledInput, deadline: float) -> PlanDocument:
    async def go_on(plan: PlanDocument, new: bool) -> bool:
        # The first plan of many orders may take longer than its share, so the search also ends from outside.
        return monotonic() < deadline

    try:
        return await search_plan(
            context.app, assembled.planning_input, go_on, seconds=DRY_RUN_SEARCH_S, deadline=deadline
        )
    except (TravelFailed, SolverRunFailed):
        raise BUILD_CANNOT_SEARCH() from None


@writes(
    "build_route",
    audience=PLANNERS,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.HIGH,
    confirm=True,
    body_limit_bytes=BODY_MAX,
    limits=(RateLimit(60, 60, ("user",)),),
    errors=(BUILD_CANNOT_SEARCH,),
    prepare=prepare_build,
    doors=(
        Rest("POST", PATH),
        GraphQL("clientBuildRoute"),
        Mcp("build_route", servers=BOTH, title="Build routes"),
    ),
)
async def build_route(call: Call, request: BuildRoute) -> BuildAnswer:
    """Build routes for a day.

    Decides the driver, sequence and time of each order. Returns a build that searches in the background for
    `time_budget_s`; read it with `get_route_build`. Its plan is a proposal until it is committed, or is committed
    automatically with `commit`. If no search is needed (no orders, no drivers, or no feasible assignment), the build
    ends at once with the reason of each order. A dry run returns the plan found within `time_budget_s`, at most 10
    seconds regardless of `iterations`, and stores nothing.
    """
    prepared: PreparedBuild = call.prepared
    build_id = await _insert_build(call, request, prepared)
    if prepared.plan and not prepared.searched:
        await record_build_step(call, build_id, 1, BuildState.DONE, prepared.plan)
    elif prepared.plan is None:
        job_id = await call.enqueue(BUILD_JOB, RunBuild(build_id))
        await store.update_build(call.work, build_id, job_id=job_id)
    call.add_audit_subjects("route_build", build_id)
    answer = await build_answer(call, build_id)
    if call.dry_run:
        answer.build.id = None
    return answer


async def _insert_build(call: Call, request: BuildRoute, prepared: PreparedBuild) -> int:
    planning_input, plan = prepared.assembled.planning_input, prepared.plan
    refused = [
        {"order_id": id, "id": error.error_type.id, "params": dict(error.params)}
        for id, error in prepared.assembled.refused.items()
    ]
    return await store.insert_build(
        call.work,
        day=request.day,
        planner_id=get_planner_id(call),
        created_by=call.actor,
        account=call.principal.account.value,
        state=BuildState.DONE if plan else BuildState.QUEUED,
        commits=request.commit,
        question=planning_input,
        refused=refused,
        orders=len(planning_input.requests) + len(refused),
        plan=plan,
        sums=plan and to_builtins(plan.sums),
        steps=1 if plan else 0,
        created_at=call.now,
        updated_at=call.now,
        finished_at=call.now if plan else None,
    )


@writes(
    "cancel_route_build",
    allowed_where={"state": BUILD_LIFE.allowing(BuildAction.CANCEL)},
    audience=PLANNERS,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.LOW,
    errors=(NOT_FOUND, BUILD_IS_OVER),
    doors=(Rest("POST", f"{PATH}/{{build_id}}/cancel"), GraphQL("cancelRouteBuild")),
)
async def cancel_route_build(call: Call, request: BuildRef) -> BuildAnswer:
    """Stop the search of a route build.

    The best plan so far remains and can be committed. Repeating it changes nothing.
    """
    row = await get_visible_build(call, request.build_id, lock=True)
    if row.state != BuildState.CANCELLED:
        state = effective_build_state(row.state, row.job_state)
        over = {
            "state": BUILD_LIFE.next_status_or_raise(BuildAction.CANCEL, state),
            "updated_at": call.now,
            "finished_at": call.now,
        }
        await store.update_build(call.work, row.id, **over, steps=row.steps + 1)
        await record_build_step(call, row.id, row.steps + 1, BuildState.CANCELLED, None)
    call.add_audit_subjects("route_build", row.id)
    return await build_answer(call, row.id)


@writes(
    "commit_route_build",
    allowed_where={"state": COMMITTABLE_BUILD_STATES},
    audience=PLANNERS,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.HIGH,
    confirm=True,
    errors=(NOT_FOUND, BUILD_NOT_READY, NOTHING_TO_COMMIT, PLAN_OUTDATED),
    doors=(
        Rest("POST", f"{PATH}/{{build_id}}/commit"),
        GraphQL("commitRouteBuild"),
        Mcp("commit_route_build", title="Write the routes of a plan"),
    ),
)
async def commit_route_build(call: Call, request: BuildRef) -> BuildAnswer:
    """Commit the plan of a route build.

    All routes are written, or none. Its orders become planned and its drivers see their routes. If an order, route or
    driver has changed since the build was requested, nothing is written and the answer lists each change. Repeating it
    changes nothing.
    """
    row = await get_visible_build(call, request.build_id)
    await store.lock_build_day(call.work, row.day)
    row = await get_visible_build(call, request.build_id)
    if row.committed_at is None:
        if row.state not in COMMITTABLE_BUILD_STATES or row.plan is None:
            raise BUILD_NOT_READY(state=effective_build_state(row.state, row.job_state).value)
        await commit_plan(call, row)
    call.add_audit_subjects("route_build", row.id)
    return await build_answer(call, row.id)


async def build_answer(call: Call, build_id: int) -> BuildAnswer:
    """A build as it is now."""
    row = await store.get_build(call.work, build_id)
    assert row is not None
    return BuildAnswer(build=await serialize_build(call, row))
