"""Whether a route can be loaded, and what stays behind where it cannot."""

from collections.abc import Sequence
from time import monotonic

from haulier.solvers.loading.checker import check_loading_plan
from haulier.solvers.loading.engine import LoadingEngine
from haulier.solvers.loading.plan import LoadingPlan
from haulier.solvers.loading.problem import LoadingProblem, LoadSpace
from haulier.solvers.packing.budget import PackingBudget
from haulier.solvers.route_loading.lanes import arrange_in_lanes
from haulier.solvers.route_loading.loads import Aboard, RouteLoads, job_of, loading_problem, moments_aboard
from haulier.solvers.routing.problem import JobTask

SEARCH_STEPS = 300
"""How long one moment of a route is searched for an arrangement."""
SEARCHED_PIECES = 80
"""Of more pieces at once, only the quick arrangement is tried."""
QUICKLY_SEARCHED_PIECES = 25
"""So few are searched in about 10 ms, whatever time is left."""
SECONDS_PER_CUBED_PIECE = 1e-6
"""What a search is thought to take before the first was measured: 0.5 s for 80 pieces that are all different."""


class RouteLoadCheck:
    """Answers about the same boxes and vehicles; what was answered once is remembered."""

    def __init__(self, loads: RouteLoads) -> None:
        self._loads = loads
        self._cubed_piece_s = SECONDS_PER_CUBED_PIECE
        self._left: dict[tuple[str, Aboard], frozenset[int]] = {}

    def left_behind(self, vehicle: int, tasks: Sequence[JobTask], until_s: float | None = None) -> frozenset[int]:
        """The jobs of a route that its vehicle does not take at some time; none where its body is not known.

        `until_s` on the monotonic clock ends the search for arrangements: from then on, only the quick one is tried.
        """
        body = self._loads.bodies.get(vehicle)
        if body is None:
            return frozenset()
        found: set[int] = set()
        for aboard in moments_aboard(tasks):
            found |= self._left_at(body, aboard, until_s)
        return frozenset(found)

    def _left_at(self, body: LoadSpace, aboard: Aboard, until_s: float | None) -> frozenset[int]:
        """The jobs that stay behind where these are aboard."""
        named = body.id, aboard
        if (known := self._left.get(named)) is not None:
            return known
        problem = loading_problem(self._loads, body, aboard)
        # Why again and again: of a job of several boxes some may lie there, and others upon these. Its route is asked for anew.
        quick = _jobs_left(problem, arrange_in_lanes(problem)) if problem.pieces else frozenset()
        if not quick or not self._may_search(len(problem.pieces), until_s):
            if until_s is None or not quick:
                self._left[named] = quick
            return quick
        left = min(self._searched(problem), quick, key=len)
        self._left[named] = left
        return left

    def _may_search(self, pieces: int, until_s: float | None) -> bool:
        if pieces <= QUICKLY_SEARCHED_PIECES:
            return True
        in_time = until_s is None or monotonic() + self._cubed_piece_s * pieces**3 < until_s
        return in_time and pieces <= SEARCHED_PIECES

    def _searched(self, problem: LoadingProblem) -> frozenset[int]:
        began = monotonic()
        budget = PackingBudget(steps=SEARCH_STEPS)
        plan = LoadingEngine().solve(problem, budget=budget, on_better=lambda better: bool(better.left_over))
        found = _jobs_left(problem, plan)
        if len(problem.pieces) > QUICKLY_SEARCHED_PIECES:
            self._cubed_piece_s = max(self._cubed_piece_s, (monotonic() - began) / len(problem.pieces) ** 3)
        return found


def _jobs_left(problem: LoadingProblem, plan: LoadingPlan) -> frozenset[int]:
    """The jobs that a plan leaves behind: of a job, all boxes or none. None only where a check of all that is aboard passes."""
    left = frozenset(job_of(each.piece) for each in plan.left_over)
    if left or not check_loading_plan(problem, plan):
        return left
    return frozenset(job_of(piece.id) for piece in problem.pieces)
