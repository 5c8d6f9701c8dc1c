"""Builds: list, show, follow."""

from haulier.contexts.planning.builds import store
from haulier.contexts.planning.builds.contract.answers import BuildAnswer, BuildStepsAnswer, RouteBuilds
from haulier.contexts.planning.builds.contract.requests import BuildRef, ListBuildSteps, ListRouteBuilds
from haulier.contexts.planning.builds.jobs import ROUTE_BUILD_CHANNEL
from haulier.contexts.planning.builds.queries.resources import get_planner_id
from haulier.contexts.planning.builds.serializers import serialize_build, serialize_build_step, serialize_build_summary
from haulier.contexts.planning.builds.store import BuildRow
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import EventStream, GraphQL, Mcp, Rest, reads
from haulier.kernel.operations.enums import OFFICE, Account, McpServer, Scope
from haulier.kernel.operations.errors import NOT_FOUND
from haulier.kernel.values.pagination import make_cursor, parse_cursor

PLANNERS = OFFICE | {Account.CONTRACTOR}
PATH = "/v3/client/build-route"
STEPS_PER_PAGE = 50
BUILD_STREAM = EventStream(f"{PATH}/{{build_id}}/stream", ROUTE_BUILD_CHANNEL, "build_id", "steps", of_client=True)


async def get_visible_build(call: Call, build_id: int, *, lock: bool = False) -> BuildRow:
    """A build that the caller may see: the office its own and its contractors', a contractor theirs. Raises `NOT_FOUND`."""
    row = await store.get_build(call.work, build_id, lock=lock)
    planner_id = get_planner_id(call)
    if row is None or (planner_id is not None and row.planner_id != planner_id):
        raise NOT_FOUND()
    return row


@reads(
    "list_route_builds",
    audience=PLANNERS,
    scopes={Scope.ROUTES_READ},
    doors=(Rest("GET", PATH), GraphQL("routeBuilds")),
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
    doors=(
        Rest("GET", f"{PATH}/{{build_id}}"),
        GraphQL("routeBuild"),
        Mcp("get_route_build", frozenset(McpServer), title="Read a plan of routes"),
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
    doors=(Rest("GET", f"{PATH}/{{build_id}}/steps", event_stream=BUILD_STREAM), GraphQL("routeBuildSteps")),
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
