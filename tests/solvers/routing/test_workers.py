"""ProcessWorkers: the same plans as without, told on the way, and nobody left behind."""

import os
import signal
import subprocess
import sys
from typing import Any

import psutil
import pytest
from tests.solvers.routing.benchmark_instances import solomon
from tests.solvers.routing.problem_makers import a_delivery, a_problem, solve_by_insertion

from haulier.solvers.routing.build import build_routes
from haulier.solvers.routing.engine import SearchBudget
from haulier.solvers.routing.engines.insertion import InsertionEngine
from haulier.solvers.routing.engines.pyvrp import PyVrpEngine
from haulier.solvers.routing.plan import RoutingPlan
from haulier.solvers.routing.plan_check import check_plan
from haulier.solvers.routing.problem import RoutingProblem
from haulier.solvers.routing.score import score_plan
from haulier.solvers.routing.workers import InlineWorkers, ProcessWorkers, SearchTask

SHORT, ENDLESS = SearchBudget(iterations=20), SearchBudget(iterations=10**9)


class Broken:
    """An engine with a fault."""

    name = "broken"

    def solve(self, problem: RoutingProblem, **words: Any) -> RoutingPlan:
        raise ZeroDivisionError("nobody is here")


def a_task(seed: int, budget: SearchBudget = SHORT, engine: Any = None) -> SearchTask:
    problem = a_problem(*(a_delivery(n, n % 7 + 1) for n in range(1, 9)))
    start = solve_by_insertion(problem, 0)
    return SearchTask(engine=engine or InsertionEngine(), problem=problem, start=start, seed=seed, budget=budget)


def test_workers_find_what_one_process_finds_whatever_their_number_and_are_gone_afterwards() -> None:
    tasks = [a_task(seed) for seed in range(5)]
    alone = InlineWorkers().run_all(tasks, lambda found: True)
    with ProcessWorkers(2) as workers:
        assert workers.run_all(tasks, lambda found: True) == alone
        assert workers.run_all(tasks[:1], lambda found: True) == {0: alone[0]}
        processes = [each for each in psutil.Process().children() if each.pid in workers.pids]
        assert len(processes) == 2
    assert not any(process.is_running() for process in processes)


def test_one_that_is_lent_goes_on_beside_the_others_and_comes_back() -> None:
    tasks = [a_task(seed) for seed in range(5)]
    heard: list[RoutingPlan] = []
    with ProcessWorkers(2) as workers:
        workers.run_in_background(a_task(0, SearchBudget(iterations=400), PyVrpEngine()), heard.append)
        assert workers.count == 1
        assert workers.run_all(tasks, lambda found: True) == InlineWorkers().run_all(tasks, lambda found: True)
        workers.wait_for_background(60)
        assert workers.count == 2
        assert workers.run_all(tasks, lambda found: True).keys() == set(range(5))
    assert all(check_plan(tasks[0].problem, plan) == [] for plan in heard)
    assert heard


def test_a_search_by_time_finds_at_least_what_its_engine_finds_alone() -> None:
    problem = solomon("solomon/C107")
    alone = PyVrpEngine(random_start=True).solve(problem, seed=3, budget=SearchBudget(iterations=1))
    built = build_routes(problem, seed=3, budget=SearchBudget(seconds=2), workers=2)
    assert check_plan(problem, built.plan) == []
    assert built.score <= score_plan(problem, alone)


def test_an_endless_search_is_over_when_whoever_watches_has_seen_enough() -> None:
    problem = solomon("solomon/RC105")
    seen: list[RoutingPlan] = []

    def watch(plan: RoutingPlan) -> bool:
        seen.append(plan)
        return len(seen) < 4

    built = build_routes(problem, budget=SearchBudget(seconds=3600), workers=2, progress=watch)
    assert check_plan(problem, built.plan) == []
    assert built.plan is seen[-1]
    assert not any("haulier.solvers.routing.workers" in child.cmdline() for child in psutil.Process().children())


def test_a_fault_of_a_worker_is_told_and_not_waited_for() -> None:
    with ProcessWorkers(1) as workers, pytest.raises(RuntimeError, match="nobody is here"):
        workers.run_all([a_task(1, engine=Broken())], lambda found: True)


def test_a_worker_that_dies_is_missed() -> None:
    def murderous(found: dict[int, RoutingPlan]) -> bool:
        for pid in workers.pids:
            os.kill(pid, signal.SIGKILL)
        return True

    with ProcessWorkers(1) as workers, pytest.raises(RuntimeError, match="gone"):
        workers.run_all([a_task(1, ENDLESS)], murderous)


HIRING = """
from tests.solvers.routing.test_workers import ENDLESS, a_task
from haulier.solvers.routing.workers import ProcessWorkers

def watch(found):
    print(*workers.pids, flush=True)
    return True

if __name__ == "__main__":
    with ProcessWorkers(1) as workers:
        workers.run_all([a_task(1, ENDLESS)], watch)
"""


def test_workers_end_by_themselves_when_whoever_hired_them_was_killed() -> None:
    words: Any = {"stdout": subprocess.PIPE, "env": {**os.environ, "PYTHONPATH": "."}}
    with subprocess.Popen([sys.executable, "-c", HIRING], **words) as hiring:
        assert hiring.stdout
        (worker,) = map(psutil.Process, map(int, hiring.stdout.readline().split()))
        hiring.send_signal(signal.SIGKILL)
    gone, alive = psutil.wait_procs([worker], timeout=20)
    assert (len(gone), alive) == (1, [])
