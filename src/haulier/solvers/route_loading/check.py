"""Check of the loading of routes, and the jobs that cannot be loaded."""

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
"""Step limit of the search for an arrangement at one moment of a route."""
SEARCHED_PIECES = 80
"""Maximum number of pieces for a search; with more, only the quick arrangement is tried."""
QUICKLY_SEARCHED_PIECES = 25
"""Up to this number of pieces, a search takes about 10 ms and always runs."""
SECONDS_PER_CUBED_PIECE = 1e-6
"""Initial estimate of search time: 0.5 s for 80 distinct pieces."""


class RouteLoadCheck:
    """Loading checks for a set of boxes and vehicles, with cached answers."""

    def __init__(self, loads: RouteLoads) -> None:
        self._loads = loads
        self._cubed_piece_s = SECONDS_PER_CUBED_PIECE
        self._left: dict[tuple[str, Aboard], frozenset[int]] = {}

    def left_behind(self, vehicle: int, tasks: Sequence[JobTask], until_s: float | None = None) -> frozenset[int]:
        """Return the jobs of a route that its vehicle cannot load at some moment.

        Empty if the cargo space of the vehicle is not known. After `until_s` on the monotonic clock, only the quick
        arrangement is tried.
        """
        body = self._loads.bodies.get(vehicle)
        if body is None:
            return frozenset()
        found: set[int] = set()
        for aboard in moments_aboard(tasks):
            found |= self._left_at(body, aboard, until_s)
        return frozenset(found)

    def _left_at(self, body: LoadSpace, aboard: Aboard, until_s: float | None) -> frozenset[int]:
        """Return the jobs that are left behind out of those aboard."""
        named = body.id, aboard
        if (known := self._left.get(named)) is not None:
            return known
        problem = loading_problem(self._loads, body, aboard)
        # With partly loaded jobs removed the rest may still change, so callers ask again for the reduced route.
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
    """Return the jobs with boxes left behind; all jobs if the plan is invalid."""
    left = frozenset(job_of(each.piece) for each in plan.left_over)
    if left or not check_loading_plan(problem, plan):
        return left
    return frozenset(job_of(piece.id) for piece in problem.pieces)
