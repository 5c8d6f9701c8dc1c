"""Solver runs in threads and processes: equal plans, progress, and stopping."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import numpy as np
import psutil
import pytest
from msgspec.structs import replace
from tests.adapters.searches import ENDLESS, make_search
from tests.solvers.routing.problem_makers import make_delivery, make_problem
from tests.support.thread_runner import ThreadRunner

from haulier.adapters.solver_runner import SubprocessRunner, pack_search, unpack_search
from haulier.contexts.planning.ports import SolverRun, SolverRunFailed, SolverRunner
from haulier.solvers.routing.build import build_routes
from haulier.solvers.routing.engine import SearchBudget
from haulier.solvers.routing.plan import RoutingPlan
from haulier.solvers.routing.plan_check import check_plan
from haulier.solvers.routing.travel import TravelMatrices


@pytest.fixture(params=[ThreadRunner, SubprocessRunner])
def searches(request: pytest.FixtureRequest) -> SolverRunner:
    return request.param()


def telling(seen: list[RoutingPlan], *, enough: int = 10**9) -> Callable[[RoutingPlan], Awaitable[bool]]:
    async def tell(plan: RoutingPlan) -> bool:
        seen.append(plan)
        return len(seen) < enough

    return tell


async def test_the_solvers_plan_is_returned_without_blocking_the_event_loop(searches: SolverRunner) -> None:
    search, seen = make_search(SearchBudget(iterations=50)), list[RoutingPlan]()
    task, turns = asyncio.create_task(searches.best(search, telling(seen))), 0
    while not task.done():
        turns += 1
        await asyncio.sleep(0)
    plan = await task
    assert plan == build_routes(search.problem, budget=search.budget, seed=search.seed).plan
    assert seen[-1] == plan
    assert all(check_plan(search.problem, each) == [] for each in seen)
    assert turns > 5  # a search on the loop itself would let it turn once or twice


async def test_a_search_ends_when_its_caller_stops_listening(searches: SolverRunner) -> None:
    search, seen = make_search(SearchBudget(seconds=2)), list[RoutingPlan]()
    plan = await searches.best(search, telling(seen, enough=1))
    assert check_plan(search.problem, plan) == []
    assert len(seen) == 1


async def test_a_cancelled_search_leaves_no_process() -> None:
    begun = asyncio.Event()

    async def tell(plan: RoutingPlan) -> bool:
        begun.set()
        return True

    before = psutil.Process().children()
    task = asyncio.create_task(SubprocessRunner().best(make_search(ENDLESS), tell))
    await begun.wait()
    (child,) = set(psutil.Process().children()) - set(before)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not child.is_running()


async def test_a_cancelled_search_stops_its_workers() -> None:
    begun = asyncio.Event()

    async def tell(plan: RoutingPlan) -> bool:
        begun.set()
        return True

    many = SolverRun(problem=make_problem(*(make_delivery(n, n % 7 + 1) for n in range(1, 60))), budget=ENDLESS)
    task = asyncio.create_task(SubprocessRunner().best(many, tell))
    await begun.wait()
    family = psutil.Process().children(recursive=True)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    _, alive = psutil.wait_procs(family, timeout=60)
    assert len(family) >= 3
    assert alive == []


async def test_a_crashed_search_is_a_failure_and_not_a_plan() -> None:
    async def murderous(plan: RoutingPlan) -> bool:
        (child,) = psutil.Process().children()
        child.kill()
        return True

    with pytest.raises(SolverRunFailed):
        await SubprocessRunner().best(make_search(ENDLESS), murderous)


def test_travel_matrices_are_not_pickled(tmp_path: Path) -> None:
    """Matrices are passed once as raw bytes; pickled data grows linearly with orders."""
    problem = make_problem(*(make_delivery(n, n % 7 + 1) for n in range(1, 200)))
    travel = TravelMatrices(*(np.arange(1000 * 1000).reshape(1000, 1000) for _ in range(2)))
    search = SolverRun(problem=replace(problem, travel=travel), budget=ENDLESS)
    packed = pack_search(search)
    assert [array.nbytes for array in packed.arrays] == [travel.duration_s.nbytes, travel.distance_m.nbytes]
    assert len(packed.head) < travel.duration_s.nbytes / 50
    assert np.shares_memory(np.frombuffer(packed.arrays[0], dtype=np.int64), travel.duration_s)
    with (tmp_path / "search").open("w+b") as file:
        again = unpack_search(file.fileno(), packed.write(file))
    assert again.problem.jobs == problem.jobs
    assert np.array_equal(again.problem.travel.distance_m, travel.distance_m)


SERVER = """
import asyncio, sys
from tests.adapters.searches import ENDLESS, make_search
from haulier.adapters.solver_runner import SubprocessRunner

async def tell(plan):
    print("searching", flush=True)
    return True

asyncio.run(SubprocessRunner().best(make_search(ENDLESS), tell))
"""


def test_a_search_exits_after_its_server_is_killed() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", SERVER], stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": "."}
    ) as server:
        assert server.stdout
        server.stdout.readline()
        (child,) = psutil.Process(server.pid).children()
        server.send_signal(signal.SIGKILL)
    gone, alive = psutil.wait_procs([child], timeout=60)
    assert (len(gone), alive) == (1, [])
