"""Job of a build: search outside transactions, and store each better plan.

After a kill, another worker runs the job again. A build by time continues from its best plan with the remaining time. A
build by iterations starts again and ends with the same plan.
"""

import asyncio
from typing import Any

from msgspec import Struct, convert, to_builtins
from msgspec.structs import replace

from haulier.contexts.identity.public import get_users_by_id
from haulier.contexts.planning.builds import store
from haulier.contexts.planning.builds.actions import commit_plan, search_plan
from haulier.contexts.planning.builds.contract import MAX_SEARCH_SECONDS
from haulier.contexts.planning.builds.rules.plan_document import PlanDocument, route_outlines
from haulier.contexts.planning.builds.rules.planning_input import ACTIVE_BUILD_STATES, BuildState, PlanningInput
from haulier.contexts.planning.builds.store import BuildRow, BuildStepRow
from haulier.contexts.planning.ports import SolverRunFailed, TravelFailed
from haulier.kernel.background.jobs import job
from haulier.kernel.call import Call
from haulier.kernel.data.notices import client_subject
from haulier.kernel.job_run import JobRun
from haulier.kernel.operations.enums import Account
from haulier.kernel.operations.errors import OperationError
from haulier.kernel.principal import Principal

BUILD_JOB = "dispatch.build"
ROUTE_BUILD_CHANNEL = "haulier_build"
"""The channel of notices that a build has a new step; a subject is a client and the build's id."""
MAX_BUILD_ATTEMPTS = 3
MIN_STEP_INTERVAL_S = 1.0
"""At most one better plan a second is stored; one that comes sooner waits."""
MIN_SEARCH_S = 1.0


class RunBuild(Struct, frozen=True):
    """Arguments of the build job."""

    build_id: int


class StartedBuild(Struct, frozen=True):
    """A build that this attempt runs."""

    planning_input: PlanningInput
    kept: PlanDocument | None
    steps: int
    seconds: float


@job(BUILD_JOB, RunBuild, queue="builds", max_attempts=MAX_BUILD_ATTEMPTS)
async def run_build(run: JobRun, args: RunBuild) -> None:
    """Search for the plan of a build. Does nothing for a finished or cancelled build."""
    started_build = await _start_attempt(run, args.build_id)
    if started_build is None:
        return
    progress = ProgressWriter(run, args.build_id, started_build.steps)
    try:
        plan = await search_plan(
            run.app,
            started_build.planning_input,
            progress.report,
            seconds=started_build.seconds,
            best_plan=started_build.kept,
        )
    except (TravelFailed, SolverRunFailed) as failure:
        if run.attempt < MAX_BUILD_ATTEMPTS:
            raise
        name = "build_travel_failed" if isinstance(failure, TravelFailed) else "build_search_failed"
        await progress.end(BuildState.FAILED, None, fault={"id": name, "params": {}, "about": []})
    else:
        await progress.end(BuildState.DONE, plan)


async def _start_attempt(run: JobRun, build_id: int) -> StartedBuild | None:
    async with run.call() as call:
        row = await store.get_build(call.work, build_id, lock=True)
        if row is None or row.state not in ACTIVE_BUILD_STATES:
            return None
        started = row.started_at or call.now
        running = {"state": BuildState.RUNNING, "attempt": run.attempt, "started_at": started}
        await store.update_build(call.work, build_id, **running, updated_at=call.now)
        planning_input = convert(row.question, PlanningInput)
        best_plan = convert(row.plan, PlanDocument) if row.plan else None
        remaining_s = planning_input.seconds - (call.now - started).total_seconds()
        return StartedBuild(planning_input, best_plan, row.steps, max(MIN_SEARCH_S, remaining_s))


class ProgressWriter:
    """Writer of better plans, in short transactions.

    Also detects the cancellation of the build.
    """

    def __init__(self, run: JobRun, build_id: int, steps: int) -> None:
        self._run, self._build_id, self._steps = run, build_id, steps
        self._time = asyncio.get_running_loop().time
        self._ends = self._time() + MAX_SEARCH_SECONDS
        self._next = 0.0
        self._waiting: PlanDocument | None = None

    async def report(self, plan: PlanDocument, new: bool) -> bool:
        """Store a better plan, at most one per second.

        Returns False if the build was cancelled or takes too long.
        """
        if new:
            self._waiting = plan
        if self._time() > self._ends:
            return False
        if self._waiting is None or self._time() < self._next:
            return await self._is_still_wanted()
        plan, self._waiting = self._waiting, None
        self._next = self._time() + MIN_STEP_INTERVAL_S
        return await self._improved(plan)

    async def end(self, state: BuildState, plan: PlanDocument | None, **values: Any) -> None:
        """Write the result of the search, and commit the plan on request.

        A cancelled build is unchanged.
        """
        async with self._run.call() as call:
            row = await store.get_build(call.work, self._build_id, lock=True)
            if plan:
                values |= {"plan": plan, "sums": plan.sums}
            ended = {"state": state, "steps": self._steps + 1, "updated_at": call.now, "finished_at": call.now}
            if row is None or not await store.finish_build(
                call.work, self._build_id, self._run.attempt, **ended, **values
            ):
                return
            await record_build_step(call, self._build_id, self._steps + 1, state, plan)
            if plan and row.commits and plan.routes:
                await _commit_for_requester(call, self._build_id)

    async def _improved(self, plan: PlanDocument) -> bool:
        async with self._run.call() as call:
            self._steps += 1
            values = {"new_plan": plan, "new_sums": plan.sums, "count": self._steps, "now": call.now}
            if not await store.update_best_plan(call.work, self._build_id, self._run.attempt, **values):
                return False
            await record_build_step(call, self._build_id, self._steps, BuildState.RUNNING, plan)
        return True

    async def _is_still_wanted(self) -> bool:
        async with self._run.app.database.read(self._run.client_id) as work:
            return await store.get_build_state(work, self._build_id) == BuildState.RUNNING


async def record_build_step(
    call: Call, build_id: int, number: int, state: BuildState, plan: PlanDocument | None
) -> None:
    """Write a step and notify those who follow the build."""
    sums, routes = (to_builtins(plan.sums), route_outlines(plan)) if plan else (None, None)
    await BuildStepRow.insert(
        call.work, build_id=build_id, number=number, at=call.now, state=state, sums=sums, routes=routes
    )
    call.work.notify(ROUTE_BUILD_CHANNEL, client_subject(call.client_id, build_id))


async def _commit_for_requester(call: Call, build_id: int) -> None:
    """Commit the plan as the user who requested the build.

    An error is stored on the build, and the plan remains a proposal.
    """
    row = await store.get_build(call.work, build_id)
    assert row is not None
    await store.lock_build_day(call.work, row.day)
    requester = replace(call, principal=await _requester_principal(call, row))
    try:
        async with call.savepoint():
            await commit_plan(requester, row)
    except OperationError as error:
        about = [
            {"field": field_error.field, "id": field_error.code, "params": dict(field_error.params)}
            for field_error in error.field_errors
        ]
        fault = {"id": error.error_type.id, "params": dict(error.params), "about": about}
        await store.update_build(call.work, build_id, fault=fault)


async def _requester_principal(call: Call, row: BuildRow) -> Principal:
    people = await get_users_by_id(call, [row.created_by]) if row.created_by else {}
    name = people[row.created_by].name if row.created_by in people else None
    own = call.principal
    return Principal(Account(row.account), user_id=row.created_by, name=name, business=own.business, scopes=own.scopes)
