"""The errand of a build: it searches outside every transaction, keeps each better plan, and can be killed at any moment.

Killed, it is run again by another worker: a build by time goes on from its best plan with what is left of its time, one by
iterations begins anew and so ends with the same plan.
"""

import asyncio
from typing import Any

from msgspec import Struct, convert, to_builtins
from msgspec.structs import replace

from haulier.contexts.access.public import users
from haulier.contexts.dispatch.planning import store
from haulier.contexts.dispatch.planning.asking import SECONDS_MOST
from haulier.contexts.dispatch.planning.committing import commit
from haulier.contexts.dispatch.planning.rules.drawing import Drawn, compact
from haulier.contexts.dispatch.planning.rules.question import Question
from haulier.contexts.dispatch.planning.rules.states import GOING_ON, BuildState
from haulier.contexts.dispatch.planning.solving import solve
from haulier.contexts.dispatch.ports import SearchFailed, TravelFailed
from haulier.kernel.call import Call
from haulier.kernel.declarations import Account
from haulier.kernel.errands import errand
from haulier.kernel.errors import Refusal
from haulier.kernel.principal import Principal
from haulier.kernel.run import Run

KIND = "dispatch.build"
CHANNEL = "haulier_build"
"""Where a notice tells that a build has a new step; the payload is its id."""
ATTEMPTS = 3
STEP_EVERY_S = 1.0
"""Better plans within a second of the last one kept wait for the next look."""
LEAST_S = 1.0


class BuildInBackground(Struct, frozen=True):
    """Which build."""

    build_id: int


class Begun(Struct, frozen=True):
    """A build that this attempt runs."""

    question: Question
    kept: Drawn | None
    steps: int
    seconds: float


@errand(KIND, BuildInBackground, lane="builds", max_attempts=ATTEMPTS)
async def build_in_background(run: Run, args: BuildInBackground) -> None:
    """Search for the plan of a build. One that is over or cancelled is left alone."""
    begun = await _begin(run, args.build_id)
    if begun is None:
        return
    watch = Watch(run, args.build_id, begun.steps)
    try:
        plan = await solve(run.house, begun.question, watch.tell, seconds=begun.seconds, kept=begun.kept)
    except (TravelFailed, SearchFailed) as failure:
        if run.attempt < ATTEMPTS:
            raise
        name = "build_travel_failed" if isinstance(failure, TravelFailed) else "build_search_failed"
        await watch.end(BuildState.FAILED, None, fault={"id": name, "params": {}, "about": []})
    else:
        await watch.end(BuildState.DONE, plan)


async def _begin(run: Run, build_id: int) -> Begun | None:
    async with run.call() as call:
        row = await store.one(call.work, build_id, lock=True)
        if row is None or row.state not in GOING_ON:
            return None
        started = row.started_at or call.now
        words = {"state": BuildState.RUNNING, "attempt": run.attempt, "started_at": started}
        await store.change(call.work, build_id, **words, updated_at=call.now)
        question = convert(row.question, Question)
        kept = convert(row.plan, Drawn) if row.plan else None
        left = question.seconds - (call.now - started).total_seconds()
        return Begun(question, kept, row.steps, max(LEAST_S, left))


class Watch:
    """Keeps every better plan of an attempt, in short transactions, and sees whether anybody wants it to go on."""

    def __init__(self, run: Run, build_id: int, steps: int) -> None:
        self._run, self._build_id, self._steps = run, build_id, steps
        self._time = asyncio.get_running_loop().time
        self._ends = self._time() + SECONDS_MOST
        self._next = 0.0
        self._waiting: Drawn | None = None

    async def tell(self, plan: Drawn, new: bool) -> bool:
        """Keep a better plan, at most one a second. False when the build was cancelled or takes too long."""
        if new:
            self._waiting = plan
        if self._time() > self._ends:
            return False
        if self._waiting is None or self._time() < self._next:
            return await self._goes_on()
        plan, self._waiting = self._waiting, None
        self._next = self._time() + STEP_EVERY_S
        return await self._improved(plan)

    async def end(self, state: BuildState, plan: Drawn | None, **values: Any) -> None:
        """Write how the search ended, and commit the plan when that was asked for. Cancelled meanwhile, nothing is written."""
        async with self._run.call() as call:
            row = await store.one(call.work, self._build_id, lock=True)
            if plan:
                values |= {"plan": plan, "sums": plan.sums}
            ended = {"state": state, "steps": self._steps + 1, "updated_at": call.now, "finished_at": call.now}
            if not await store.end(call.work, self._build_id, self._run.attempt, **ended, **values):
                return
            await add_step(call, self._build_id, self._steps + 1, state, plan)
            if plan and row.commits and plan.routes:
                await _commit(call, self._build_id)

    async def _improved(self, plan: Drawn) -> bool:
        async with self._run.call() as call:
            self._steps += 1
            words = {"new_plan": plan, "new_sums": plan.sums, "count": self._steps, "now": call.now}
            if not await store.improve(call.work, self._build_id, self._run.attempt, **words):
                return False
            await add_step(call, self._build_id, self._steps, BuildState.RUNNING, plan)
        return True

    async def _goes_on(self) -> bool:
        async with self._run.house.database.read(self._run.client_id) as work:
            return await store.state(work, self._build_id) == BuildState.RUNNING


async def add_step(call: Call, build_id: int, number: int, state: BuildState, plan: Drawn | None) -> None:
    """Write a step and wake whoever follows the build."""
    sums, routes = (to_builtins(plan.sums), compact(plan)) if plan else (None, None)
    await store.add_step(
        call.work, build_id=build_id, number=number, at=call.now, state=state, sums=sums, routes=routes
    )
    call.work.notify(CHANNEL, str(build_id))


async def _commit(call: Call, build_id: int) -> None:
    """Commit as the one who asked for the build; what stands against it is noted, and the plan stays a proposal."""
    row = await store.one(call.work, build_id)
    await store.lock_day(call.work, row.day)
    asker = replace(call, principal=await _asker(call, row))
    try:
        async with call.work.savepoint():
            await commit(asker, row)
    except Refusal as refusal:
        about = [{"field": fault.field, "id": fault.code, "params": dict(fault.params)} for fault in refusal.faults]
        fault = {"id": refusal.problem.id, "params": dict(refusal.params), "about": about}
        await store.change(call.work, build_id, fault=fault)


async def _asker(call: Call, row: Any) -> Principal:
    people = await users(call, [row.created_by]) if row.created_by else {}
    name = people[row.created_by].name if row.created_by in people else None
    own = call.principal
    return Principal(Account(row.account), user_id=row.created_by, name=name, business=own.business, scopes=own.scopes)
