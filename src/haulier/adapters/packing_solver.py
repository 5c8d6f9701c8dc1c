"""Searches for packing and load plans.

Short searches run in a thread. Others run in a process of their own with lower priority.
"""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from struct import unpack
from typing import TypeVar

import msgspec

from haulier.contexts.warehouse.ports import (
    LoadingSearch,
    OnLoadingNews,
    OnPackingNews,
    OnStockingNews,
    PackingSearch,
    PackingSearchFailed,
    StockingSearch,
)
from haulier.solvers.loading.plan import LoadingPlan
from haulier.solvers.loading.worker import solve_loading
from haulier.solvers.packing.budget import PackingBudget
from haulier.solvers.packing.installed import WITHOUT_LIBRARIES
from haulier.solvers.packing.plan import PackingPlan, ProofState
from haulier.solvers.packing.streamed import (
    LENGTH_BYTES,
    LENGTH_FORMAT,
    STREAMED,
    SearchNews,
    StreamedTask,
    frame,
)
from haulier.solvers.packing.worker import decode_plan, encode_task, solve_task
from haulier.solvers.stocking.plan import StockingPlan

QUICK_STEPS = 1_500
"""Step budget of about 30 ms.

Most parcel searches reach a proof within this budget, and starting a process takes longer.
"""
QUICK_LOADING_STEPS = 20
"""Searches with at most this budget run in a thread."""
GRACE_S = 30
"""Time after the end of its budget at which a process is killed."""
STEPS_SECONDS = 120
"""Maximum duration of a search whose budget is in steps."""
MAX_STDERR_BYTES = 2000
NICENESS = 5
SILENCE_S = 120
"""Time without output after which a process is killed: some libraries ignore the clock."""
PACKING_WORKER, LOADING_WORKER = "haulier.solvers.packing.worker", "haulier.solvers.loading.worker"
STOCKING_WORKER = "haulier.solvers.stocking.worker"
P = TypeVar("P")


def search_gate() -> asyncio.Semaphore:
    """Return a gate for as many searches as there are processors minus one."""
    return asyncio.Semaphore(max(1, (os.cpu_count() or 2) - 1))


class ProcessPackingSolver:
    """Packing solver with a process for each long search."""

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
            return decode_plan(await _solve_apart(PACKING_WORKER, task, search.budget)) or plan

    async def improve(self, search: PackingSearch, tell: OnPackingNews) -> PackingPlan | None:
        """See `PackingSolver`.

        Does not wait at the gate: the caller of long searches limits how many run at once.
        """
        task = StreamedTask(msgspec.msgpack.encode(search.problem), search.budget, search.seed)
        return await _improve_apart(PACKING_WORKER, task, SearchNews[PackingPlan], tell)


class ProcessLoadingSolver:
    """Loading solver with a process for each search above the smallest budgets."""

    def __init__(self, gate: asyncio.Semaphore) -> None:
        self._gate = gate

    async def solve(self, search: LoadingSearch) -> LoadingPlan:
        """See `LoadingSolver`."""
        steps, task = search.budget.steps, (search.problem, search.budget, search.seed)
        if steps is not None and steps <= QUICK_LOADING_STEPS:
            return await asyncio.to_thread(solve_loading, task)
        async with self._gate:
            answer = await _solve_apart(LOADING_WORKER, msgspec.msgpack.encode(task), search.budget)
        return msgspec.msgpack.decode(answer, type=LoadingPlan)

    async def improve(self, search: LoadingSearch, tell: OnLoadingNews) -> LoadingPlan | None:
        """See `LoadingSolver`."""
        task = StreamedTask(msgspec.msgpack.encode(search.problem), search.budget, search.seed)
        return await _improve_apart(LOADING_WORKER, task, SearchNews[LoadingPlan], tell)


class ProcessStockingSolver:
    """Stocking solver with a process for each search."""

    async def improve(self, search: StockingSearch, tell: OnStockingNews) -> StockingPlan | None:
        """See `StockingSolver`."""
        task = StreamedTask(msgspec.msgpack.encode(search.problem), search.budget, search.seed)
        return await _improve_apart(STOCKING_WORKER, task, SearchNews[StockingPlan], tell)


async def _solve_apart(module: str, task: bytes, budget: PackingBudget) -> bytes:
    """Return the result of a process.

    Retries without libraries if the first process fails, since a library can crash its process.
    """
    try:
        return await _run_process((module,), task, budget)
    except PackingSearchFailed:
        return await _run_process((module, WITHOUT_LIBRARIES), task, budget)


async def _run_process(words: tuple[str, ...], task: bytes, budget: PackingBudget) -> bytes:
    async with _search_process(words) as process:
        seconds = (budget.seconds or STEPS_SECONDS) + GRACE_S
        answer, complaint = await asyncio.wait_for(process.communicate(task), seconds)
    if process.returncode:
        raise PackingSearchFailed(complaint[-MAX_STDERR_BYTES:].decode(errors="replace"))
    return answer


@asynccontextmanager
async def _search_process(words: tuple[str, ...]) -> AsyncGenerator[asyncio.subprocess.Process]:
    """Start a search process, and kill it on exit from the context."""
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
        yield process
    finally:
        # Kill the group: a library works in a child of the process.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()


async def _improve_apart(
    module: str, task: StreamedTask, news: type[SearchNews[P]], tell: Callable[[P | None, int], Awaitable[bool]]
) -> P | None:
    """Return the result of a process that reports better plans.

    Retries without libraries if the first process fails.
    """
    try:
        return await _read_progress((module, STREAMED), task, news, tell)
    except PackingSearchFailed:
        return await _read_progress((module, STREAMED, WITHOUT_LIBRARIES), task, news, tell)


async def _read_progress(
    words: tuple[str, ...],
    task: StreamedTask,
    news: type[SearchNews[P]],
    tell: Callable[[P | None, int], Awaitable[bool]],
) -> P | None:
    async with _search_process(words) as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        complaint = asyncio.create_task(process.stderr.read())
        best: P | None = None
        try:
            with suppress(ConnectionError):  # it has already died, and stderr has the reason
                process.stdin.write(frame(task))
                await process.stdin.drain()
            while True:
                told = await asyncio.wait_for(_read_news(process.stdout, news), SILENCE_S)
                best = told.plan if told.plan is not None or told.is_last else best
                if told.is_last or not await tell(told.plan, told.steps):
                    return best
        except (asyncio.IncompleteReadError, TimeoutError):
            await asyncio.wait({complaint}, timeout=1)
            said = complaint.result() if complaint.done() else b"the process of the search is gone, or silent"
            raise PackingSearchFailed(said[-MAX_STDERR_BYTES:].decode(errors="replace")) from None
        finally:
            complaint.cancel()


async def _read_news(output: asyncio.StreamReader, news: type[SearchNews[P]]) -> SearchNews[P]:
    (length,) = unpack(LENGTH_FORMAT, await output.readexactly(LENGTH_BYTES))
    return msgspec.msgpack.decode(await output.readexactly(length), type=news)
