"""Route building: search, check, keep the incumbent and report every improvement.

No plan is reported or returned that `plan_check` has not passed. With a budget in iterations, a problem and seed give
the same plan on every machine; with a budget in seconds, the result depends on the machine and the workers.
"""

from collections.abc import Sequence

from haulier.solvers.routing.best_plan import BestPlan, BuildResult
from haulier.solvers.routing.engine import BudgetMeter, Progress, SearchBudget, SearchEngine, always_continue
from haulier.solvers.routing.engines.insertion import InsertionEngine
from haulier.solvers.routing.engines.pyvrp import PyVrpEngine
from haulier.solvers.routing.engines.repair import repair_plan, restrict_plan
from haulier.solvers.routing.plan import RoutingPlan
from haulier.solvers.routing.problem import RoutingProblem
from haulier.solvers.routing.rounds import NO_ITERATIONS, SearchRounds
from haulier.solvers.routing.workers import InlineWorkers, ProcessWorkers, WorkerPool

MAX_PART_SIZE = 1000
"""Maximum number of jobs in one part; larger problems are split even for the first plan."""
# A first plan of 1,000 stops takes about a second (bench/ROUTING.md); the target is 2 s.
MAX_JOBS_WITHOUT_WORKERS = 40
"""Up to this number of jobs, no worker processes are started."""
# This process is done before worker processes have started.


def build_routes(
    problem: RoutingProblem,
    *,
    budget: SearchBudget,
    seed: int = 0,
    start: RoutingPlan | None = None,
    engines: Sequence[SearchEngine] | None = None,
    progress: Progress = always_continue,
    workers: int = 1,
    max_part_size: int = MAX_PART_SIZE,
) -> BuildResult:
    """Return the best plan found by the engines, which each start from the incumbent.

    `engines` defaults to `suitable_engines`. `start` is an initial plan that may be out of date: it is restricted to
    this problem and repaired first. `progress` receives the first plan, every better plan, and repeats of the best one
    from time to time; returning False ends the search. `workers` is the number of processes that search in parallel; 1
    uses this process only. Raises `RuntimeError` if not even the first plan passes the check, or if a worker dies.
    """
    best, meter = BestPlan(problem, progress), BudgetMeter(budget)
    engines = suitable_engines(problem) if engines is None else engines
    in_parts = len(problem.jobs) > max_part_size
    start = start and restrict_plan(problem, start)
    with _worker_pool_for(problem, budget, workers, in_parts=in_parts) as pool:
        rounds = SearchRounds(best, engines, pool, seed)
        if in_parts:
            rounds.make_first_plan(start, max_part_size)
        else:
            best.offer(InsertionEngine().solve(problem, seed=seed, budget=NO_ITERATIONS), "insertion")
            if start is not None:
                best.offer(repair_plan(problem, start), "start")
        if budget.iterations is None:
            rounds.run_by_time(meter.left_s)
        elif in_parts:
            rounds.run_by_iterations(budget, max_part_size)
        else:
            _search_in_turn(best, engines, budget, seed)
    return best.to_result()


def suitable_engines(problem: RoutingProblem) -> tuple[SearchEngine, ...]:
    """Return PyVRP, plus insertion if PyVRP lacks constraints of the problem.

    These are breaks, locked stops, balance, grace, and several windows of a pickup and delivery pair. Each engine then
    gets half of the budget.
    """
    beyond_pyvrp = (
        problem.objective.balance_s
        or any(vehicle.breaks or vehicle.locked for vehicle in problem.vehicles)
        or any(visit.grace_s for job in problem.jobs for _, visit in job.visits())
        or any(
            len(visit.windows) > 1 for job in problem.jobs if job.pickup and job.delivery for _, visit in job.visits()
        )
    )
    return (PyVrpEngine(), InsertionEngine()) if beyond_pyvrp else (PyVrpEngine(),)


def _worker_pool_for(problem: RoutingProblem, budget: SearchBudget, workers: int, *, in_parts: bool) -> WorkerPool:
    """Return worker processes if the search can be shared, else this process.

    With a budget in iterations, a problem in one part is a single search.
    """
    shared = len(problem.jobs) > MAX_JOBS_WITHOUT_WORKERS if budget.iterations is None else in_parts
    return ProcessWorkers(workers) if shared and workers > 1 else InlineWorkers()


def _search_in_turn(best: BestPlan, engines: Sequence[SearchEngine], budget: SearchBudget, seed: int) -> None:
    """Search the whole problem with each engine in turn, with its share of the budget."""
    share = SearchBudget(
        seconds=None if budget.seconds is None else budget.seconds / len(engines),
        iterations=None if budget.iterations is None else budget.iterations // len(engines),
    )
    for number, engine in enumerate(engines):
        if not best.stopped:
            watch = best.watch(engine.name)
            plan = engine.solve(best.problem, seed=seed + number, budget=share, progress=watch, start=best.plan)
            best.offer(plan, engine.name)
