"""Route building with loading constraints.

The search considers weights and volumes only. Its plans are reduced to what can be loaded, and removed jobs move to
another route if that can still be loaded. The search then continues with vehicle capacities limited to the loaded
volumes.
"""

from collections.abc import Iterator
from time import monotonic

from msgspec.structs import replace

from haulier.solvers.route_loading.loads import RouteLoads
from haulier.solvers.route_loading.repair import LoadableRepair
from haulier.solvers.routing.build import build_routes
from haulier.solvers.routing.engine import Progress, SearchBudget, always_continue
from haulier.solvers.routing.plan import RoutingPlan, UnassignedJob
from haulier.solvers.routing.problem import RoutingJob, RoutingProblem, RoutingVehicle
from haulier.solvers.routing.reason_facts import LoadingFacts
from haulier.solvers.routing.score import score_plan

FIRST_SHARE = 0.7
"""Share of the budget spent before the search continues with reduced capacities."""
LAST_SHARE = 0.9
"""Share of the time at which the search ends, to leave time for arranging the last plan."""
CHECK_SHARE = 0.1
"""Maximum share of the time for checks of intermediate plans."""
ARRANGED_SHARE = 1.05
"""Share of the time at which searches for arrangements end."""
VOLUME = "volume_cm3"


def build_loadable_routes(
    problem: RoutingProblem,
    loads: RouteLoads,
    *,
    budget: SearchBudget,
    seed: int = 0,
    start: RoutingPlan | None = None,
    progress: Progress = always_continue,
    workers: int = 1,
) -> RoutingPlan:
    """Return the best plan found whose routes can all be loaded; see `build_routes`.

    Only loadable plans are reported. With a budget in iterations, the plan is the same on every machine. With a time
    budget, it takes about as long as a search without loading constraints.
    """
    return _LoadableSearch(problem, loads, budget, progress).run(seed, start, workers)


class _LoadableSearch:
    def __init__(self, problem: RoutingProblem, loads: RouteLoads, budget: SearchBudget, progress: Progress) -> None:
        self._whole, self._loads, self._budget, self._progress = problem, loads, budget, progress
        self._began = monotonic()
        self._possible, self._never = _without_impossible(problem, loads)
        self._repair = LoadableRepair(self._possible, loads)
        self._best: RoutingPlan | None = None
        self._shown: RoutingPlan | None = None
        self._last_said: RoutingPlan | None = None
        self._next_check = self._began
        self._stopped = False

    def run(self, seed: int, start: RoutingPlan | None, workers: int) -> RoutingPlan:
        """Run the search of `build_loadable_routes`."""
        problem = self._possible
        for number, share in enumerate(self._shares()):
            found = build_routes(
                problem, budget=share, seed=seed + number, start=start, progress=self._watch, workers=workers
            ).plan
            kept = self._repair.repair_loads(found, self._until())
            self._offer(kept)
            if self._stopped:
                break
            problem, start = _tightened(self._possible, self._loads, found, kept), self._best
        assert self._best is not None
        return self._complete(self._best)

    def _shares(self) -> Iterator[SearchBudget]:
        seconds, iterations = self._budget.seconds, self._budget.iterations
        first = None if iterations is None else round(iterations * FIRST_SHARE)
        yield SearchBudget(seconds=None if seconds is None else seconds * FIRST_SHARE, iterations=first)
        yield SearchBudget(
            seconds=None if seconds is None else max(0.1, seconds * LAST_SHARE - (monotonic() - self._began)),
            iterations=None if iterations is None or first is None else iterations - first,
        )

    def _until(self) -> float | None:
        """Return when searches for arrangements end; None with a budget in iterations."""
        seconds = self._budget.seconds
        return None if seconds is None else self._began + seconds * ARRANGED_SHARE

    def _offer(self, plan: RoutingPlan) -> None:
        if self._best is None or score_plan(self._possible, plan) < score_plan(self._possible, self._best):
            self._best = plan

    def _watch(self, plan: RoutingPlan) -> bool:
        """Report the best loadable plan; new plans are checked from time to time."""
        now = monotonic()
        if now >= self._next_check:
            kept = self._repair.repair_loads(plan, now + CHECK_SHARE)
            spent = monotonic() - now
            self._next_check = now + max(1.0, spent / CHECK_SHARE)
            if self._budget.iterations is None:
                self._offer(kept)
                kept = self._best or kept
            if self._shown is None or score_plan(self._possible, kept) < score_plan(self._possible, self._shown):
                self._shown = kept
                self._last_said = self._complete(kept)
        if self._last_said is not None and not self._stopped:
            self._stopped = not self._progress(self._last_said)
        return not self._stopped

    def _complete(self, plan: RoutingPlan) -> RoutingPlan:
        return replace(plan, unassigned=(*plan.unassigned, *self._never)) if self._never else plan


def _without_impossible(problem: RoutingProblem, loads: RouteLoads) -> tuple[RoutingProblem, tuple[UnassignedJob, ...]]:
    """Forbid vehicles that the boxes of a job do not fit; also return impossible jobs."""
    locked = {task.job for vehicle in problem.vehicles for task in vehicle.locked}
    bodies = {body.id: body for body in loads.bodies.values()}
    jobs: list[RoutingJob] = []
    never: list[UnassignedJob] = []
    for job in problem.jobs:
        small = {id for id, body in bodies.items() if not loads.fits_alone(job.id, body)}
        barred = {vehicle for vehicle, body in loads.bodies.items() if body.id in small}
        if not barred or job.id in locked:
            jobs.append(job)
            continue
        may = {each.id for each in problem.vehicles} if job.vehicles is None else set(job.vehicles)
        if may and not may - barred:
            never.append(UnassignedJob(job=job.id, facts=LoadingFacts(vehicles=len(may), alone=1)))
        else:
            jobs.append(replace(job, vehicles=frozenset(may - barred)))
    return replace(problem, jobs=tuple(jobs)), tuple(never)


def _tightened(problem: RoutingProblem, loads: RouteLoads, found: RoutingPlan, kept: RoutingPlan) -> RoutingProblem:
    """Limit vehicle volumes to what similar vehicles could load.

    The problem is unchanged if every route was loadable.
    """
    if found is kept or VOLUME not in problem.dimensions:
        return problem
    at = problem.dimensions.index(VOLUME)
    volumes = {job.id: job.demand[at] for job in problem.jobs}
    stays = {route.vehicle: {stop.job for stop in route.stops} for route in kept.routes}
    taken = {vehicle: sum(volumes[job] for job in jobs) for vehicle, jobs in stays.items()}
    could: dict[str, int] = {}
    for route in found.routes:
        if route.vehicle in loads.bodies and stays.get(route.vehicle) != {stop.job for stop in route.stops}:
            body = loads.bodies[route.vehicle].id
            could[body] = max(could.get(body, 0), taken.get(route.vehicle, 0))
    vehicles: list[RoutingVehicle] = []
    for vehicle in problem.vehicles:
        capacity = list(vehicle.capacity)
        if vehicle.id in loads.bodies and (most := could.get(loads.bodies[vehicle.id].id)) is not None:
            capacity[at] = min(capacity[at], max(most, taken.get(vehicle.id, 0)))
        vehicles.append(replace(vehicle, capacity=tuple(capacity)))
    return replace(problem, vehicles=tuple(vehicles))
