"""Background job of a plan search.

It searches outside transactions, stores each better plan, and can be killed at any moment. Another worker then restarts
it with the same seed: a search by time uses the remaining time and keeps the better plan, a search by steps repeats all
steps and returns the same plan.
"""

import asyncio
from datetime import datetime, timedelta
from typing import Any

from msgspec import Struct, to_builtins

from haulier.contexts.warehouse.events import PlanSearchEnded, PlanSearchImproved
from haulier.contexts.warehouse.plan_searches import store
from haulier.contexts.warehouse.plan_searches.rules import (
    ACTIVE_STATES,
    KINDS,
    PlanSearchKind,
    PlanSearchState,
    is_no_worse,
    read_document,
    score_of,
)
from haulier.contexts.warehouse.plan_searches.store import SearchStepRow
from haulier.contexts.warehouse.ports import (
    LoadingSearch,
    LoadingSolver,
    PackingSearch,
    PackingSearchFailed,
    PackingSolver,
    StockingSearch,
    StockingSolver,
)
from haulier.kernel.background.jobs import job
from haulier.kernel.call import Call
from haulier.kernel.data.notices import client_subject
from haulier.kernel.job_run import JobRun
from haulier.solvers.packing.budget import PackingBudget

PLAN_SEARCH_JOB = "warehouse.plan_search"
PLAN_SEARCH_QUEUE = "plan_searches"
PLAN_SEARCH_CHANNEL = "haulier_plan_search"
"""The channel of notices that a search has a new step; a subject is a client and the search's id."""
MAX_SEARCH_ATTEMPTS = 3
MIN_STEP_INTERVAL_S = 1.0
"""Minimum seconds between stored plans; earlier ones wait."""
STEPS_INTERVAL_S = 5.0
"""Seconds between updates of the step count."""
MIN_SEARCH_S = 1.0


class RunPlanSearch(Struct, frozen=True):
    """Reference to a search."""

    plan_search_id: int


class StartedSearch(Struct, frozen=True):
    """A search that this attempt runs."""

    kind: PlanSearchKind
    problem: Any
    shown: Any
    """Best plan of earlier attempts; nothing worse is shown."""
    kept: Any
    """Earlier plan that can be the result; None for a search by steps, which restarts."""
    budget: PackingBudget
    ends_at: datetime
    """Time at which a search by steps is cut short."""
    seed: int
    improvements: int


@job(PLAN_SEARCH_JOB, RunPlanSearch, queue=PLAN_SEARCH_QUEUE, max_attempts=MAX_SEARCH_ATTEMPTS)
async def run_plan_search(run: JobRun, args: RunPlanSearch) -> None:
    """Search for the best plan. Ended and cancelled searches are skipped."""
    started = await _start_attempt(run, args.plan_search_id)
    if started is None:
        return
    progress = SearchProgress(run, args.plan_search_id, started)
    try:
        plan = await _search(run, started, progress)
    except PackingSearchFailed:
        if run.attempt < MAX_SEARCH_ATTEMPTS:
            raise
        await progress.end(PlanSearchState.FAILED, None, fault="plan_search_failed")
        return
    best = plan if plan is not None and is_no_worse(plan, started.kept) else started.kept
    if best is None:
        await progress.end(PlanSearchState.FAILED, None, fault="packing_not_found_in_time")
    else:
        await progress.end(PlanSearchState.DONE, best)


async def _start_attempt(run: JobRun, plan_search_id: int) -> StartedSearch | None:
    async with run.call() as call:
        row = await store.get_search(call.work, plan_search_id, lock=True)
        if row is None or row.state not in ACTIVE_STATES:
            return None
        started = row.started_at or call.now
        running = {"state": PlanSearchState.RUNNING, "attempt": run.attempt, "started_at": started}
        await store.update_search(call.work, plan_search_id, **running, updated_at=call.now)
        kind = PlanSearchKind(row.kind)
        problem, shown = read_document(kind, row.problem, row.plan)
        return StartedSearch(
            kind=kind,
            problem=problem,
            shown=shown,
            kept=None if row.steps else shown,
            budget=_budget(row, started, call.now),
            ends_at=call.now + timedelta(seconds=row.seconds),
            seed=row.seed,
            improvements=row.improvements,
        )


def _budget(row: store.SearchRow, started: datetime, now: datetime) -> PackingBudget:
    """Return the remaining time, or all steps."""
    left = max(MIN_SEARCH_S, row.seconds - (now - started).total_seconds())
    return PackingBudget(steps=row.steps) if row.steps else PackingBudget(seconds=left)


async def _search(run: JobRun, started: StartedSearch, progress: "SearchProgress") -> Any:
    problem, budget, seed = started.problem, started.budget, started.seed
    if started.kind is PlanSearchKind.PACKING:
        packing = PackingSearch(problem=problem, budget=budget, seed=seed)
        return await run.app.adapter(PackingSolver).improve(packing, progress.tell)
    if started.kind is PlanSearchKind.STOCKING:
        stocking = StockingSearch(problem=problem, budget=budget, seed=seed)
        return await run.app.adapter(StockingSolver).improve(stocking, progress.tell)
    loading = LoadingSearch(problem=problem, budget=budget, seed=seed)
    return await run.app.adapter(LoadingSolver).improve(loading, progress.tell)


class SearchProgress:
    """Progress of an attempt: stores better plans and checks for cancellation."""

    def __init__(self, run: JobRun, plan_search_id: int, started: StartedSearch) -> None:
        self._run, self._id, self._started = run, plan_search_id, started
        self._improvements, self._best = started.improvements, started.shown
        self._time = asyncio.get_running_loop().time
        self._next = self._next_steps = 0.0
        self._waiting: Any = None
        self._steps_done = 0
        self._is_cut_short = False

    async def tell(self, plan: Any, steps: int) -> bool:
        """Record a better plan or progress. Return False to stop the search."""
        self._steps_done = steps
        if plan is not None and is_no_worse(plan, self._best):
            self._best = self._waiting = plan
        if self._started.budget.steps and self._run.app.clock() > self._started.ends_at:
            self._is_cut_short = True
            return False
        if self._waiting is not None and self._time() >= self._next:
            plan, self._waiting = self._waiting, None
            self._next = self._time() + MIN_STEP_INTERVAL_S
            return await self._improved(plan)
        if self._time() >= self._next_steps:
            self._next_steps = self._time() + STEPS_INTERVAL_S
            return await self._write(steps_done=steps)
        return await self._is_still_wanted()

    async def end(self, state: PlanSearchState, plan: Any, **values: Any) -> None:
        """Record how the search ended. A cancelled search stays as it is."""
        if plan is not None:
            self._check(plan)
            values |= {"plan": to_builtins(plan), "score": score_of(plan), "steps_done": plan.steps}
        async with self._run.call() as call:
            values |= {"state": state, "updated_at": call.now, "finished_at": call.now}
            values |= {"improvements": self._improvements + 1, "cut_short": self._is_cut_short}
            if await store.update_running(call.work, self._id, self._run.attempt, **values):
                await record_search_step(call, self._id, self._improvements + 1, state, plan and score_of(plan))
                await call.publish(PlanSearchEnded(plan_search_id=self._id, kind=self._started.kind, state=state))

    async def _improved(self, plan: Any) -> bool:
        self._check(plan)
        self._improvements += 1
        async with self._run.call() as call:
            values = {"plan": to_builtins(plan), "score": score_of(plan), "improvements": self._improvements}
            values |= {"steps_done": self._steps_done, "updated_at": call.now}
            if not await store.update_running(call.work, self._id, self._run.attempt, **values):
                return False
            number, state = self._improvements, PlanSearchState.RUNNING
            await record_search_step(call, self._id, number, state, score_of(plan))
            await call.publish(
                PlanSearchImproved(plan_search_id=self._id, kind=self._started.kind, improvements=number)
            )
        return True

    def _check(self, plan: Any) -> None:
        """An engine that breaks a rule is a fault: nothing of it is stored."""
        if broken := KINDS[self._started.kind].check(self._started.problem, plan):
            raise RuntimeError(f"an engine broke rules of {self._started.kind}: {broken}")

    async def _write(self, **values: Any) -> bool:
        async with self._run.call() as call:
            return await store.update_running(call.work, self._id, self._run.attempt, updated_at=call.now, **values)

    async def _is_still_wanted(self) -> bool:
        async with self._run.app.database.read(self._run.client_id) as work:
            return await store.get_search_state(work, self._id) == PlanSearchState.RUNNING


async def record_search_step(
    call: Call, plan_search_id: int, number: int, state: PlanSearchState, score: dict[str, Any] | None
) -> None:
    """Write a step and notify those who follow the search."""
    await SearchStepRow.insert(
        call.work, plan_search_id=plan_search_id, number=number, at=call.now, state=state, score=score
    )
    call.work.notify(PLAN_SEARCH_CHANNEL, client_subject(call.client_id, plan_search_id))
