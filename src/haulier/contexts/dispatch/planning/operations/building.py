"""Build routes: ask for a plan, cancel the search, commit the plan."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from msgspec import to_builtins

from haulier.contexts.dispatch.planning import store
from haulier.contexts.dispatch.planning.asking import BuildRoute, TheBuild
from haulier.contexts.dispatch.planning.building import KIND, BuildInBackground, add_step
from haulier.contexts.dispatch.planning.committing import NOTHING_TO_COMMIT, PLAN_OUTDATED, commit
from haulier.contexts.dispatch.planning.contract import BuildAnswer
from haulier.contexts.dispatch.planning.gathering import Gathered, gather
from haulier.contexts.dispatch.planning.operations.reading import visible_build
from haulier.contexts.dispatch.planning.rules.drawing import Drawn
from haulier.contexts.dispatch.planning.rules.states import GOING_ON, WITH_PLAN, BuildState, seen
from haulier.contexts.dispatch.planning.showing import build
from haulier.contexts.dispatch.planning.solving import answered_at_once, solve
from haulier.contexts.dispatch.planning.yard import planner_of
from haulier.contexts.dispatch.ports import SearchFailed, TravelFailed
from haulier.kernel.call import Call
from haulier.kernel.declarations import OFFICE, Account, Risk, Scope, Server
from haulier.kernel.doorstep import Doorstep
from haulier.kernel.errors import INVALID_REQUEST, NOT_FOUND, Fault, problem
from haulier.kernel.operation import GraphQL, Limit, Mcp, Rest, writes

TAG = "Route building"
PLANNERS = OFFICE | {Account.CONTRACTOR}
PATH = "/v3/client/build-route"
BOTH = frozenset({Server.USER, Server.DEVELOPER})
KEPT = timedelta(days=30)
"""Builds older than that are forgotten when a new one is asked for."""
REHEARSAL_S = 10
"""A rehearsal searches no longer, as its caller waits for it."""
BODY_MAX = 4_000_000

BUILD_IS_OVER = problem("build_is_over", 409)
BUILD_NOT_READY = problem("build_not_ready", 409)
BUILD_CANNOT_SEARCH = problem("build_cannot_search", 503)


@dataclass(frozen=True)
class Prepared:
    """What was found out before the transaction: the question, and the plan where it is there already.

    `searched`: for the plan, which only a rehearsal waits for.
    """

    gathered: Gathered
    plan: Drawn | None
    searched: bool


async def look_around(doorstep: Doorstep, request: BuildRoute) -> Prepared:
    """Put the question together and answer it where no search is needed; in a rehearsal, search as well.

    It happens before the transaction, because thousands of orders are read, and a search takes seconds.
    """
    async with doorstep.house.database.read(doorstep.principal.client_id) as work:
        call = Call(
            house=doorstep.house,
            principal=doorstep.principal,
            work=work,
            now=doorstep.house.clock(),
            language="en",
            request_id="",
        )
        if request.day < call.now.astimezone(call.time_zone).date():
            raise INVALID_REQUEST.at(Fault("day", "field.day_over"))
        gathered = await gather(call, request)
    plan = await answered_at_once(gathered.question)
    searched = plan is None and doorstep.rehearsing
    return Prepared(gathered, await _rehearsed(doorstep, gathered) if searched else plan, searched)


async def _rehearsed(doorstep: Doorstep, gathered: Gathered) -> Drawn:
    async def go_on(plan: Drawn, new: bool) -> bool:
        return True

    question = gathered.question
    try:
        return await solve(doorstep.house, question, go_on, seconds=min(question.seconds, REHEARSAL_S))
    except (TravelFailed, SearchFailed):
        raise BUILD_CANNOT_SEARCH() from None


@writes(
    "build_route",
    audience=PLANNERS,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.HIGH,
    confirm=True,
    body_limit_bytes=BODY_MAX,
    limits=(Limit(60, 60, ("user",)),),
    errors=(BUILD_CANNOT_SEARCH,),
    prepare=look_around,
    doors=(
        Rest("POST", PATH, tag=TAG),
        GraphQL("clientBuildRoute"),
        Mcp("build_route", servers=BOTH, title="Build routes"),
    ),
)
async def build_route(call: Call, request: BuildRoute) -> BuildAnswer:
    """Plan a day: which driver visits which orders, in which order and when.

    The answer names a build that searches in the background, for as long as `time_budget_s` says; read it with
    `get_route_build`. Its plan is a proposal until it is committed, or is committed at once with `commit`. Where no
    search is needed (no orders, nobody to drive, nothing possible), the build is done at once, with the reason of each
    order. A dry run searches up to ten seconds, shows the plan and keeps nothing.
    """
    prepared: Prepared = call.prepared
    await store.forget(call.work, call.now - KEPT)
    build_id = await _add(call, request, prepared)
    if prepared.plan and not prepared.searched:
        await add_step(call, build_id, 1, BuildState.DONE, prepared.plan)
    elif prepared.plan is None:
        job_id = await call.post(KIND, BuildInBackground(build_id))
        await store.change(call.work, build_id, job_id=job_id)
    call.concerns("route_build", build_id)
    answer = await shown(call, build_id)
    if call.rehearsing:
        answer.build.id = None
    return answer


async def _add(call: Call, request: BuildRoute, prepared: Prepared) -> int:
    question, plan = prepared.gathered.question, prepared.plan
    refused = [
        {"order_id": id, "id": refusal.problem.id, "params": dict(refusal.params)}
        for id, refusal in prepared.gathered.refused.items()
    ]
    return await store.add(
        call.work,
        day=request.day,
        planner_id=planner_of(call),
        created_by=call.actor,
        account=call.principal.account.value,
        state=BuildState.DONE if plan else BuildState.QUEUED,
        commits=request.commit,
        question=question,
        refused=refused,
        orders=len(question.demands) + len(refused),
        plan=plan,
        sums=plan and to_builtins(plan.sums),
        steps=1 if plan else 0,
        created_at=call.now,
        updated_at=call.now,
        finished_at=call.now if plan else None,
    )


@writes(
    "cancel_route_build",
    audience=PLANNERS,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.LOW,
    errors=(NOT_FOUND, BUILD_IS_OVER),
    doors=(Rest("POST", f"{PATH}/{{build_id}}/cancel", tag=TAG), GraphQL("cancelRouteBuild")),
)
async def cancel_route_build(call: Call, request: TheBuild) -> BuildAnswer:
    """End a search. The best plan so far stays, and may be committed. Said again, it changes nothing."""
    row = await visible_build(call, request.build_id, lock=True)
    if row.state != BuildState.CANCELLED:
        if seen(row.state, row.job_state) not in GOING_ON:
            raise BUILD_IS_OVER()
        over = {"state": BuildState.CANCELLED, "updated_at": call.now, "finished_at": call.now}
        await store.change(call.work, row.id, **over, steps=row.steps + 1)
        await add_step(call, row.id, row.steps + 1, BuildState.CANCELLED, None)
    call.concerns("route_build", row.id)
    return await shown(call, row.id)


@writes(
    "commit_route_build",
    audience=PLANNERS,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.HIGH,
    errors=(NOT_FOUND, BUILD_NOT_READY, NOTHING_TO_COMMIT, PLAN_OUTDATED),
    doors=(Rest("POST", f"{PATH}/{{build_id}}/commit", tag=TAG), GraphQL("commitRouteBuild")),
)
async def commit_route_build(call: Call, request: TheBuild) -> BuildAnswer:
    """Make routes of a plan, all of it or nothing: its orders are planned, its drivers see their routes.

    Where an order, a route or a driver changed since the build was asked for, nothing is written, and the answer names
    each. Said again, it changes nothing.
    """
    row = await visible_build(call, request.build_id)
    await store.lock_day(call.work, row.day)
    row = await visible_build(call, request.build_id)
    if row.committed_at is None:
        if row.state not in WITH_PLAN or row.plan is None:
            raise BUILD_NOT_READY(state=seen(row.state, row.job_state).value)
        await commit(call, row)
    call.concerns("route_build", row.id)
    return await shown(call, row.id)


async def shown(call: Call, build_id: int) -> BuildAnswer:
    """A build as it is now."""
    row: Any = await store.one(call.work, build_id)
    return BuildAnswer(build=await build(call, row))
