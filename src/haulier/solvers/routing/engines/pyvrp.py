"""PyVRP as an engine: iterated local search in C++ (Wouda, Lan and Kool, INFORMS Journal on Computing 36, 2024)."""

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

from haulier.solvers.routing.engine import Budget, Meter, Progress, carry_on
from haulier.solvers.routing.engines.adoption import adopted
from haulier.solvers.routing.engines.insertion import first
from haulier.solvers.routing.engines.pyvrp_model import Model
from haulier.solvers.routing.engines.state import State, begin, settle
from haulier.solvers.routing.ground import Ground
from haulier.solvers.routing.plan import Plan
from haulier.solvers.routing.problem import Problem
from haulier.solvers.routing.reasons import Reasons
from haulier.solvers.routing.timetable import sequences_of

BEAT_S = 0.5
"""How often a watcher is asked whether to go on, and shown what is new."""
BEAT = 500
"""How many iterations pass between two such looks where only iterations are counted: then no clock may decide anything, as
the best plan in PyVRP's words is not always the best in ours."""


class PyVRP:
    """The main engine. What it cannot say is repaired by insertion (see `pyvrp_model`).

    `afresh`, it begins with routes made by chance and not with the start, which still counts when nothing better is found.
    """

    name = "pyvrp"

    def __init__(self, *, afresh: bool = False) -> None:
        self._afresh = afresh

    def solve(
        self,
        problem: Problem,
        *,
        seed: int = 0,
        budget: Budget,
        progress: Progress = carry_on,
        start: Plan | None = None,
    ) -> Plan:
        """The best plan found; at least as good as `start`."""
        meter, ground = Meter(budget), Ground(problem)
        reasons = Reasons(ground)
        settle(ground)
        state = first(begin(ground, sequences_of(ground, start) if start else None))
        model = Model(ground, state, reasons)
        watch = _Watch(model, reasons, state, meter, progress, timed=budget.seconds is not None)
        if model.seats and model.jobs:
            watch.consider(_search(model, watch, seed, afresh=self._afresh))
        return watch.best.plan(reasons)


def _search(model: Model, watch: "_Watch", seed: int, *, afresh: bool) -> Solution:
    """PyVRP's own `solve`, but that the given plan goes through a whole local search first, as PyVRP's random ones do: without,
    large problems hardly move from where insertion left them."""
    data = model.data
    neighbours = compute_neighbours(data, NeighbourhoodParams())
    chance = RandomNumberGenerator(seed)
    local = LocalSearch(data, chance, neighbours, PerturbationManager(PerturbationParams()))
    for operator in OPERATORS:
        if operator.supports(data):
            local.add_operator(operator(data))
    penalties = PenaltyManager(PenaltyParams().midpoint_penalties(data))
    given = Solution.make_random(data, chance) if afresh else model.start()
    better = local(given, penalties.max_cost_evaluator(), exhaustive=True)
    start = better if afresh or better.is_feasible() else given
    if start.is_feasible():
        watch.on_best(start)
    search = IteratedLocalSearch(data, penalties, local, start, IteratedLocalSearchParams(callbacks=watch))
    return search.run(watch.enough, collect_stats=False).best


class _Watch(IteratedLocalSearchCallbacks):
    """Looks on: keeps the best plan as ours, shows it, and ends the search."""

    def __init__(
        self, model: Model, reasons: Reasons, state: State, meter: Meter, progress: Progress, *, timed: bool
    ) -> None:
        self.best = state
        self._timed = timed
        self._model, self._reasons, self._meter, self._progress = model, reasons, meter, progress
        self._news: Solution | None = None
        self._shown = state.plan(reasons)
        self._next_s = monotonic() + BEAT_S
        self._stopped = False

    def enough(self, best_cost: int) -> bool:
        """Whether PyVRP should stop."""
        return self._stopped or self._meter.spent >= 1

    def consider(self, solution: Solution) -> None:
        """Keep a solution when, in our words and repaired, it is better than the best so far."""
        state = adopted(self._model.ground, self._model.sequences(solution))
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
        if monotonic() >= self._next_s if self._timed else self._meter.iterations % BEAT == 0:
            if self._news is not None:
                self.consider(self._news)
                self._news = None
            self._stopped = not self._progress(self._shown)
            self._next_s = monotonic() + BEAT_S
