"""Build routes: search, check, keep the best so far, and show every improvement.

No plan is shown or returned that `check` has not passed. By iterations, the same problem and seed give the same plan on
every machine; by time, as much is searched as the time and the workers allow.
"""

from collections.abc import Sequence

from haulier.solvers.routing.best import Best, Built
from haulier.solvers.routing.engine import Budget, Engine, Meter, Progress, carry_on
from haulier.solvers.routing.engines.adoption import repaired, tidied
from haulier.solvers.routing.engines.insertion import Insertion
from haulier.solvers.routing.engines.pyvrp import PyVRP
from haulier.solvers.routing.plan import Plan
from haulier.solvers.routing.problem import Problem
from haulier.solvers.routing.rounds import INSTANT, Rounds
from haulier.solvers.routing.workers import Hands, Here, Workers

PART_MOST = 1000
"""Above so many jobs, even the first plan is made in parts of at most so many."""
ALONE = 40
"""Up to so many jobs, this process is done before workers have begun."""


def build(
    problem: Problem,
    *,
    budget: Budget,
    seed: int = 0,
    start: Plan | None = None,
    engines: Sequence[Engine] | None = None,
    progress: Progress = carry_on,
    workers: int = 1,
    part_most: int = PART_MOST,
) -> Built:
    """The best plan that the engines (`suited`, unless told) find, each starting from the best so far.

    `start` is a plan to begin with, which may be out of date: what is wrong with it is repaired first, and what is not of this
    problem left away. The first plan is shown at once. `progress` is called with every better plan and now and then with the
    same; False ends the search. `workers` are processes that search side by side; 1 means this one, alone. Raises
    `RuntimeError` when not even the first plan passes the check, which is a fault of ours, or a worker dies.
    """
    best, meter = Best(problem, progress), Meter(budget)
    engines = suited(problem) if engines is None else engines
    in_parts = len(problem.jobs) > part_most
    start = start and tidied(problem, start)
    with _hands(problem, budget, workers, in_parts=in_parts) as hands:
        rounds = Rounds(best, engines, hands, seed)
        if in_parts:
            rounds.first(start, part_most)
        else:
            best.offer(Insertion().solve(problem, seed=seed, budget=INSTANT), "insertion")
            if start is not None:
                best.offer(repaired(problem, start), "start")
        if budget.iterations is None:
            rounds.by_time(meter.left_s)
        elif in_parts:
            rounds.by_iterations(budget, part_most)
        else:
            _one_after_another(best, engines, budget, seed)
    return best.built()


def suited(problem: Problem) -> tuple[Engine, ...]:
    """PyVRP, and behind it insertion where the problem says what PyVRP cannot: breaks, locked stops, balance, grace and the
    like. Then each has half of the budget, and insertion starts from PyVRP's plan."""
    unsaid = (
        problem.objective.balance_s
        or any(vehicle.breaks or vehicle.locked for vehicle in problem.vehicles)
        or any(visit.grace_s for job in problem.jobs for _, visit in job.visits())
        or any(
            len(visit.windows) > 1 for job in problem.jobs if job.pickup and job.delivery for _, visit in job.visits()
        )
    )
    return (PyVRP(), Insertion()) if unsaid else (PyVRP(),)


def _hands(problem: Problem, budget: Budget, workers: int, *, in_parts: bool) -> Hands:
    """Workers where there is work for them: by iterations, a problem in one part is one search, that nobody can share."""
    shared = len(problem.jobs) > ALONE if budget.iterations is None else in_parts
    return Workers(workers) if shared and workers > 1 else Here()


def _one_after_another(best: Best, engines: Sequence[Engine], budget: Budget, seed: int) -> None:
    """The whole by each engine in turn, with its share of the budget."""
    share = Budget(
        seconds=None if budget.seconds is None else budget.seconds / len(engines),
        iterations=None if budget.iterations is None else budget.iterations // len(engines),
    )
    for number, engine in enumerate(engines):
        if not best.stopped:
            watch = best.watch(engine.name)
            found = engine.solve(best.problem, seed=seed + number, budget=share, progress=watch, start=best.plan)
            best.offer(found, engine.name)
