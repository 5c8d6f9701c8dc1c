"""Searches for packing and load plans: what is short in a thread, all else in a process of its own with less precedence."""

import asyncio
import os
import signal
import sys
from contextlib import suppress

import msgspec

from haulier.contexts.warehouse.ports import LoadingSearch, PackingSearch, PackingSearchFailed
from haulier.solvers.loading.plan import LoadingPlan
from haulier.solvers.loading.worker import solve_loading
from haulier.solvers.packing.budget import PackingBudget
from haulier.solvers.packing.installed import WITHOUT_LIBRARIES
from haulier.solvers.packing.plan import PackingPlan, ProofState
from haulier.solvers.packing.worker import decode_plan, encode_task, solve_task

QUICK_STEPS = 1_500
"""About 30 ms: most questions about a parcel are proved by then, and a process takes longer to start."""
QUICK_LOADING_STEPS = 20
"""A question whose budget is no more than this is answered in a thread."""
GRACE_S = 30
"""A process that takes so much longer than its budget is ended."""
STEPS_SECONDS = 120
"""The most seconds of a search whose budget is steps."""
MAX_STDERR_BYTES = 2000
NICENESS = 5


def search_gate() -> asyncio.Semaphore:
    """Lets as many searches run at once as there are processors but one."""
    return asyncio.Semaphore(max(1, (os.cpu_count() or 2) - 1))


class ProcessPackingSolver:
    """A process for each long search."""

    def __init__(self, gate: asyncio.Semaphore) -> None:
        self._gate = gate

    async def solve(self, search: PackingSearch) -> PackingPlan | None:
        """See `PackingSolver`."""
        steps = search.budget.steps
        quick = PackingBudget(steps=min(QUICK_STEPS, steps or QUICK_STEPS), seconds=search.budget.seconds)
        plan = await asyncio.to_thread(solve_task, (search.problem, quick, search.seed))
        proved = plan is not None and plan.state != ProofState.BEST_FOUND
        if proved or (steps is not None and steps <= QUICK_STEPS):
            return plan
        async with self._gate:
            task = encode_task((search.problem, search.budget, search.seed))
            return decode_plan(await _solve_apart("haulier.solvers.packing.worker", task, search.budget)) or plan


class ProcessLoadingSolver:
    """A process for each search that is not tiny."""

    def __init__(self, gate: asyncio.Semaphore) -> None:
        self._gate = gate

    async def solve(self, search: LoadingSearch) -> LoadingPlan:
        """See `LoadingSolver`."""
        steps, task = search.budget.steps, (search.problem, search.budget, search.seed)
        if steps is not None and steps <= QUICK_LOADING_STEPS:
            return await asyncio.to_thread(solve_loading, task)
        async with self._gate:
            answer = await _solve_apart("haulier.solvers.loading.worker", msgspec.msgpack.encode(task), search.budget)
        return msgspec.msgpack.decode(answer, type=LoadingPlan)


async def _solve_apart(module: str, task: bytes, budget: PackingBudget) -> bytes:
    """The answer of a process; of one without libraries where the first one failed, since a library can end its process."""
    try:
        return await _run_process((module,), task, budget)
    except PackingSearchFailed:
        return await _run_process((module, WITHOUT_LIBRARIES), task, budget)


async def _run_process(words: tuple[str, ...], task: bytes, budget: PackingBudget) -> bytes:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", *words),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    try:
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, process.pid, NICENESS)
        seconds = (budget.seconds or STEPS_SECONDS) + GRACE_S
        answer, complaint = await asyncio.wait_for(process.communicate(task), seconds)
    finally:
        # Why the group: a library works in a child of the process.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()
    if process.returncode:
        raise PackingSearchFailed(complaint[-MAX_STDERR_BYTES:].decode(errors="replace"))
    return answer
