"""Repair of plans that cannot be loaded, by moving or unassigning jobs."""

from collections.abc import Sequence
from functools import cached_property
from time import monotonic

from haulier.solvers.route_loading.check import RouteLoadCheck
from haulier.solvers.route_loading.loads import RouteLoads
from haulier.solvers.routing.compiled import CompiledProblem
from haulier.solvers.routing.engines.state import SearchState, initial_state, set_locked_grace
from haulier.solvers.routing.engines.tour import Tour
from haulier.solvers.routing.plan import RoutingPlan, TimedRoute, UnassignedJob
from haulier.solvers.routing.problem import JobTask, RoutingProblem
from haulier.solvers.routing.reason_facts import LoadingFacts
from haulier.solvers.routing.timetable import node_sequences, timed_route, timed_routes

QUICK_S = 0.0
"""A deadline in the past: only quick arrangements, and searches of few pieces."""
FEW_STOPS = 12
"""After the deadline, removed jobs are only tried on routes with fewer stops, which are arranged at once."""
SPOTS_TRIED = 6
"""Number of spots tried for a removed job, cheapest first."""


class LoadableRepair:
    """Repairs plans of one problem."""

    def __init__(self, problem: RoutingProblem, loads: RouteLoads) -> None:
        self._problem = problem
        self._check = RouteLoadCheck(loads)
        self._vehicles = {vehicle.id: vehicle for vehicle in problem.vehicles}

    def repair_loads(self, plan: RoutingPlan, until_s: float | None = None) -> RoutingPlan:
        """Return the plan with jobs moved or unassigned that their vehicle cannot load.

        Locked stops stay. `until_s` on the monotonic clock limits long checks, see `RouteLoadCheck`. A loadable plan is
        returned unchanged.
        """
        routes: list[TimedRoute] = []
        dropped: set[int] = set()
        for route in plan.routes:
            kept, without = self._loadable_route(route, until_s)
            dropped |= without
            if kept is not None:
                routes.append(kept)
        if not dropped:
            return plan
        return self._placed_elsewhere(RoutingPlan(routes=tuple(routes), unassigned=plan.unassigned), dropped, until_s)

    @cached_property
    def _compiled(self) -> CompiledProblem:
        compiled = CompiledProblem(self._problem)
        set_locked_grace(compiled)
        return compiled

    def _loadable_route(self, route: TimedRoute, until_s: float | None) -> tuple[TimedRoute | None, frozenset[int]]:
        locked = {task.job for task in self._vehicles[route.vehicle].locked}
        tasks = [JobTask(stop.job, stop.kind) for stop in route.stops]
        dropped: set[int] = set()
        while (left := self._check.left_behind(route.vehicle, tasks, until_s) - locked) and tasks:
            dropped |= left
            tasks = [task for task in tasks if task.job not in left]
        if not dropped:
            return route, frozenset()
        if not tasks:
            return None, frozenset(dropped)
        crew = next(each for each in self._compiled.crews if each.vehicle.id == route.vehicle)
        timed = timed_route(self._compiled, crew, [self._compiled.node(task) for task in tasks])
        if timed is None and not locked:
            return None, frozenset(stop.job for stop in route.stops)
        return (timed, frozenset(dropped)) if timed else (route, frozenset())

    def _placed_elsewhere(self, plan: RoutingPlan, dropped: set[int], until_s: float | None) -> RoutingPlan:
        compiled = self._compiled
        state = initial_state(compiled, node_sequences(compiled, plan))
        numbers = sorted((compiled.number[job] for job in dropped), key=lambda job: (-compiled.jobs[job].priority, job))
        for job in numbers:
            hurried = until_s is not None and monotonic() > until_s
            if tour := self._tour_with(state, job, FEW_STOPS if hurried else None):
                state.tours[tour.number] = tour
                state.vehicle_of[job] = tour.number
        left = sorted(compiled.jobs[job].id for job in numbers if job not in state.vehicle_of)
        facts = LoadingFacts(vehicles=len(compiled.crews), alone=0)
        unassigned = [UnassignedJob(job=job, facts=facts) for job in left]
        routes = timed_routes(compiled, [tour.nodes for tour in state.tours])
        return RoutingPlan(routes=routes, unassigned=(*plan.unassigned, *unassigned))

    def _tour_with(self, state: SearchState, job: int, most_stops: int | None) -> Tour | None:
        """Return the cheapest tour with a job that can still be loaded, or None.

        `most_stops` restricts it to tours with few stops.
        """
        # Quick checks only: several spots are tried, and the following search finds missed ones.
        prize = self._compiled.jobs[job].prize
        spots = sorted(
            (spot, tour.number)
            for tour in state.tours
            if most_stops is None or len(tour.nodes) < most_stops
            for spot in tour.spots_by_price(job)[:SPOTS_TRIED]
            if prize is None or spot.price < prize
        )
        for spot, number in spots[:SPOTS_TRIED]:
            tour = state.tours[number].with_job(job, spot)
            if tour.possible and not self._check.left_behind(tour.crew.vehicle.id, self._tasks(tour.nodes), QUICK_S):
                return tour
        return None

    def _tasks(self, nodes: Sequence[int]) -> list[JobTask]:
        return [self._compiled.task(node) for node in nodes]
