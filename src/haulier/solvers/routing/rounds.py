"""Search rounds: parts of a plan in parallel, or the whole with different seeds.

A plan with many routes is cut into parts that keep its routes whole; each part is a separate problem. The next round
cuts in another direction, so that routes improve across the borders of the last one. Parts lose little because a search
considers only neighbouring routes, and each part is searched faster than the whole.

A problem too small to be cut is searched as a whole by every worker, and the next round starts from the best result.
Below `MIN_JOBS_ONLY_IN_PARTS` jobs, one worker runs a single uninterrupted search of the whole, as the engine would on
its own; the rounds of the others can only improve on its plan.
"""

from collections import deque
from collections.abc import Sequence
from itertools import count
from math import ceil
from random import Random
from time import monotonic

from haulier.solvers.routing.best_plan import BestPlan
from haulier.solvers.routing.engine import SearchBudget, SearchEngine
from haulier.solvers.routing.engines.insertion import InsertionEngine
from haulier.solvers.routing.engines.pyvrp import PyVrpEngine
from haulier.solvers.routing.merger import PartMerger, empty_plan, merge_parts
from haulier.solvers.routing.plan import RoutingPlan
from haulier.solvers.routing.problem import RoutingProblem
from haulier.solvers.routing.split import split_problem
from haulier.solvers.routing.workers import SearchTask, WorkerPool

MIN_JOBS_TO_SPLIT = 300
"""From this number of jobs on, rounds alternate between the whole and its parts."""
MIN_JOBS_ONLY_IN_PARTS = 700
"""From this number of jobs on, every round is in parts."""
# Below it, rounds in parts only were slightly worse than a single search (docs/deliver/route-planning.md).
TARGET_PART_JOBS = 500
"""Approximate number of jobs per part with a time budget."""
# Half a problem improves about twice as fast (docs/deliver/route-planning.md).
ROUND_LENGTH_S = 5.0
"""Seconds for each part in a round, and for the whole when it alternates with its parts."""
MIN_ROUNDS = 3
"""Minimum number of rounds of a budget; rounds become shorter to reach it."""
WHOLE_ROUND_LENGTH_S = 30.0
"""Seconds for a problem too small to be cut, before its search restarts from the best plan."""
# Finding the plan with the fewest vehicles can take this long.
ROUND_SHARES = (0.5, 0.25, 0.25)
"""Share of the iterations for each round."""
EARLY_END_S = 0.3
"""Seconds by which a background search ends earlier, so that its result arrives in time."""
MIN_ROUND_LENGTH_S = 0.5
"""Seconds of the shortest round that is started."""
NO_ITERATIONS = SearchBudget(iterations=0)


class SearchRounds:
    """The rounds of one build, in which the engines alternate."""

    def __init__(self, best: BestPlan, engines: Sequence[SearchEngine], workers: WorkerPool, seed: int) -> None:
        self._best, self._engines, self._pool, self._random = best, engines, workers, Random(seed)
        self._seed, self._jobs = seed, len(best.problem.jobs)

    def make_first_plan(self, start: RoutingPlan | None, max_part_size: int) -> None:
        """Make the first plan in parts: `start` repaired and completed, or insertion only."""
        plan = start or empty_plan(self._best.problem)
        self._search_parts(
            plan, self._part_count(max_part_size), InsertionEngine(), NO_ITERATIONS, repair=start is not None
        )

    def run_by_iterations(self, budget: SearchBudget, max_part_size: int) -> None:
        """Search with a budget in iterations, with a result independent of the workers.

        Each part gets all iterations of the round.
        """
        ends = None if budget.seconds is None else monotonic() + budget.seconds
        for number, share in enumerate(ROUND_SHARES):
            left_s = None if ends is None else max(0.0, ends - monotonic())
            if self._best.stopped or left_s == 0:
                return
            engine, iterations = self._engines[number % len(self._engines)], int((budget.iterations or 0) * share)
            self._search_parts(
                self._best.plan,
                self._part_count(max_part_size),
                engine,
                SearchBudget(iterations=iterations, seconds=left_s),
            )

    def run_by_time(self, seconds: float) -> None:
        """Run rounds until time is over or every engine ends before half of its round."""
        ends = monotonic() + seconds
        in_background = self._search_whole_in_background(seconds)
        self._run_rounds(ends, seconds)
        if in_background and not self._best.stopped:
            self._pool.wait_for_background(ends - monotonic() + EARLY_END_S)

    def _search_whole_in_background(self, seconds: float) -> bool:
        """Let one worker search the whole from a random start until the end.

        Return False if that is not possible.
        """
        engine = self._engines[0] if len(self._engines) == 1 else None
        if self._pool.count == 1 or self._jobs >= MIN_JOBS_ONLY_IN_PARTS or not isinstance(engine, PyVrpEngine):
            return False
        budget = SearchBudget(seconds=max(0.0, seconds - EARLY_END_S))
        task = SearchTask(
            problem=self._best.problem,
            start=self._best.plan,
            engine=PyVrpEngine(random_start=True),
            seed=self._seed,
            budget=budget,
        )
        self._pool.run_in_background(task, lambda plan: self._best.offer(plan, engine.name))
        return True

    def _run_rounds(self, ends: float, seconds: float) -> None:
        workers, engines = self._pool.count, deque(self._engines)
        part_counts = self._part_counts()
        usual_s = self._round_length_s(part_counts, seconds)
        for number in count(0):
            left_s = ends - monotonic()
            if not engines or self._best.stopped or left_s <= MIN_ROUND_LENGTH_S:
                return
            part_count, engine = part_counts[number // len(self._engines) % len(part_counts)], engines.popleft()
            length = left_s if left_s < 1.5 * usual_s else usual_s
            budget = SearchBudget(seconds=length / ceil(part_count / workers))
            if part_count > 1:
                self._search_parts(self._best.plan, part_count, engine, budget)
            else:
                self._search_whole(engine, budget)
            if ends - monotonic() < left_s - length / 2:
                engines.append(engine)

    def _part_counts(self) -> tuple[int, ...]:
        """Return the numbers of parts in rounds by time, to be used in turn."""
        workers = self._pool.count
        part_count = max(2, workers * max(1, round(self._jobs / (TARGET_PART_JOBS * workers))))
        if self._jobs < MIN_JOBS_TO_SPLIT:
            return (1,)
        return (1, part_count) if self._jobs < MIN_JOBS_ONLY_IN_PARTS else (part_count,)

    def _round_length_s(self, part_counts: tuple[int, ...], seconds: float) -> float:
        """Return the seconds of a round by time, leaving a round for each engine."""
        if part_counts == (1,):
            return min(WHOLE_ROUND_LENGTH_S, seconds / len(self._engines))
        return min(
            ROUND_LENGTH_S * ceil(max(part_counts) / self._pool.count), seconds / max(MIN_ROUNDS, len(self._engines))
        )

    def _part_count(self, max_part_size: int) -> int:
        """Return the number of parts of about `max_part_size` jobs, regardless of workers."""
        return 2 * ceil(self._jobs / (2 * max_part_size))

    def _task(
        self,
        problem: RoutingProblem,
        start: RoutingPlan,
        engine: SearchEngine,
        budget: SearchBudget,
        *,
        repair: bool = False,
    ) -> SearchTask:
        seed = self._random.getrandbits(31)
        return SearchTask(problem=problem, start=start, engine=engine, seed=seed, budget=budget, repair=repair)

    def _search_parts(
        self, plan: RoutingPlan, part_count: int, engine: SearchEngine, budget: SearchBudget, *, repair: bool = False
    ) -> None:
        """Cut, search each part, and merge the results.

        Jobs left unassigned by a part are offered to every other part.
        """
        best = self._best
        parts_of_plan = split_problem(best.problem, plan, part_count, self._random)
        tasks = [self._task(part.problem, part.start, engine, budget, repair=repair) for part in parts_of_plan]
        merger = PartMerger(best, plan, parts_of_plan, engine.name)
        plans = self._pool.run_all(tasks, merger.on_progress)
        if not best.stopped:
            best.offer(merge_parts(best.problem, plan, parts_of_plan, plans), engine.name)

    def _search_whole(self, engine: SearchEngine, budget: SearchBudget) -> None:
        """Search the whole with every worker, each with its own seed."""
        best = self._best
        tasks = [self._task(best.problem, best.plan, engine, budget) for _ in range(self._pool.count)]
        offered: dict[int, RoutingPlan] = {}

        def on_progress(plans: dict[int, RoutingPlan]) -> bool:
            for number, plan in plans.items():
                if offered.get(number) is not plan:
                    offered[number] = plan
                    best.offer(plan, engine.name)
            best.report_progress()
            return not best.stopped

        for plan in self._pool.run_all(tasks, on_progress).values():
            best.offer(plan, engine.name)
