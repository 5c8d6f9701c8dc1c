"""Process workers: the same plans, progress reports, and no process left behind."""

import contextlib
import os
import signal
import subprocess
import sys
from typing import Any

import psutil
import pytest
from tests.solvers.routing.benchmark_instances import solomon
from tests.solvers.routing.search_tasks import ENDLESS, make_task

from haulier.solvers.routing.build import build_routes
from haulier.solvers.routing.engine import SearchBudget
from haulier.solvers.routing.engines.pyvrp import PyVrpEngine
from haulier.solvers.routing.plan import RoutingPlan
from haulier.solvers.routing.plan_check import check_plan
from haulier.solvers.routing.problem import RoutingProblem
from haulier.solvers.routing.score import score_plan
from haulier.solvers.routing.workers import InlineWorkers, ProcessWorkers


class Broken:
    """An engine with a fault."""

    name = "broken"

    def solve(self, problem: RoutingProblem, **words: Any) -> RoutingPlan:
        raise ZeroDivisionError("nobody is here")


def running_workers() -> list[int]:
    """Return the worker processes of this process that still run (a zombie has ended)."""
    running: list[int] = []
    for child in psutil.Process().children():
        with contextlib.suppress(psutil.NoSuchProcess):
            if "haulier.solvers.routing.workers" in child.cmdline():
                running.append(child.pid)
    return running


def test_workers_give_the_same_plans_as_one_process_and_exit() -> None:
    tasks = [make_task(seed) for seed in range(5)]
    alone = InlineWorkers().run_all(tasks, lambda plans: True)
    with ProcessWorkers(2) as workers:
        assert workers.run_all(tasks, lambda plans: True) == alone
        assert workers.run_all(tasks[:1], lambda plans: True) == {0: alone[0]}
        processes = [child for child in psutil.Process().children() if child.pid in workers.pids]
        assert len(processes) == 2
    assert not any(process.is_running() for process in processes)


def test_a_background_task_runs_beside_the_others_and_its_worker_returns() -> None:
    tasks = [make_task(seed) for seed in range(5)]
    background_plans: list[RoutingPlan] = []
    with ProcessWorkers(2) as workers:
        workers.run_in_background(make_task(0, SearchBudget(iterations=400), PyVrpEngine()), background_plans.append)
        assert workers.count == 1
        assert workers.run_all(tasks, lambda plans: True) == InlineWorkers().run_all(tasks, lambda plans: True)
        workers.wait_for_background(60)
        assert workers.count == 2
        assert workers.run_all(tasks, lambda plans: True).keys() == set(range(5))
    assert all(check_plan(tasks[0].problem, plan) == [] for plan in background_plans)
    assert background_plans


def test_a_search_by_time_finds_at_least_what_its_engine_finds_alone() -> None:
    problem = solomon("solomon/C107")
    alone = PyVrpEngine(random_start=True).solve(problem, seed=3, budget=SearchBudget(iterations=1))
    built = build_routes(problem, seed=3, budget=SearchBudget(seconds=2), workers=2)
    assert check_plan(problem, built.plan) == []
    assert built.score <= score_plan(problem, alone)


def test_an_endless_search_ends_when_the_watcher_stops_it() -> None:
    problem = solomon("solomon/RC105")
    seen: list[RoutingPlan] = []

    def watch(plan: RoutingPlan) -> bool:
        seen.append(plan)
        return len(seen) < 4

    built = build_routes(problem, budget=SearchBudget(seconds=3600), workers=2, progress=watch)
    assert check_plan(problem, built.plan) == []
    assert built.plan is seen[-1]
    assert running_workers() == []


def test_an_error_in_a_worker_is_raised_at_once() -> None:
    with ProcessWorkers(1) as workers, pytest.raises(RuntimeError, match="nobody is here"):
        workers.run_all([make_task(1, engine=Broken())], lambda plans: True)


def test_the_death_of_a_worker_is_raised() -> None:
    def kill_workers(plans: dict[int, RoutingPlan]) -> bool:
        for pid in workers.pids:
            os.kill(pid, signal.SIGKILL)
        return True

    with ProcessWorkers(1) as workers, pytest.raises(RuntimeError, match="gone"):
        workers.run_all([make_task(1, ENDLESS)], kill_workers)


PARENT = """
from tests.solvers.routing.search_tasks import ENDLESS, make_task
from haulier.solvers.routing.workers import ProcessWorkers

def watch(plans):
    print(*workers.pids, flush=True)
    return True

if __name__ == "__main__":
    with ProcessWorkers(1) as workers:
        workers.run_all([make_task(1, ENDLESS)], watch)
"""


def test_workers_exit_when_their_parent_is_killed() -> None:
    options: Any = {"stdout": subprocess.PIPE, "env": {**os.environ, "PYTHONPATH": "."}}
    with subprocess.Popen([sys.executable, "-c", PARENT], **options) as parent:
        assert parent.stdout
        (worker,) = map(psutil.Process, map(int, parent.stdout.readline().split()))
        parent.send_signal(signal.SIGKILL)
    gone, alive = psutil.wait_procs([worker], timeout=60)
    assert (len(gone), alive) == (1, [])
