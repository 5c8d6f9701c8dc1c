"""Build routes: search, check, keep the best so far, and show every improvement.

No plan is shown or returned that `check` has not passed. A problem of more jobs than an engine handles well is solved in parts,
and then again in parts that are cut differently, so that routes improve across the borders.
"""

from collections.abc import Callable, Iterable, Sequence
from random import Random
from time import monotonic

from msgspec import Struct
from msgspec.structs import replace

from haulier.solvers.routing.check import Violation, check
from haulier.solvers.routing.engine import Budget, Engine, Progress, carry_on
from haulier.solvers.routing.engines.adoption import repaired
from haulier.solvers.routing.engines.insertion import Insertion, complete
from haulier.solvers.routing.engines.pyvrp import PyVRP
from haulier.solvers.routing.ground import Ground
from haulier.solvers.routing.plan import Plan, Reason, Unassigned
from haulier.solvers.routing.problem import Problem
from haulier.solvers.routing.reasons import Reasons
from haulier.solvers.routing.score import Score, score
from haulier.solvers.routing.split import Part, part_of, parts, with_part

PART_MOST = 1000
"""Above so many jobs, a problem is solved in parts of at most so many."""
ROUNDS = (0.5, 0.25, 0.25)
"""The share of the budget for each way to cut a large problem."""
INSTANT = Budget(iterations=0)

Each = Callable[[Callable[["Task"], Plan], Iterable["Task"]], Iterable[Plan]]
"""Applies a function to all of some things, in order: `map`, or the `map` of a pool of processes."""


class Task(Struct, frozen=True, kw_only=True, eq=False):
    """One part for one engine, as it is sent to a worker."""

    engine: Engine
    problem: Problem
    start: Plan
    seed: int
    budget: Budget


class Refused(Struct, frozen=True, kw_only=True):
    """A plan of an engine that nobody was shown, and why."""

    engine: str
    violations: tuple[Violation, ...]


class Built(Struct, frozen=True, kw_only=True):
    """The best plan, its score, and what was refused on the way."""

    plan: Plan
    score: Score
    refused: tuple[Refused, ...] = ()


def build(
    problem: Problem,
    *,
    budget: Budget,
    seed: int = 0,
    start: Plan | None = None,
    engines: Sequence[Engine] | None = None,
    progress: Progress = carry_on,
    each: Each = map,
    part_most: int = PART_MOST,
) -> Built:
    """The best plan that the engines (`suited`, unless told) find, one after another, each starting from the best so far.

    `start` is a plan to begin with, which may be out of date: what is wrong with it is repaired first. A problem in parts
    does without. The first plan is shown at once. `progress` is called with every better plan and now and then with the same;
    False ends the search. Raises `RuntimeError` when not even the first plan passes the check, which is a fault of ours.
    """
    best = _Best(problem, progress)
    engines = suited(problem) if engines is None else engines
    if len(problem.jobs) > part_most:
        _in_parts(best, engines, budget, seed, each, part_most)
        return best.built()
    best.offer(Insertion().solve(problem, seed=seed, budget=INSTANT), "insertion")
    if start is not None:
        best.offer(repaired(problem, start), "start")
    for number, engine in enumerate(engines):
        if best.stopped:
            break
        watch = best.watch(engine.name)
        share = _share(budget, 1 / len(engines))
        best.offer(
            engine.solve(problem, seed=seed + number, budget=share, progress=watch, start=best.plan), engine.name
        )
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


class _Best:
    """The best plan so far. Everything that is offered is checked first."""

    def __init__(self, problem: Problem, progress: Progress) -> None:
        self.problem, self.stopped = problem, False
        self._progress = progress
        self._refused: list[Refused] = []
        self._plan: Plan | None = None
        self._score = Score(0, 0.0)

    @property
    def plan(self) -> Plan | None:
        return self._plan

    def offer(self, plan: Plan, engine: str) -> None:
        """Keep a plan when it is right and better, and show the best one."""
        if plan is not self._plan:
            violations = check(self.problem, plan)
            new = score(self.problem, plan)
            if violations:
                self._refused.append(Refused(engine=engine, violations=tuple(violations)))
            elif self._plan is None or new < self._score:
                self._plan, self._score = plan, new
        if self._plan is not None and not self.stopped:
            self.stopped = not self._progress(self._plan)

    def watch(self, engine: str) -> Progress:
        """What an engine reports to."""

        def watched(plan: Plan) -> bool:
            self.offer(plan, engine)
            return not self.stopped

        return watched

    def built(self) -> Built:
        if self._plan is None:
            raise RuntimeError(f"no plan passed the check: {self._refused}")
        return Built(plan=self._plan, score=self._score, refused=tuple(self._refused))


def _share(budget: Budget, share: float) -> Budget:
    """A part of a budget."""
    return Budget(
        seconds=None if budget.seconds is None else budget.seconds * share,
        iterations=None if budget.iterations is None else int(budget.iterations * share),
    )


def _in_parts(best: _Best, engines: Sequence[Engine], budget: Budget, seed: int, each: Each, part_most: int) -> None:
    """Rounds of cutting, solving and joining: first by insertion alone, then by the engines in turn."""
    problem, random, began = best.problem, Random(seed), monotonic()
    jobs = tuple(Unassigned(job=job.id, reason=Reason.NO_ROOM) for job in problem.jobs)
    empty = Plan(routes=(), unassigned=jobs)
    best.offer(_round(problem, empty, Insertion(), INSTANT, seed, random, each, part_most), "insertion")
    for number, share in enumerate(ROUNDS):
        late = budget.seconds is not None and monotonic() - began > budget.seconds
        if best.stopped or late or best.plan is None:
            return
        engine = engines[number % len(engines)]
        found = _round(problem, best.plan, engine, _share(budget, share), seed + number, random, each, part_most)
        best.offer(found, engine.name)


def _round(
    problem: Problem, plan: Plan, engine: Engine, budget: Budget, seed: int, random: Random, each: Each, part_most: int
) -> Plan:
    """Cut, solve each part, join; then offer what is left to every other part."""
    cut = parts(problem, plan, part_most, random)
    share = Budget(seconds=None if budget.seconds is None else budget.seconds / len(cut), iterations=budget.iterations)
    tasks = [Task(engine=engine, problem=p.problem, start=p.start, seed=seed, budget=share) for p in cut]
    for part, found in zip(cut, each(solve, tasks), strict=True):
        plan = with_part(plan, part, found)
    return _with_reasons(problem, _swept(problem, plan, cut))


def solve(task: Task) -> Plan:
    """Solve one part; what a worker does."""
    return task.engine.solve(task.problem, seed=task.seed, budget=task.budget, start=task.start)


def _swept(problem: Problem, plan: Plan, cut: Sequence[Part]) -> Plan:
    """What one part left out is offered to each of the others, so that what stays out fits nowhere."""
    jobs = {job.id: job for job in problem.jobs}
    vehicles = {vehicle.id: vehicle for vehicle in problem.vehicles}
    for part in cut:
        if not plan.unassigned:
            break
        crew = [vehicles[vehicle.id] for vehicle in part.problem.vehicles]
        seats = {vehicle.id for vehicle in crew}
        on_routes = {stop.job for route in plan.routes if route.vehicle in seats for stop in route.stops}
        asked = sorted(on_routes | {each.job for each in plan.unassigned})
        wider = part_of(problem, plan, [jobs[job] for job in asked], crew)
        plan = with_part(plan, wider, complete(wider.problem, wider.start))
    return plan


def _with_reasons(problem: Problem, plan: Plan) -> Plan:
    """Reasons that hold for the whole problem, and not for a part of it."""
    left = {each.job: each for each in plan.unassigned}
    asked = [job for job in problem.jobs if job.id in left]
    free = [replace(vehicle, locked=()) for vehicle in problem.vehicles]
    whole = part_of(replace(problem, vehicles=tuple(free)), Plan(routes=()), asked, free)
    reasons = Reasons(Ground(whole.problem))
    worthless = {job for job, each in left.items() if each.reason == Reason.NOT_WORTH}
    told = reasons.explain(range(len(asked)), lambda number: asked[number].id in worthless)
    return replace(plan, unassigned=told)
