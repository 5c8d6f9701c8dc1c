"""PyVRP with its own `solve`, first solution and parameters, in one thread.

Only the conversion is part of Haulier. A solution becomes a plan when it is sampled, at most twice per second.
"""

from time import monotonic

from pyvrp import CostEvaluator, Solution
from pyvrp.IteratedLocalSearch import IteratedLocalSearchCallbacks, IteratedLocalSearchParams
from pyvrp.solve import SolveParams, solve
from typing_extensions import override

from haulier.solvers.routing.compiled import CompiledProblem
from haulier.solvers.routing.engine import BudgetMeter, Progress, SearchBudget
from haulier.solvers.routing.engines.insertion import insert_absent_jobs
from haulier.solvers.routing.engines.pyvrp_model import PyVrpModel
from haulier.solvers.routing.engines.repair import repair_sequences
from haulier.solvers.routing.engines.state import initial_state, set_locked_grace
from haulier.solvers.routing.plan import RoutingPlan
from haulier.solvers.routing.problem import RoutingProblem
from haulier.solvers.routing.unassigned_reasons import ReasonFinder

WATCH_INTERVAL_S = 0.5


def solve_by_plain_pyvrp(problem: RoutingProblem, budget: SearchBudget, seed: int, progress: Progress) -> RoutingPlan:
    """Return the best plan at the end; better ones are reported on the way."""
    meter, ground = BudgetMeter(budget), CompiledProblem(problem)
    set_locked_grace(ground)
    reasons = ReasonFinder(ground)
    model = PyVrpModel(ground, insert_absent_jobs(initial_state(ground)), reasons)
    watch = _Watch(model, reasons, progress)
    params = SolveParams(ils=IteratedLocalSearchParams(callbacks=watch))

    def spent(best_cost: int) -> bool:
        return meter.spent >= 1

    found = solve(model.data, spent, seed=seed, collect_stats=False, params=params)
    return watch.plan_of(found.best)


class _Watch(IteratedLocalSearchCallbacks):
    def __init__(self, model: PyVrpModel, reasons: ReasonFinder, progress: Progress) -> None:
        self._model, self._reasons, self._progress = model, reasons, progress
        self._news: Solution | None = None
        self._next_s = 0.0

    def plan_of(self, solution: Solution) -> RoutingPlan:
        """Convert a solution into a plan."""
        return repair_sequences(self._model.compiled, self._model.sequences(solution)).plan(self._reasons)

    @override
    def on_best(self, best: Solution) -> None:
        self._news = best

    @override
    def on_iteration(
        self, current: Solution, candidate: Solution, best: Solution, cost_evaluator: CostEvaluator
    ) -> None:
        if self._news is not None and monotonic() >= self._next_s:
            self._progress(self.plan_of(self._news))
            self._news, self._next_s = None, monotonic() + WATCH_INTERVAL_S
