"""Searches in a thread, so that tests need not start a process."""

import asyncio
import threading
from contextlib import suppress

from haulier.adapters.solver_runner import run_search
from haulier.contexts.planning.ports import OnBetterPlan, SolverRun
from haulier.solvers.routing.plan import RoutingPlan


class ThreadRunner:
    """A solver runner in a thread of this process."""

    async def best(self, search: SolverRun, tell: OnBetterPlan) -> RoutingPlan:
        """The best plan found."""
        loop, stopped = asyncio.get_running_loop(), threading.Event()
        news: asyncio.Queue[RoutingPlan] = asyncio.Queue()

        def progress(plan: RoutingPlan) -> bool:
            loop.call_soon_threadsafe(news.put_nowait, plan)
            return not stopped.is_set()

        searching = asyncio.create_task(asyncio.to_thread(run_search, search, progress))
        best_plan: RoutingPlan | None = None
        try:
            while not searching.done() or not news.empty():
                with suppress(TimeoutError):
                    best_plan = await asyncio.wait_for(news.get(), 0.05)
                if best_plan is not None and not await tell(best_plan):
                    return best_plan
            plan = searching.result()
            await tell(plan)
            return plan
        finally:
            stopped.set()
            await asyncio.wait({searching})
