"""Independent check of routing plans.

It shares no code with the searches and computes everything from the problem. Locked stops are the decision of staff: a
locked stop, and the delivery of a locked pickup, may miss its window, and a route of such stops only may violate hours,
breaks and limits.
"""

from collections import Counter
from collections.abc import Iterator
from enum import StrEnum
from itertools import pairwise

from msgspec import Struct

from haulier.solvers.routing.plan import RoutingPlan, TimedBreak, TimedRoute, TimedStop
from haulier.solvers.routing.problem import (
    JobTask,
    Load,
    RoutingDepot,
    RoutingJob,
    RoutingProblem,
    RoutingVehicle,
    TaskKind,
    VisitRequest,
)
from haulier.solvers.routing.travel import UNREACHABLE


class PlanConstraint(StrEnum):
    """Constraints that a plan can violate."""

    UNKNOWN = "unknown"
    EMPTY = "empty"
    TWICE = "twice"
    FORGOTTEN = "forgotten"
    INCOMPLETE = "incomplete"
    PLACE = "place"
    LOCKED = "locked"
    POOL = "pool"
    SKILL = "skill"
    PRECEDENCE = "precedence"
    LOAD = "load"
    CAPACITY = "capacity"
    TRAVEL = "travel"
    CLOCK = "clock"
    DISTANCE = "distance"
    WINDOW = "window"
    SHIFT = "shift"
    DEPOT = "depot"
    BREAK = "break"
    MAX_STOPS = "max_stops"
    MAX_TIME = "max_time"
    MAX_DISTANCE = "max_distance"


class ConstraintViolation(Struct, frozen=True):
    """One violation with its vehicle and job."""

    rule: PlanConstraint
    vehicle: int | None = None
    job: int | None = None


def check_plan(problem: RoutingProblem, plan: RoutingPlan) -> list[ConstraintViolation]:
    """Return every violation of a plan; empty if it is valid."""
    vehicles = {vehicle.id: vehicle for vehicle in problem.vehicles}
    jobs = {job.id: job for job in problem.jobs}
    violations = list(_check_assignment(problem, plan, vehicles, jobs))
    for route in plan.routes:
        all_known = all(stop.job in jobs and stop.kind in dict(jobs[stop.job].visits()) for stop in route.stops)
        if all_known and route.vehicle in vehicles:
            violations += _RouteInspection(problem, vehicles[route.vehicle], route, jobs).findings()
    return violations


def _check_assignment(
    problem: RoutingProblem, plan: RoutingPlan, vehicles: dict[int, RoutingVehicle], jobs: dict[int, RoutingJob]
) -> Iterator[ConstraintViolation]:
    """Check that jobs and vehicles occur once, jobs completely, and locks are kept."""
    yield from (
        ConstraintViolation(PlanConstraint.UNKNOWN, vehicle=r.vehicle) for r in plan.routes if r.vehicle not in vehicles
    )
    times = Counter(route.vehicle for route in plan.routes)
    yield from (
        ConstraintViolation(PlanConstraint.TWICE, vehicle=vehicle) for vehicle, count in times.items() if count > 1
    )
    stops = Counter(JobTask(stop.job, stop.kind) for route in plan.routes for stop in route.stops)
    tasks = {JobTask(job.id, kind) for job in problem.jobs for kind, _ in job.visits()}
    unassigned = Counter(entry.job for entry in plan.unassigned)
    yield from (ConstraintViolation(PlanConstraint.UNKNOWN, job=task.job) for task in stops if task not in tasks)
    yield from (ConstraintViolation(PlanConstraint.UNKNOWN, job=job) for job in unassigned if job not in jobs)
    yield from (ConstraintViolation(PlanConstraint.TWICE, job=task.job) for task, count in stops.items() if count > 1)
    yield from (ConstraintViolation(PlanConstraint.TWICE, job=job) for job, count in unassigned.items() if count > 1)
    for job in problem.jobs:
        done = sum(JobTask(job.id, kind) in stops for kind, _ in job.visits())
        if done and job.id in unassigned:
            yield ConstraintViolation(PlanConstraint.TWICE, job=job.id)
        elif not done and job.id not in unassigned:
            yield ConstraintViolation(PlanConstraint.FORGOTTEN, job=job.id)
        elif 0 < done < len(list(job.visits())):
            yield ConstraintViolation(PlanConstraint.INCOMPLETE, job=job.id)
    driven = {route.vehicle for route in plan.routes}
    yield from (
        ConstraintViolation(PlanConstraint.LOCKED, vehicle=v.id)
        for v in problem.vehicles
        if v.locked and v.id not in driven
    )


class _RouteInspection:
    """One route of known stops, and its vehicle."""

    def __init__(
        self, problem: RoutingProblem, vehicle: RoutingVehicle, route: TimedRoute, jobs: dict[int, RoutingJob]
    ) -> None:
        self.problem, self.vehicle, self.route, self.jobs = problem, vehicle, route, jobs
        self.travel = problem.travel_of(vehicle.profile)
        self.tasks = [JobTask(stop.job, stop.kind) for stop in route.stops]
        picked = {JobTask(task.job, TaskKind.DELIVERY) for task in vehicle.locked if task.kind == TaskKind.PICKUP}
        self.locked = {*vehicle.locked, *picked}
        self.is_all_locked = all(task in self.locked for task in self.tasks)

    def findings(self) -> list[ConstraintViolation]:
        """Return every violation of the route."""
        violations = [] if self.route.stops else [self._is_wrong(PlanConstraint.EMPTY)]
        violations += [*self._who(), *self._loads(), *self._clock(), *self._windows()]
        if not self.is_all_locked:
            violations += [*self._hours(), *self._limits()]
        return [*violations, *self._breaks()]

    def _is_wrong(self, rule: PlanConstraint, stop: TimedStop | None = None) -> ConstraintViolation:
        return ConstraintViolation(rule, vehicle=self.vehicle.id, job=stop.job if stop else None)

    def _visit(self, stop: TimedStop) -> VisitRequest:
        return dict(self.jobs[stop.job].visits())[stop.kind]

    def _who(self) -> Iterator[ConstraintViolation]:
        """Check locked stops, pools, skills, places, and pickups before deliveries."""
        locked = list(self.vehicle.locked)
        if self.tasks[: len(locked)] != locked:
            yield self._is_wrong(PlanConstraint.LOCKED)
        for place, stop in enumerate(self.route.stops):
            job = self.jobs[stop.job]
            if stop.place != self._visit(stop).place:
                yield self._is_wrong(PlanConstraint.PLACE, stop)
            if JobTask(stop.job, stop.kind) in self.locked:
                continue
            if job.vehicles is not None and self.vehicle.id not in job.vehicles:
                yield self._is_wrong(PlanConstraint.POOL, stop)
            if not job.skills <= self.vehicle.skills:
                yield self._is_wrong(PlanConstraint.SKILL, stop)
            pickup = JobTask(stop.job, TaskKind.PICKUP)
            if stop.kind == TaskKind.DELIVERY and job.pickup and pickup not in self.tasks[:place]:
                yield self._is_wrong(PlanConstraint.PRECEDENCE, stop)

    def _loads(self) -> Iterator[ConstraintViolation]:
        """Check the stated loads and the capacity in every dimension along the route.

        A route of locked stops only may be overloaded.
        """
        load = self._first_load()
        if not self._fits(load) and not self.is_all_locked:
            yield self._is_wrong(PlanConstraint.CAPACITY)
        for stop in self.route.stops:
            sign = 1 if stop.kind == TaskKind.PICKUP else -1
            load = tuple(a + sign * b for a, b in zip(load, self.jobs[stop.job].demand, strict=True))
            if stop.load != load:
                yield self._is_wrong(PlanConstraint.LOAD, stop)
            if not self._fits(load) and not self.is_all_locked:
                yield self._is_wrong(PlanConstraint.CAPACITY, stop)

    def _first_load(self) -> Load:
        load = self.vehicle.aboard or tuple(0 for _ in self.problem.dimensions)
        for stop in self.route.stops:
            job = self.jobs[stop.job]
            if stop.kind == TaskKind.DELIVERY and job.pickup is None:
                load = tuple(a + b for a, b in zip(load, job.demand, strict=True))
        return load

    def _fits(self, load: Load) -> bool:
        return all(amount <= most for amount, most in zip(load, self.vehicle.capacity, strict=True))

    def _drive_s(self, a: int, b: int) -> int:
        usual = int(self.travel.duration_s[a, b])
        return UNREACHABLE if usual >= UNREACHABLE else -(-usual * 100 // self.vehicle.speed_percent)

    def _clock(self) -> Iterator[ConstraintViolation]:
        """Check travel times and pauses, that there are no gaps between them, and totals."""
        home = self.problem.depot_at(self.vehicle.start)
        origin, departure_s = self.vehicle.start, self.route.start_s + (home.loading_s if home else 0)
        for place, stop in enumerate(self.route.stops):
            target = self._visit(stop).place
            drive, pauses = self._drive_s(origin, target), self._pauses(place)
            if drive >= UNREACHABLE:
                yield self._is_wrong(PlanConstraint.TRAVEL, stop)
            before = sum(p.end_s - p.start_s for p in pauses if p.start_s < stop.arrival_s)
            after = sum(p.end_s - p.start_s for p in pauses if p.start_s >= stop.arrival_s)
            if stop.arrival_s != departure_s + drive + before:
                yield self._is_wrong(PlanConstraint.TRAVEL, stop)
            if any(p.start_s < departure_s or p.end_s > stop.start_s for p in pauses) or stop.wait_s < after:
                yield self._is_wrong(PlanConstraint.BREAK, stop)
            if stop.start_s != stop.arrival_s + stop.wait_s or stop.wait_s < 0:
                yield self._is_wrong(PlanConstraint.CLOCK, stop)
            if stop.departure_s != stop.start_s + self._visit(stop).service_s:
                yield self._is_wrong(PlanConstraint.CLOCK, stop)
            origin, departure_s = target, stop.departure_s
        yield from self._way_back(origin, departure_s)

    def _way_back(self, origin: int, left_s: int) -> Iterator[ConstraintViolation]:
        end, pauses = self.vehicle.end, self._pauses(len(self.route.stops))
        drive = 0 if end is None else self._drive_s(origin, end)
        back = self.problem.depot_at(end)
        moments = [left_s + drive + sum(pause.end_s - pause.start_s for pause in pauses)]
        moments += [pause.end_s for pause in pauses] + ([back.open.start_s] if back and back.open else [])
        if drive >= UNREACHABLE or self.route.end_s != max(moments):
            yield self._is_wrong(PlanConstraint.TRAVEL)
        if any(pause.start_s < left_s for pause in pauses):
            yield self._is_wrong(PlanConstraint.BREAK)
        visited = [self._visit(stop).place for stop in self.route.stops]
        places = [self.vehicle.start, *visited, *([] if end is None else [end])]
        if self.route.distance_m != sum(int(self.travel.distance_m[a, b]) for a, b in pairwise(places)):
            yield self._is_wrong(PlanConstraint.DISTANCE)

    def _pauses(self, after: int) -> list[TimedBreak]:
        return [pause for pause in self.route.pauses if pause.after == after]

    def _windows(self) -> Iterator[ConstraintViolation]:
        """Check that service starts in a window or its grace, and lateness is as stated."""
        for stop in self.route.stops:
            visit = self._visit(stop)
            open_ = [w for w in visit.windows if w.start_s <= stop.start_s]
            late = min((max(0, stop.start_s - w.end_s) for w in open_), default=0)
            too_early = bool(visit.windows) and not open_
            if too_early or (late > visit.grace_s and JobTask(stop.job, stop.kind) not in self.locked):
                yield self._is_wrong(PlanConstraint.WINDOW, stop)
            if stop.late_s != late:
                yield self._is_wrong(PlanConstraint.CLOCK, stop)

    def _hours(self) -> Iterator[ConstraintViolation]:
        """Check the shift and the depot hours."""
        shift, start, end = self.vehicle.shift, self.route.start_s, self.route.end_s
        if start < shift.start_s or end > shift.end_s:
            yield self._is_wrong(PlanConstraint.SHIFT)
        home, back = self.problem.depot_at(self.vehicle.start), self.problem.depot_at(self.vehicle.end)
        if home and not _is_open(home, start, start + home.loading_s):
            yield self._is_wrong(PlanConstraint.DEPOT)
        if back and not _is_open(back, end, end):
            yield self._is_wrong(PlanConstraint.DEPOT)

    def _limits(self) -> Iterator[ConstraintViolation]:
        vehicle, route = self.vehicle, self.route
        for rule, amount, most in (
            (PlanConstraint.MAX_STOPS, len(route.stops), vehicle.max_stops),
            (PlanConstraint.MAX_TIME, route.end_s - route.start_s, vehicle.max_time_s),
            (PlanConstraint.MAX_DISTANCE, route.distance_m, vehicle.max_distance_m),
        ):
            if most is not None and amount > most:
                yield self._is_wrong(rule)

    def _breaks(self) -> Iterator[ConstraintViolation]:
        """Check that due breaks are taken once, in full, in their windows, one at a time."""
        pauses = sorted(self.route.pauses, key=lambda pause: pause.start_s)
        times_taken = Counter(pause.number for pause in pauses)
        numbers = range(len(self.vehicle.breaks))
        legs = range(len(self.route.stops) + 1)
        if any(count > 1 or number not in numbers for number, count in times_taken.items()):
            yield self._is_wrong(PlanConstraint.BREAK)
        if any(b.start_s < a.end_s for a, b in pairwise(pauses)) or any(pause.after not in legs for pause in pauses):
            yield self._is_wrong(PlanConstraint.BREAK)
        for pause in pauses:
            allowed = self.vehicle.breaks[pause.number] if pause.number in numbers else None
            if allowed and not allowed.window.start_s <= pause.start_s <= allowed.window.end_s:
                yield self._is_wrong(PlanConstraint.BREAK)
            if allowed and pause.end_s - pause.start_s != allowed.duration_s:
                yield self._is_wrong(PlanConstraint.BREAK)
        for number, allowed in enumerate(self.vehicle.breaks):
            due = self.route.start_s <= allowed.window.end_s < self.route.end_s
            if due and number not in times_taken and not self.is_all_locked:
                yield self._is_wrong(PlanConstraint.BREAK)


def _is_open(depot: RoutingDepot, start_s: int, end_s: int) -> bool:
    return depot.open is None or depot.open.start_s <= start_s <= end_s <= depot.open.end_s
