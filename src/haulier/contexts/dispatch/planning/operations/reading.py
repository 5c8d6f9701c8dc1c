"""Builds: list, show, follow."""

from typing import Any

from haulier.contexts.dispatch.planning import store
from haulier.contexts.dispatch.planning.asking import BuildSteps, ListBuilds, TheBuild
from haulier.contexts.dispatch.planning.building import CHANNEL
from haulier.contexts.dispatch.planning.contract import BuildAnswer, Builds, BuildStepsAnswer
from haulier.contexts.dispatch.planning.showing import build, step, summary
from haulier.contexts.dispatch.planning.yard import planner_of
from haulier.kernel.call import Call
from haulier.kernel.declarations import OFFICE, Account, Scope
from haulier.kernel.errors import NOT_FOUND
from haulier.kernel.operation import GraphQL, Live, Rest, reads
from haulier.kernel.pages import cursor_after, key_of

TAG = "Route building"
PLANNERS = OFFICE | {Account.CONTRACTOR}
PATH = "/v3/client/build-route"
STEPS_AT_ONCE = 50
LIVE = Live(f"{PATH}/{{build_id}}/stream", CHANNEL, "build_id", "steps")


async def visible_build(call: Call, build_id: int, *, lock: bool = False) -> Any:
    """A build that the caller may see: the office its own and its contractors', a contractor theirs. Raises `NOT_FOUND`."""
    row = await store.one(call.work, build_id, lock=lock)
    planner_id = planner_of(call)
    if row is None or (planner_id is not None and row.planner_id != planner_id):
        raise NOT_FOUND()
    return row


@reads(
    "list_route_builds",
    audience=PLANNERS,
    scopes={Scope.ROUTES_READ},
    doors=(Rest("GET", PATH, tag=TAG), GraphQL("routeBuilds")),
)
async def list_route_builds(call: Call, request: ListBuilds) -> Builds:
    """List builds, newest first, without their plans. A contractor sees only their own."""
    filters = {"on_day": request.day, "standing": request.state, "planner": planner_of(call)}
    given = {name: value for name, value in filters.items() if value is not None}
    rows, total = await store.page(call.work, given, limit=request.per_page, offset=request.offset)
    found = [summary(call, row) for row in rows]
    return Builds(total=total, page=request.page, per_page=request.per_page, builds=found)


@reads(
    "get_route_build",
    audience=PLANNERS,
    scopes={Scope.ROUTES_READ},
    errors=(NOT_FOUND,),
    doors=(Rest("GET", f"{PATH}/{{build_id}}", tag=TAG), GraphQL("routeBuild")),
)
async def get_route_build(call: Call, request: TheBuild) -> BuildAnswer:
    """Show a build with the best plan so far: routes, stops, times, and why orders are on none. Ask at any time."""
    return BuildAnswer(build=await build(call, await visible_build(call, request.build_id)))


@reads(
    "get_route_build_steps",
    audience=PLANNERS,
    scopes={Scope.ROUTES_READ},
    errors=(NOT_FOUND,),
    doors=(Rest("GET", f"{PATH}/{{build_id}}/steps", tag=TAG, live=LIVE), GraphQL("routeBuildSteps")),
)
async def get_route_build_steps(call: Call, request: BuildSteps) -> BuildStepsAnswer:
    """The steps by which a plan gets better, as a list that can be continued; each tells who visits whom.

    At `/stream` instead of `/steps` they are pushed as server-sent events. The last has the state in which the build ended.
    """
    row = await visible_build(call, request.build_id)
    after = key_of(request.cursor, tuple[int])[0] if request.cursor else 0
    rows = await store.steps_after(call.work, row.id, after, STEPS_AT_ONCE + 1)
    page = rows[:STEPS_AT_ONCE]
    return BuildStepsAnswer(
        build_id=row.id,
        steps=[step(call, each) for each in page],
        next_cursor=cursor_after(page[-1].number) if page else request.cursor,
        more=len(rows) > len(page),
    )
