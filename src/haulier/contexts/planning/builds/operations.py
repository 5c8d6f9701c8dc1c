"""Operations on builds."""

from dataclasses import dataclass
from datetime import UTC, datetime
from time import monotonic

from msgspec import to_builtins

from haulier.contexts.planning.builds import store
from haulier.contexts.planning.builds.actions import (
    NOTHING_TO_COMMIT,
    PLAN_OUTDATED,
    commit_plan,
    plan_without_search,
    search_plan,
)
from haulier.contexts.planning.builds.contract import (
    MAX_BUILD_DRIVERS,
    MAX_BUILD_ORDERS,
    MAX_SEARCH_ITERATIONS,
    MAX_SEARCH_SECONDS,
    BuildAnswer,
    BuildOptions,
    BuildRef,
    BuildRoute,
    BuildStepsAnswer,
    BuildWeights,
    GetBuildOptions,
    ListBuildSteps,
    ListRouteBuilds,
    OptionDepot,
    OptionDriver,
    OptionLimits,
    OptionVehicle,
    OptionWeights,
    RouteBuilds,
)
from haulier.contexts.planning.builds.jobs import BUILD_JOB, ROUTE_BUILD_CHANNEL, RunBuild, record_build_step
from haulier.contexts.planning.builds.queries import (
    AssembledInput,
    assemble_planning_input,
    get_day_resources,
    get_planner_id,
)
from haulier.contexts.planning.builds.rules.plan_document import PlanDocument
from haulier.contexts.planning.builds.rules.planning_input import (
    BUILD_IS_OVER,
    BUILD_LIFE,
    COMMITTABLE_BUILD_STATES,
    BuildAction,
    BuildState,
    ExistingRouteMode,
    effective_build_state,
)
from haulier.contexts.planning.builds.rules.requests import is_in_any_pool
from haulier.contexts.planning.builds.rules.shifts import DriverDay, build_driver_days
from haulier.contexts.planning.builds.serializers import serialize_build, serialize_build_step, serialize_build_summary
from haulier.contexts.planning.builds.store import BuildRow
from haulier.contexts.planning.ports import SolverRunFailed, TravelFailed
from haulier.contexts.routes.public import get_pool_rules, list_waiting_orders, to_pool_order
from haulier.kernel.call import Call, call_as
from haulier.kernel.operations.declaration import EventStream, GraphQL, Mcp, RateLimit, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Account, McpServer, Risk, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, NOT_FOUND, FieldError, declare_error
from haulier.kernel.operations.records import record
from haulier.kernel.request_context import RequestContext
from haulier.kernel.values.pagination import make_cursor, parse_cursor
from haulier.solvers.routing.installed import is_routing_installed

PLANNERS = OFFICE | {Account.CONTRACTOR}
PATH = "/v3/client/build-route"
STEPS_PER_PAGE = 50
BUILD_STREAM = EventStream(f"{PATH}/{{build_id}}/stream", ROUTE_BUILD_CHANNEL, "build_id", "steps", of_client=True)


async def get_visible_build(call: Call, build_id: int, *, lock: bool = False) -> BuildRow:
    """Return a build that the caller may see.

    Staff see their own and their contractors' builds, contractors only their own. Raises `NOT_FOUND`.
    """
    row = await store.get_build(call.work, build_id, lock=lock)
    planner_id = get_planner_id(call)
    if row is None or (planner_id is not None and row.planner_id != planner_id):
        raise NOT_FOUND()
    return row


@reads(
    "list_route_builds",
    audience=PLANNERS,
    scopes={Scope.ROUTES_READ},
    interfaces=(Rest("GET", PATH), GraphQL("routeBuilds")),
)
async def list_route_builds(call: Call, request: ListRouteBuilds) -> RouteBuilds:
    """List route builds, newest first.

    Plans are not included. A contractor sees only their own.
    """
    filters = {"on_day": request.day, "standing": request.state, "planner": get_planner_id(call)}
    given_filters = {name: value for name, value in filters.items() if value is not None}
    rows, total = await store.find_builds(call.work, given_filters, limit=request.per_page, offset=request.offset)
    summaries = [serialize_build_summary(call, row) for row in rows]
    return RouteBuilds(total=total, page=request.page, per_page=request.per_page, builds=summaries)


@reads(
    "get_route_build",
    audience=PLANNERS,
    scopes={Scope.ROUTES_READ},
    errors=(NOT_FOUND,),
    interfaces=(
        Rest("GET", f"{PATH}/{{build_id}}"),
        GraphQL("routeBuild"),
        Mcp("get_route_build", frozenset(McpServer), title="Get a route build"),
    ),
)
async def get_route_build(call: Call, request: BuildRef) -> BuildAnswer:
    """Get a route build and its plan.

    Returns the best plan so far, with routes, stops, times, and the reasons of unassigned orders. Can be called at any
    time.
    """
    return BuildAnswer(build=await serialize_build(call, await get_visible_build(call, request.build_id)))


@reads(
    "get_route_build_steps",
    audience=PLANNERS,
    scopes={Scope.ROUTES_READ},
    errors=(NOT_FOUND,),
    interfaces=(Rest("GET", f"{PATH}/{{build_id}}/steps", event_stream=BUILD_STREAM), GraphQL("routeBuildSteps")),
)
async def get_route_build_steps(call: Call, request: ListBuildSteps) -> BuildStepsAnswer:
    """List the improvement steps of a build.

    Each step shows the stops of each driver. Use `cursor` to continue the list. At `/stream` instead of `/steps`, steps
    are pushed as server-sent events. The last step has the final status of the build.
    """
    row = await get_visible_build(call, request.build_id)
    after = parse_cursor(request.cursor, tuple[int])[0] if request.cursor else 0
    rows = await store.list_build_steps(call.work, row.id, after, STEPS_PER_PAGE + 1)
    page = rows[:STEPS_PER_PAGE]
    return BuildStepsAnswer(
        build_id=row.id,
        steps=[serialize_build_step(call, step) for step in page],
        next_cursor=make_cursor(page[-1].number) if page else request.cursor,
        more=len(rows) > len(page),
    )


BOTH = frozenset({McpServer.USER, McpServer.DEVELOPER})
DRY_RUN_SEARCH_S = 10
"""Seconds from the call of a dry run to its plan, because the caller waits. A smaller time budget makes it shorter."""
BODY_MAX = 4_000_000

BUILD_NOT_READY = declare_error("build_not_ready", 409)
BUILD_CANNOT_SEARCH = declare_error("build_cannot_search", 503)


@dataclass(frozen=True)
class PreparedBuild:
    """Results prepared before the transaction: planning input, and plan if ready.

    `searched` is true if the plan took a search, as in a dry run.
    """

    assembled: AssembledInput
    plan: PlanDocument | None
    searched: bool


async def prepare_build(context: RequestContext, request: BuildRoute) -> PreparedBuild:
    """Assemble the planning input, and the plan if no search is needed.

    A dry run searches as well.
    """
    if not is_routing_installed():
        raise BUILD_CANNOT_SEARCH()
    deadline = monotonic() + min(request.time_budget_s, DRY_RUN_SEARCH_S)
    # Runs before the transaction (docs/decisions/transactions.md): thousands of orders are read, and a search takes
    # seconds.
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
    async def can_continue(plan: PlanDocument, new: bool) -> bool:
        # The first plan of many orders may take longer than its share, so the search also ends from outside.
        return monotonic() < deadline

    try:
        return await search_plan(
            context.app, assembled.planning_input, can_continue, seconds=DRY_RUN_SEARCH_S, deadline=deadline
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
    interfaces=(
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
    available_when={"state": BUILD_LIFE.allowing(BuildAction.CANCEL)},
    audience=PLANNERS,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.LOW,
    errors=(NOT_FOUND, BUILD_IS_OVER),
    interfaces=(Rest("POST", f"{PATH}/{{build_id}}/cancel"), GraphQL("cancelRouteBuild")),
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
    available_when={"state": COMMITTABLE_BUILD_STATES},
    audience=PLANNERS,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.HIGH,
    confirm=True,
    errors=(NOT_FOUND, BUILD_NOT_READY, NOTHING_TO_COMMIT, PLAN_OUTDATED),
    interfaces=(
        Rest("POST", f"{PATH}/{{build_id}}/commit"),
        GraphQL("commitRouteBuild"),
        Mcp("commit_route_build", title="Commit a route build"),
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


MAX_OPTIONS_SHOWN = 200
"""Maximum number of depots, drivers and vehicles returned."""
BUILD_LIMITS = OptionLimits(
    orders=MAX_BUILD_ORDERS,
    drivers=MAX_BUILD_DRIVERS,
    time_budget_s=MAX_SEARCH_SECONDS,
    iterations=MAX_SEARCH_ITERATIONS,
    late_min=240,
    loading_min=240,
)


@reads(
    "get_build_route_options",
    audience=OFFICE | {Account.CONTRACTOR},
    scopes={Scope.ROUTES_READ},
    interfaces=(
        Rest("GET", "/v3/client/build-route/options"),
        GraphQL("clientBuildRouteOptions"),
        Mcp("get_build_route_options", servers=BOTH, title="Get options for building routes"),
    ),
)
async def get_build_route_options(call: Call, request: GetBuildOptions) -> BuildOptions:
    """List the options for `build_route`.

    Returns depots, drivers with their working hours, vehicles, waiting orders and the defaults.
    """
    day = request.day or call.today
    resources = await get_day_resources(call, day)
    planner_id = get_planner_id(call)
    rules = {planner_id: await get_pool_rules(call, planner_id)}
    waiting, complete = await list_waiting_orders(call, limit=MAX_BUILD_ORDERS)
    mine = [
        o
        for o in waiting
        if (o.scheduled_date is None or o.scheduled_date <= day) and is_in_any_pool(to_pool_order(o), rules)
    ]
    counts = (len(resources.depots), len(resources.drivers), len(resources.vehicles))
    return BuildOptions(
        day=day,
        orders_waiting=len(mine),
        complete=complete and max(counts) <= MAX_OPTIONS_SHOWN,
        depots=[record(OptionDepot, depot) for depot in resources.depots[:MAX_OPTIONS_SHOWN]],
        drivers=[
            _option_driver(call, driver_day)
            for driver_day in build_driver_days(resources, ExistingRouteMode.LEAVE)[:MAX_OPTIONS_SHOWN]
        ],
        vehicles=[record(OptionVehicle, row) for row in resources.vehicles[:MAX_OPTIONS_SHOWN]],
        current=list(ExistingRouteMode),
        default_time_budget_s=BuildRoute.model_fields["time_budget_s"].default,
        default_objective=OptionWeights(**BuildWeights().model_dump()),
        limits=BUILD_LIMITS,
    )


def _option_driver(call: Call, driver_day: DriverDay) -> OptionDriver:
    skills = {*driver_day.driver.skills, *(driver_day.profile.skills if driver_day.profile else ())}
    start, end = driver_day.hours[0] if driver_day.hours else (None, None)
    why_not = {"why_not": call.translate(driver_day.why_not.value)} if driver_day.why_not else {}
    return OptionDriver(
        id=driver_day.driver.id,
        name=driver_day.driver.name,
        contractor_id=driver_day.driver.contractor_id,
        available=driver_day.why_not is None,
        **why_not,
        shift_start_at=_local_time_of(call, start),
        shift_end_at=_local_time_of(call, end),
        skills=sorted(skills),
        vehicle_id=driver_day.vehicle.id if driver_day.vehicle else None,
        route_id=driver_day.route.id if driver_day.route else None,
    )


def _local_time_of(call: Call, seconds: int | None) -> datetime | None:
    return None if seconds is None else call.local_time(datetime.fromtimestamp(seconds, UTC))
