"""Searches for packing and load plans: what is short in a thread, all else in a process of its own with less precedence."""

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
"""About 30 ms: most questions about a parcel are proved by then, and a process takes longer to start."""
QUICK_LOADING_STEPS = 20
"""A question whose budget is no more than this is answered in a thread."""
GRACE_S = 30
"""A process that takes so much longer than its budget is ended."""
STEPS_SECONDS = 120
"""The most seconds of a search whose budget is steps."""
MAX_STDERR_BYTES = 2000
NICENESS = 5
SILENCE_S = 120
"""A process that tells nothing for so long is ended: some libraries do not look at the clock."""
PACKING_WORKER, LOADING_WORKER = "haulier.solvers.packing.worker", "haulier.solvers.loading.worker"
STOCKING_WORKER = "haulier.solvers.stocking.worker"
P = TypeVar("P")


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
            return decode_plan(await _solve_apart(PACKING_WORKER, task, search.budget)) or plan

    async def improve(self, search: PackingSearch, tell: OnPackingNews) -> PackingPlan | None:
        """See `PackingSolver`. It does not wait at the gate: whoever searches long says how many searches run at once."""
        task = StreamedTask(msgspec.msgpack.encode(search.problem), search.budget, search.seed)
        return await _improve_apart(PACKING_WORKER, task, SearchNews[PackingPlan], tell)


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
            answer = await _solve_apart(LOADING_WORKER, msgspec.msgpack.encode(task), search.budget)
        return msgspec.msgpack.decode(answer, type=LoadingPlan)

    async def improve(self, search: LoadingSearch, tell: OnLoadingNews) -> LoadingPlan | None:
        """See `LoadingSolver`."""
        task = StreamedTask(msgspec.msgpack.encode(search.problem), search.budget, search.seed)
        return await _improve_apart(LOADING_WORKER, task, SearchNews[LoadingPlan], tell)


class ProcessStockingSolver:
    """A process for each search."""

    async def improve(self, search: StockingSearch, tell: OnStockingNews) -> StockingPlan | None:
        """See `StockingSolver`."""
        task = StreamedTask(msgspec.msgpack.encode(search.problem), search.budget, search.seed)
        return await _improve_apart(STOCKING_WORKER, task, SearchNews[StockingPlan], tell)


async def _solve_apart(module: str, task: bytes, budget: PackingBudget) -> bytes:
    """The answer of a process; of one without libraries where the first one failed, since a library can end its process."""
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
    """A process of a search, which is gone when the context is left."""
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
        # Why the group: a library works in a child of the process.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()


async def _improve_apart(
    module: str, task: StreamedTask, news: type[SearchNews[P]], tell: Callable[[P | None, int], Awaitable[bool]]
) -> P | None:
    """The answer of a process that tells of better plans; without libraries where the first one failed."""
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
            with suppress(ConnectionError):  # it died already: stderr has the reason
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
