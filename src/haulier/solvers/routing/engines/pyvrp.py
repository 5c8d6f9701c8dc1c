"""PyVRP engine: iterated local search in C++.

See Wouda, Lan and Kool, INFORMS Journal on Computing 36, 2024.
"""

from time import monotonic

from pyvrp import (
    CostEvaluator,
    IteratedLocalSearch,
    IteratedLocalSearchParams,
    PenaltyManager,
    PenaltyParams,
    RandomNumberGenerator,
    Solution,
)
from pyvrp.IteratedLocalSearch import IteratedLocalSearchCallbacks
from pyvrp.search import (
    OPERATORS,
    LocalSearch,
    NeighbourhoodParams,
    PerturbationManager,
    PerturbationParams,
    compute_neighbours,
)
from typing_extensions import override

from haulier.solvers.routing.compiled import CompiledProblem
from haulier.solvers.routing.engine import BudgetMeter, Progress, SearchBudget, always_continue
from haulier.solvers.routing.engines.insertion import insert_absent_jobs
from haulier.solvers.routing.engines.pyvrp_model import PyVrpModel
from haulier.solvers.routing.engines.repair import repair_sequences
from haulier.solvers.routing.engines.state import SearchState, initial_state, set_locked_grace
from haulier.solvers.routing.plan import RoutingPlan
from haulier.solvers.routing.problem import RoutingProblem
from haulier.solvers.routing.timetable import node_sequences
from haulier.solvers.routing.unassigned_reasons import ReasonFinder

WATCH_INTERVAL_S = 0.5
"""Seconds between two progress reports."""
WATCH_INTERVAL_ITERATIONS = 500
"""Iterations between two progress reports without a time budget."""
# Not by time: a report decides which plan is kept, and budgets in iterations must be reproducible.


class PyVrpEngine:
    """The main engine, with repair by insertion where PyVRP lacks a constraint.

    See `pyvrp_model` for these constraints. With `random_start` it begins with random routes instead of `start`, which
    is still returned if nothing better is found.
    """

    name = "pyvrp"

    def __init__(self, *, random_start: bool = False) -> None:
        self._random_start = random_start

    def solve(
        self,
        problem: RoutingProblem,
        *,
        seed: int = 0,
        budget: SearchBudget,
        progress: Progress = always_continue,
        start: RoutingPlan | None = None,
    ) -> RoutingPlan:
        """Return the best plan found, at least as good as `start`."""
        meter, compiled = BudgetMeter(budget), CompiledProblem(problem)
        reasons = ReasonFinder(compiled)
        set_locked_grace(compiled)
        state = insert_absent_jobs(initial_state(compiled, node_sequences(compiled, start) if start else None))
        model = PyVrpModel(compiled, state, reasons)
        watch = _PyVrpWatcher(model, reasons, state, meter, progress, timed=budget.seconds is not None)
        if model.seats and model.jobs:
            watch.consider(_run_pyvrp(model, watch, seed, random_start=self._random_start))
        return watch.best.plan(reasons)


def _run_pyvrp(model: PyVrpModel, watch: "_PyVrpWatcher", seed: int, *, random_start: bool) -> Solution:
    """Run PyVRP's own `solve`, with a full local search of the start solution first."""
    # PyVRP does this for random solutions; without it, large problems hardly improve on insertion.
    data = model.data
    neighbours = compute_neighbours(data, NeighbourhoodParams())
    chance = RandomNumberGenerator(seed)
    local = LocalSearch(data, chance, neighbours, PerturbationManager(PerturbationParams()))
    for operator in OPERATORS:
        if operator.supports(data):
            local.add_operator(operator(data))
    penalties = PenaltyManager(PenaltyParams().midpoint_penalties(data))
    first = Solution.make_random(data, chance) if random_start else model.start()
    better = local(first, penalties.max_cost_evaluator(), exhaustive=True)
    start = better if random_start or better.is_feasible() else first
    if start.is_feasible():
        watch.on_best(start)
    search = IteratedLocalSearch(data, penalties, local, start, IteratedLocalSearchParams(callbacks=watch))
    return search.run(watch.should_stop, collect_stats=False).best


class _PyVrpWatcher(IteratedLocalSearchCallbacks):
    """Keeps the best plan in the full model, reports it, and ends the search."""

    def __init__(
        self,
        model: PyVrpModel,
        reasons: ReasonFinder,
        state: SearchState,
        meter: BudgetMeter,
        progress: Progress,
        *,
        timed: bool,
    ) -> None:
        self.best = state
        self._timed = timed
        self._model, self._reasons, self._meter, self._progress = model, reasons, meter, progress
        self._news: Solution | None = None
        self._shown = state.plan(reasons)
        self._next_s = monotonic() + WATCH_INTERVAL_S
        self._stopped = False

    def should_stop(self, best_cost: int) -> bool:
        """Return True if PyVRP should stop."""
        return self._stopped or self._meter.spent >= 1

    def consider(self, solution: Solution) -> None:
        """Accept a solution if its repaired plan is better than the best so far."""
        state = repair_sequences(self._model.compiled, self._model.sequences(solution))
        if state.score() < self.best.score():
            self.best, self._shown = state, state.plan(self._reasons)

    @override
    def on_best(self, best: Solution) -> None:
        self._news = best

    @override
    def on_iteration(
        self, current: Solution, candidate: Solution, best: Solution, cost_evaluator: CostEvaluator
    ) -> None:
        self._meter.tick()
        if monotonic() >= self._next_s if self._timed else self._meter.iterations % WATCH_INTERVAL_ITERATIONS == 0:
            if self._news is not None:
                self.consider(self._news)
                self._news = None
            self._stopped = not self._progress(self._shown)
            self._next_s = monotonic() + WATCH_INTERVAL_S
