"""Searches for packing plans: what is proved at once in a thread, all else in a process of its own with less precedence."""

import asyncio
import os
import sys
from contextlib import suppress

from haulier.contexts.warehouse.ports import PackingSearch, PackingSearchFailed
from haulier.solvers.packing.budget import PackingBudget
from haulier.solvers.packing.plan import PackingPlan, ProofState
from haulier.solvers.packing.worker import decode_plan, encode_task, solve_task

QUICK_STEPS = 1_500
"""About 30 ms: most questions about a parcel are proved by then, and a process takes longer to start."""
GRACE_S = 30
"""A process that takes so much longer than its budget is ended."""
STEPS_SECONDS = 120
"""The most seconds of a search whose budget is steps."""
MAX_STDERR_BYTES = 2000
NICENESS = 5


class ProcessPackingSolver:
    """A process for each long search, as many at once as there are processors but one."""

    def __init__(self) -> None:
        self._gate = asyncio.Semaphore(max(1, (os.cpu_count() or 2) - 1))

    async def solve(self, search: PackingSearch) -> PackingPlan | None:
        """See `PackingSolver`."""
        steps = search.budget.steps
        quick = PackingBudget(steps=min(QUICK_STEPS, steps or QUICK_STEPS), seconds=search.budget.seconds)
        plan = await asyncio.to_thread(solve_task, (search.problem, quick, search.seed))
        proved = plan is not None and plan.state != ProofState.BEST_FOUND
        if proved or (steps is not None and steps <= QUICK_STEPS):
            return plan
        async with self._gate:
            return await self._solve_apart(search) or plan

    async def _solve_apart(self, search: PackingSearch) -> PackingPlan | None:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "haulier.solvers.packing.worker"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        task = encode_task((search.problem, search.budget, search.seed))
        try:
            with suppress(OSError):
                os.setpriority(os.PRIO_PROCESS, process.pid, NICENESS)
            seconds = (search.budget.seconds or STEPS_SECONDS) + GRACE_S
            answer, complaint = await asyncio.wait_for(process.communicate(task), seconds)
        finally:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()
        if process.returncode:
            raise PackingSearchFailed(complaint[-MAX_STDERR_BYTES:].decode(errors="replace"))
        return decode_plan(answer)
