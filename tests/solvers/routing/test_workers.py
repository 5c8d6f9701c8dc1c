"""Workers: the same plans as without, told on the way, and nobody left behind."""

import os
import signal
import subprocess
import sys
from typing import Any

import psutil
import pytest
from tests.solvers.routing.instances import solomon
from tests.solvers.routing.makers import a_delivery, a_problem, solved

from haulier.solvers.routing.build import build
from haulier.solvers.routing.check import check
from haulier.solvers.routing.engine import Budget
from haulier.solvers.routing.engines.insertion import Insertion
from haulier.solvers.routing.engines.pyvrp import PyVRP
from haulier.solvers.routing.plan import Plan
from haulier.solvers.routing.problem import Problem
from haulier.solvers.routing.score import score
from haulier.solvers.routing.workers import Here, Task, Workers

SHORT, ENDLESS = Budget(iterations=20), Budget(iterations=10**9)


class Broken:
    """An engine with a fault."""

    name = "broken"

    def solve(self, problem: Problem, **words: Any) -> Plan:
        raise ZeroDivisionError("nobody is here")


def a_task(seed: int, budget: Budget = SHORT, engine: Any = None) -> Task:
    problem = a_problem(*(a_delivery(n, n % 7 + 1) for n in range(1, 9)))
    start = solved(problem, 0)
    return Task(engine=engine or Insertion(), problem=problem, start=start, seed=seed, budget=budget)


def test_workers_find_what_one_process_finds_whatever_their_number_and_are_gone_afterwards() -> None:
    tasks = [a_task(seed) for seed in range(5)]
    alone = Here().do(tasks, lambda found: True)
    with Workers(2) as workers:
        assert workers.do(tasks, lambda found: True) == alone
        assert workers.do(tasks[:1], lambda found: True) == {0: alone[0]}
        processes = [each for each in psutil.Process().children() if each.pid in workers.pids]
        assert len(processes) == 2
    assert not any(process.is_running() for process in processes)


def test_one_that_is_lent_goes_on_beside_the_others_and_comes_back() -> None:
    tasks = [a_task(seed) for seed in range(5)]
    heard: list[Plan] = []
    with Workers(2) as workers:
        workers.lend(a_task(0, Budget(iterations=400), PyVRP()), heard.append)
        assert workers.count == 1
        assert workers.do(tasks, lambda found: True) == Here().do(tasks, lambda found: True)
        workers.wait_for_lent(60)
        assert workers.count == 2
        assert workers.do(tasks, lambda found: True).keys() == set(range(5))
    assert all(check(tasks[0].problem, plan) == [] for plan in heard)
    assert heard


def test_a_search_by_time_finds_at_least_what_its_engine_finds_alone() -> None:
    problem = solomon("solomon/C107")
    alone = PyVRP(afresh=True).solve(problem, seed=3, budget=Budget(iterations=1))
    built = build(problem, seed=3, budget=Budget(seconds=2), workers=2)
    assert check(problem, built.plan) == []
    assert built.score <= score(problem, alone)


def test_an_endless_search_is_over_when_whoever_watches_has_seen_enough() -> None:
    problem = solomon("solomon/RC105")
    seen: list[Plan] = []

    def watch(plan: Plan) -> bool:
        seen.append(plan)
        return len(seen) < 4

    built = build(problem, budget=Budget(seconds=3600), workers=2, progress=watch)
    assert check(problem, built.plan) == []
    assert built.plan is seen[-1]
    assert not any("haulier.solvers.routing.workers" in child.cmdline() for child in psutil.Process().children())


def test_a_fault_of_a_worker_is_told_and_not_waited_for() -> None:
    with Workers(1) as workers, pytest.raises(RuntimeError, match="nobody is here"):
        workers.do([a_task(1, engine=Broken())], lambda found: True)


def test_a_worker_that_dies_is_missed() -> None:
    def murderous(found: dict[int, Plan]) -> bool:
        for pid in workers.pids:
            os.kill(pid, signal.SIGKILL)
        return True

    with Workers(1) as workers, pytest.raises(RuntimeError, match="gone"):
        workers.do([a_task(1, ENDLESS)], murderous)


HIRING = """
from tests.solvers.routing.test_workers import ENDLESS, a_task
from haulier.solvers.routing.workers import Workers

def watch(found):
    print(*workers.pids, flush=True)
    return True

if __name__ == "__main__":
    with Workers(1) as workers:
        workers.do([a_task(1, ENDLESS)], watch)
"""


def test_workers_end_by_themselves_when_whoever_hired_them_was_killed() -> None:
    words: Any = {"stdout": subprocess.PIPE, "env": {**os.environ, "PYTHONPATH": "."}}
    with subprocess.Popen([sys.executable, "-c", HIRING], **words) as hiring:
        assert hiring.stdout
        (worker,) = map(psutil.Process, map(int, hiring.stdout.readline().split()))
        hiring.send_signal(signal.SIGKILL)
    gone, alive = psutil.wait_procs([worker], timeout=20)
    assert (len(gone), alive) == (1, [])
