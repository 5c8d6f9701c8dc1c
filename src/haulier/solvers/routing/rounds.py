"""Rounds of searching: in parts of a plan side by side, or by several searches of the whole with different luck.

A plan of many routes is cut into parts that keep its routes whole; each part is a problem of its own. The next round cuts in
another direction, so that routes improve across the borders of the last one. A search looks only at neighbouring routes
anyhow, so that parts lose little, and each of them is searched faster than the whole.

A problem that is too small to be cut is searched as a whole by every worker, and then all go on from the best of them. As long
as the whole is not too large for it, one worker does nothing else but what the engine would do alone, from beginning to end: so
the rounds of the others can only make its plan better.
"""

from collections import deque
from collections.abc import Sequence
from itertools import count
from math import ceil
from random import Random
from time import monotonic

from haulier.solvers.routing.best import Best
from haulier.solvers.routing.engine import Budget, Engine
from haulier.solvers.routing.engines.insertion import Insertion
from haulier.solvers.routing.engines.pyvrp import PyVRP
from haulier.solvers.routing.joining import Joining, joined, nothing_planned
from haulier.solvers.routing.plan import Plan
from haulier.solvers.routing.problem import Problem
from haulier.solvers.routing.split import parts
from haulier.solvers.routing.workers import Hands, Task

HALVES = 300
"""From so many jobs on, the whole and its parts take turns …"""
NEVER_WHOLE = 700
"""… and from so many on, parts are better than the whole at any time."""
PART_GOOD = 500
"""About how many jobs a part has, by time."""
ROUND_S = 5.0
"""How long each part is searched in a round, and the whole in turn with its parts …"""
ROUNDS_LEAST = 3
"""… but shorter when there would be fewer rounds than these."""
SMALL_ROUND_S = 30.0
"""How long a problem too small to be cut is searched without a new beginning: that the fewest vehicles may take."""
SHARES = (0.5, 0.25, 0.25)
"""The share of a budget of iterations for each round."""
GRACE_S = 0.3
"""How much sooner a worker that was lent ends, so that its last word is heard in time."""
LAST_S = 0.5
"""A round that would be shorter is not worth its beginning."""
INSTANT = Budget(iterations=0)


class Rounds:
    """The rounds of one build, in which the engines take turns."""

    def __init__(self, best: Best, engines: Sequence[Engine], hands: Hands, seed: int) -> None:
        self._best, self._engines, self._hands, self._random = best, engines, hands, Random(seed)
        self._seed, self._jobs = seed, len(best.problem.jobs)

    def first(self, start: Plan | None, part_most: int) -> None:
        """The first plan, in parts: `start`, repaired and completed, or insertion alone."""
        plan = start or nothing_planned(self._best.problem)
        self._in_parts(plan, self._many(part_most), Insertion(), INSTANT, repair=start is not None)

    def by_iterations(self, budget: Budget, part_most: int) -> None:
        """The same plan whoever works: every part has each round's share of the iterations."""
        ends = None if budget.seconds is None else monotonic() + budget.seconds
        for number, share in enumerate(SHARES):
            left = None if ends is None else max(0.0, ends - monotonic())
            if self._best.stopped or left == 0:
                return
            engine, iterations = self._engines[number % len(self._engines)], int((budget.iterations or 0) * share)
            self._in_parts(self._best.plan, self._many(part_most), engine, Budget(iterations=iterations, seconds=left))

    def by_time(self, seconds: float) -> None:
        """Rounds until the time is over, or until no engine finds anything to search."""
        ends = monotonic() + seconds
        lent = self._lend(seconds)
        self._rounds(ends, seconds)
        if lent and not self._best.stopped:
            self._hands.wait_for_lent(ends - monotonic() + GRACE_S)

    def _lend(self, seconds: float) -> bool:
        """Whether one worker searches the whole by itself, as long as there is time, and begins by chance as it would alone."""
        engine = self._engines[0] if len(self._engines) == 1 else None
        if self._hands.count == 1 or self._jobs >= NEVER_WHOLE or not isinstance(engine, PyVRP):
            return False
        budget = Budget(seconds=max(0.0, seconds - GRACE_S))
        task = Task(
            problem=self._best.problem, start=self._best.plan, engine=PyVRP(afresh=True), seed=self._seed, budget=budget
        )
        self._hands.lend(task, lambda plan: self._best.offer(plan, engine.name))
        return True

    def _rounds(self, ends: float, seconds: float) -> None:
        hands, engines = self._hands.count, deque(self._engines)
        shapes = self._shapes()
        usual = self._usual(shapes, seconds)
        for number in count(0):
            left = ends - monotonic()
            if not engines or self._best.stopped or left <= LAST_S:
                return
            many, engine = shapes[number // len(self._engines) % len(shapes)], engines.popleft()
            length = left if left < 1.5 * usual else usual
            budget = Budget(seconds=length / ceil(many / hands))
            if many > 1:
                self._in_parts(self._best.plan, many, engine, budget)
            else:
                self._side_by_side(engine, budget)
            if ends - monotonic() < left - length / 2:
                engines.append(engine)

    def _shapes(self) -> tuple[int, ...]:
        """Into how many parts the rounds by time cut the problem, in turn."""
        hands = self._hands.count
        many = max(2, hands * max(1, round(self._jobs / (PART_GOOD * hands))))
        if self._jobs < HALVES:
            return (1,)
        return (1, many) if self._jobs < NEVER_WHOLE else (many,)

    def _usual(self, shapes: tuple[int, ...], seconds: float) -> float:
        """How long a round by time is. Each engine has its turn in time."""
        if shapes == (1,):
            return min(SMALL_ROUND_S, seconds / len(self._engines))
        return min(ROUND_S * ceil(max(shapes) / self._hands.count), seconds / max(ROUNDS_LEAST, len(self._engines)))

    def _many(self, part_most: int) -> int:
        """Into how many parts the problem is cut, whoever works: with at most so many jobs each, or few more."""
        return 2 * ceil(self._jobs / (2 * part_most))

    def _task(self, problem: Problem, start: Plan, engine: Engine, budget: Budget, *, repair: bool = False) -> Task:
        seed = self._random.getrandbits(31)
        return Task(problem=problem, start=start, engine=engine, seed=seed, budget=budget, repair=repair)

    def _in_parts(self, plan: Plan, many: int, engine: Engine, budget: Budget, *, repair: bool = False) -> None:
        """Cut, search each part, join; then offer what is left to every other part."""
        best = self._best
        cut = parts(best.problem, plan, many, self._random)
        tasks = [self._task(part.problem, part.start, engine, budget, repair=repair) for part in cut]
        joining = Joining(best, plan, cut, engine.name)
        found = self._hands.do(tasks, joining.look)
        if not best.stopped:
            best.offer(joined(best.problem, plan, cut, found), engine.name)

    def _side_by_side(self, engine: Engine, budget: Budget) -> None:
        """The whole by every worker, to be lucky."""
        best = self._best
        tasks = [self._task(best.problem, best.plan, engine, budget) for _ in range(self._hands.count)]
        shown: dict[int, Plan] = {}

        def look(found: dict[int, Plan]) -> bool:
            for number, plan in found.items():
                if shown.get(number) is not plan:
                    shown[number] = plan
                    best.offer(plan, engine.name)
            best.ask()
            return not best.stopped

        for plan in self._hands.do(tasks, look).values():
            best.offer(plan, engine.name)
