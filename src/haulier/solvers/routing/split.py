"""Decomposition of large problems into parts of neighbouring jobs and routes.

A part is cut in two by the road distances to two distant places, until there are enough parts. Parts of a plan keep its
routes whole, so cutting again in another direction improves a plan across the borders of the first cut.
"""

from collections.abc import Sequence
from random import Random

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from haulier.solvers.routing.compiled import may_take
from haulier.solvers.routing.plan import RoutingPlan, TimedRoute
from haulier.solvers.routing.problem import RoutingJob, RoutingProblem, RoutingVehicle, VisitRequest
from haulier.solvers.routing.travel import Matrix

MIDDLE_SAMPLE_SIZE = 64
"""Number of places sampled to find the middle of a group of jobs."""
FAR_SHARE_DIVISOR = 3
"""The farthest nth of the places counts as distant."""


class ProblemPart(Struct, frozen=True, kw_only=True, eq=False):
    """A separate problem for a part of the jobs and vehicles.

    `places` maps place numbers of the part to those of the whole problem; `start` is its part of the plan.
    """

    problem: RoutingProblem
    places: tuple[int, ...]
    start: RoutingPlan


class _SplitItem(Struct, frozen=True):
    """Jobs that stay together: a route with its vehicle, or a single job."""

    place: int
    jobs: tuple[int, ...]
    vehicle: int | None


def split_problem(problem: RoutingProblem, plan: RoutingPlan, count: int, random: Random) -> list[ProblemPart]:
    """Split a problem into `count` parts of similar size, fewer if routes are long.

    Every job and every vehicle is in exactly one part.
    """
    groups = _cut_items(problem, _split_items(problem, plan), count, random)
    crews = [[item.vehicle for item in group if item.vehicle is not None] for group in groups]
    _allot_free_vehicles(problem, groups, crews)
    _move_unservable_jobs(problem, groups, crews)
    return [_group_part(problem, plan, group, crew) for group, crew in zip(groups, crews, strict=True)]


def replace_part(plan: RoutingPlan, part: ProblemPart, part_plan: RoutingPlan) -> RoutingPlan:
    """Return the plan with a part replaced."""
    vehicles = {vehicle.id for vehicle in part.problem.vehicles}
    jobs = {job.id for job in part.problem.jobs}
    routes = [route for route in plan.routes if route.vehicle not in vehicles]
    unassigned = [entry for entry in plan.unassigned if entry.job not in jobs]
    return RoutingPlan(
        routes=tuple(
            sorted(
                [*routes, *(_with_whole_places(route, part) for route in part_plan.routes)],
                key=lambda route: route.vehicle,
            )
        ),
        unassigned=tuple(sorted([*unassigned, *part_plan.unassigned], key=lambda entry: entry.job)),
    )


def _with_whole_places(route: TimedRoute, part: ProblemPart) -> TimedRoute:
    return replace(route, stops=tuple(replace(stop, place=part.places[stop.place]) for stop in route.stops))


def _split_items(problem: RoutingProblem, plan: RoutingPlan) -> list[_SplitItem]:
    """Return the routes of the plan with locked stops, and all other jobs one by one."""
    number = {job.id: index for index, job in enumerate(problem.jobs)}
    locked_jobs = {vehicle.id: [task.job for task in vehicle.locked] for vehicle in problem.vehicles if vehicle.locked}
    for route in plan.routes:
        locked_jobs.setdefault(route.vehicle, []).extend(stop.job for stop in route.stops)
    held = {vehicle: tuple(dict.fromkeys(number[job] for job in jobs)) for vehicle, jobs in locked_jobs.items()}
    on_routes = {job for jobs in held.values() for job in jobs}
    seat = {vehicle.id: index for index, vehicle in enumerate(problem.vehicles)}
    items = [_SplitItem(_middle_place(problem, jobs), jobs, seat[vehicle]) for vehicle, jobs in held.items()]
    alone = [index for index in range(len(problem.jobs)) if index not in on_routes]
    return [*items, *(_SplitItem(_job_place(problem.jobs[index]), (index,), None) for index in alone)]


def _job_place(job: RoutingJob) -> int:
    visit = job.delivery or job.pickup
    assert visit is not None
    return visit.place


def _middle_place(problem: RoutingProblem, jobs: Sequence[int]) -> int:
    """Return the place of the job with the least total distance to the others."""
    places = [_job_place(problem.jobs[job]) for job in jobs[:: max(1, len(jobs) // MIDDLE_SAMPLE_SIZE)]]
    away = problem.travel.distance_m[np.ix_(places, places)].sum(axis=1)
    return places[int(np.argmin(away))]


def _cut_items(problem: RoutingProblem, items: list[_SplitItem], count: int, random: Random) -> list[list[_SplitItem]]:
    """Bisect recursively into `count` groups, as evenly as the routes allow."""
    if count < 2 or len(items) < 2:
        return [items]
    weights = np.array([len(item.jobs) for item in items])
    metres, places = problem.travel.distance_m, np.array([item.place for item in items])
    first_end, last_end = _two_far_places(metres, places, random)
    order = np.argsort(metres[first_end, places] - metres[last_end, places], kind="stable")
    share = np.cumsum(weights[order])
    left_count = count // 2
    end = min(int(np.argmin(np.abs(share - share[-1] * left_count / count))) + 1, len(items) - 1)
    halves = (([items[k] for k in order[:end]], left_count), ([items[k] for k in order[end:]], count - left_count))
    return [group for half, many in halves for group in _cut_items(problem, half, many, random)]


def _two_far_places(metres: Matrix, places: Matrix, random: Random) -> tuple[int, int]:
    """Return a random place, and another among the third farthest from it.

    This gives a new direction of the cut each time.
    """
    first = int(places[random.randrange(len(places))])
    far = places[np.argsort(metres[first, places], kind="stable")[-max(1, len(places) // FAR_SHARE_DIVISOR) :]]
    return first, int(far[random.randrange(len(far))])


def _allot_free_vehicles(problem: RoutingProblem, groups: list[list[_SplitItem]], crews: list[list[int]]) -> None:
    """Assign free vehicles, nearest first, to the group that lacks most."""
    used = {vehicle for crew in crews for vehicle in crew}
    free = [index for index in range(len(problem.vehicles)) if index not in used]
    needs, worth = _shares_needed(problem, groups)
    lack = [need - sum(worth[vehicle] for vehicle in crew) for need, crew in zip(needs, crews, strict=True)]
    middles = [_middle_place(problem, [job for item in group for job in item.jobs]) for group in groups if group]
    while free and middles:
        group = max(range(len(middles)), key=lambda index: (lack[index], -index))
        away = [int(problem.travel.distance_m[problem.vehicles[index].start, middles[group]]) for index in free]
        nearest = free.pop(away.index(min(away)))
        crews[group].append(nearest)
        lack[group] -= worth[nearest]


def _shares_needed(problem: RoutingProblem, groups: list[list[_SplitItem]]) -> tuple[list[float], list[float]]:
    """Return each group's share of the work and each vehicle's share of the fleet.

    Half counts by number, half by the scarcest dimension.
    """
    counts = [sum(len(item.jobs) for item in group) for group in groups]
    loads = [
        _proportions([sum(sum(problem.jobs[job].demand) for item in g for job in item.jobs) for g in groups]),
        _proportions(counts),
    ]
    rooms = _proportions([sum(vehicle.capacity) for vehicle in problem.vehicles])
    if problem.dimensions:
        demand = [sum(job.demand[k] for job in problem.jobs) for k in range(len(problem.dimensions))]
        capacity = [sum(vehicle.capacity[k] for vehicle in problem.vehicles) for k in range(len(problem.dimensions))]
        scarce = max(range(len(demand)), key=lambda k: demand[k] / max(capacity[k], 1))
        loads[0] = _proportions([sum(problem.jobs[job].demand[scarce] for i in g for job in i.jobs) for g in groups])
        rooms = _proportions([vehicle.capacity[scarce] for vehicle in problem.vehicles])
    share = 1 / max(len(problem.vehicles), 1)
    return [(a + b) / 2 for a, b in zip(*loads, strict=True)], [(room + share) / 2 for room in rooms]


def _proportions(amounts: Sequence[int]) -> list[float]:
    total = sum(amounts)
    return [amount / total if total else 1 / max(len(amounts), 1) for amount in amounts]


def _move_unservable_jobs(problem: RoutingProblem, groups: list[list[_SplitItem]], crews: list[list[int]]) -> None:
    """Move single jobs that no vehicle of their group may take to a group that can."""
    groups_by_requirements: dict[tuple[object, ...], list[int]] = {}
    for number, group in enumerate(groups):
        for item in [item for item in group if item.vehicle is None]:
            job = problem.jobs[item.jobs[0]]
            requirements = (job.vehicles, job.skills)
            if requirements not in groups_by_requirements:
                vehicles = [[problem.vehicles[index] for index in crew] for crew in crews]
                groups_by_requirements[requirements] = [
                    k for k, crew in enumerate(vehicles) if any(may_take(vehicle, job) for vehicle in crew)
                ]
            able = groups_by_requirements[requirements]
            if able and number not in able:
                group.remove(item)
                groups[able[0]].append(item)


def _group_part(problem: RoutingProblem, plan: RoutingPlan, group: list[_SplitItem], crew: list[int]) -> ProblemPart:
    jobs = [problem.jobs[index] for index in sorted(job for item in group for job in item.jobs)]
    vehicles = [problem.vehicles[index] for index in sorted(crew)]
    return problem_part(problem, plan, jobs, vehicles)


def problem_part(
    problem: RoutingProblem, plan: RoutingPlan, jobs: Sequence[RoutingJob], vehicles: Sequence[RoutingVehicle]
) -> ProblemPart:
    """Return jobs and vehicles as a separate problem with its own place numbers."""
    visited = {visit.place for job in jobs for _, visit in job.visits()}
    ends = {place for vehicle in vehicles for place in (vehicle.start, vehicle.end) if place is not None}
    places = tuple(sorted(visited | ends))
    index_of = {place: index for index, place in enumerate(places)}
    small = RoutingProblem(
        travel=problem.travel.submatrix(places),
        other_travel=tuple(each.submatrix(places) for each in problem.other_travel),
        vehicles=tuple(_vehicle_in_part(vehicle, index_of) for vehicle in vehicles),
        jobs=tuple(
            replace(job, pickup=_visit_in_part(job.pickup, index_of), delivery=_visit_in_part(job.delivery, index_of))
            for job in jobs
        ),
        depots=tuple(
            replace(depot, place=index_of[depot.place]) for depot in problem.depots if depot.place in index_of
        ),
        dimensions=problem.dimensions,
        objective=problem.objective,
    )
    seats, numbers = {vehicle.id for vehicle in vehicles}, {job.id for job in jobs}
    start = RoutingPlan(
        routes=tuple(_with_part_places(route, index_of) for route in plan.routes if route.vehicle in seats),
        unassigned=tuple(index for index in plan.unassigned if index.job in numbers),
    )
    return ProblemPart(problem=small, places=places, start=start)


def _visit_in_part(visit: VisitRequest | None, index_of: dict[int, int]) -> VisitRequest | None:
    return replace(visit, place=index_of[visit.place]) if visit else None


def _vehicle_in_part(vehicle: RoutingVehicle, index_of: dict[int, int]) -> RoutingVehicle:
    return replace(vehicle, start=index_of[vehicle.start], end=None if vehicle.end is None else index_of[vehicle.end])


def _with_part_places(route: TimedRoute, index_of: dict[int, int]) -> TimedRoute:
    return replace(route, stops=tuple(replace(stop, place=index_of[stop.place]) for stop in route.stops))
