"""Large problems in parts: neighbouring jobs and routes together, each part a problem of its own.

A part is cut in two by the road distances to two far ends, until there are enough parts. Parts of a plan keep
its routes whole, so that cutting anew in another direction improves a plan across the borders of the first cut.
"""

from collections.abc import Sequence
from random import Random

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from haulier.solvers.routing.ground import may_take
from haulier.solvers.routing.plan import Plan, Route
from haulier.solvers.routing.problem import Job, Problem, Vehicle, Visit
from haulier.solvers.routing.travel import Matrix

SAMPLE = 64
"""From how many of its places the middle of a part is chosen."""
FAR = 3
"""One in so many places is far."""


class Part(Struct, frozen=True, kw_only=True, eq=False):
    """A problem of its own. `places` are the whole problem's places, by the part's numbers; `start` is the part of the plan."""

    problem: Problem
    places: tuple[int, ...]
    start: Plan


class _Item(Struct, frozen=True):
    """What stays together: a route with its vehicle, or a single job."""

    place: int
    jobs: tuple[int, ...]
    vehicle: int | None


def parts(problem: Problem, plan: Plan, count: int, random: Random) -> list[Part]:
    """The problem in so many parts of about the same size, or fewer where routes are long. Every job is in one of them, and
    so is every vehicle."""
    groups = _cut(problem, _items(problem, plan), count, random)
    crews = [[item.vehicle for item in group if item.vehicle is not None] for group in groups]
    _allot(problem, groups, crews)
    _rehome(problem, groups, crews)
    return [_part(problem, plan, group, crew) for group, crew in zip(groups, crews, strict=True)]


def with_part(plan: Plan, part: Part, found: Plan) -> Plan:
    """The plan with a part of it replaced by a better one."""
    vehicles = {vehicle.id for vehicle in part.problem.vehicles}
    jobs = {job.id for job in part.problem.jobs}
    routes = [route for route in plan.routes if route.vehicle not in vehicles]
    left = [each for each in plan.unassigned if each.job not in jobs]
    return Plan(
        routes=tuple(
            sorted([*routes, *(_lifted(route, part) for route in found.routes)], key=lambda route: route.vehicle)
        ),
        unassigned=tuple(sorted([*left, *found.unassigned], key=lambda each: each.job)),
    )


def _lifted(route: Route, part: Part) -> Route:
    return replace(route, stops=tuple(replace(stop, place=part.places[stop.place]) for stop in route.stops))


def _items(problem: Problem, plan: Plan) -> list[_Item]:
    """Routes of the plan and what is locked, and all other jobs one by one."""
    number = {job.id: index for index, job in enumerate(problem.jobs)}
    asked = {vehicle.id: [task.job for task in vehicle.locked] for vehicle in problem.vehicles if vehicle.locked}
    for route in plan.routes:
        asked.setdefault(route.vehicle, []).extend(stop.job for stop in route.stops)
    held = {vehicle: tuple(dict.fromkeys(number[job] for job in jobs)) for vehicle, jobs in asked.items()}
    on_routes = {job for jobs in held.values() for job in jobs}
    seat = {vehicle.id: index for index, vehicle in enumerate(problem.vehicles)}
    items = [_Item(_middle(problem, jobs), jobs, seat[vehicle]) for vehicle, jobs in held.items()]
    alone = [index for index in range(len(problem.jobs)) if index not in on_routes]
    return [*items, *(_Item(_place(problem.jobs[index]), (index,), None) for index in alone)]


def _place(job: Job) -> int:
    visit = job.delivery or job.pickup
    assert visit is not None
    return visit.place


def _middle(problem: Problem, jobs: Sequence[int]) -> int:
    """The place of the job that is nearest to all others."""
    places = [_place(problem.jobs[job]) for job in jobs[:: max(1, len(jobs) // SAMPLE)]]
    away = problem.travel.distance_m[np.ix_(places, places)].sum(axis=1)
    return places[int(np.argmin(away))]


def _cut(problem: Problem, items: list[_Item], count: int, random: Random) -> list[list[_Item]]:
    """Cut in two, as evenly as the routes allow, and each of the two again, until there are so many groups."""
    if count < 2 or len(items) < 2:
        return [items]
    weights = np.array([len(item.jobs) for item in items])
    metres, places = problem.travel.distance_m, np.array([item.place for item in items])
    one, other = _two_ends(metres, places, random)
    order = np.argsort(metres[one, places] - metres[other, places], kind="stable")
    share = np.cumsum(weights[order])
    left = count // 2
    end = min(int(np.argmin(np.abs(share - share[-1] * left / count))) + 1, len(items) - 1)
    halves = (([items[k] for k in order[:end]], left), ([items[k] for k in order[end:]], count - left))
    return [group for each, many in halves for group in _cut(problem, each, many, random)]


def _two_ends(metres: Matrix, places: Matrix, random: Random) -> tuple[int, int]:
    """A place by chance, and another by chance among the third that is farthest from it: a new direction every time."""
    one = int(places[random.randrange(len(places))])
    far = places[np.argsort(metres[one, places], kind="stable")[-max(1, len(places) // FAR) :]]
    return one, int(far[random.randrange(len(far))])


def _allot(problem: Problem, groups: list[list[_Item]], crews: list[list[int]]) -> None:
    """Give every vehicle that has no route yet to the group that lacks most, the nearest first."""
    taken = {vehicle for crew in crews for vehicle in crew}
    free = [index for index in range(len(problem.vehicles)) if index not in taken]
    needs, worth = _needs(problem, groups)
    lack = [need - sum(worth[vehicle] for vehicle in crew) for need, crew in zip(needs, crews, strict=True)]
    middles = [_middle(problem, [job for item in group for job in item.jobs]) for group in groups if group]
    while free and middles:
        group = max(range(len(middles)), key=lambda each: (lack[each], -each))
        away = [int(problem.travel.distance_m[problem.vehicles[index].start, middles[group]]) for index in free]
        nearest = free.pop(away.index(min(away)))
        crews[group].append(nearest)
        lack[group] -= worth[nearest]


def _needs(problem: Problem, groups: list[list[_Item]]) -> tuple[list[float], list[float]]:
    """Each group's share of the work, and each vehicle's of the fleet: half by number, half by the scarcest dimension."""
    counts = [sum(len(item.jobs) for item in group) for group in groups]
    loads = [
        _shares([sum(sum(problem.jobs[job].demand) for item in g for job in item.jobs) for g in groups]),
        _shares(counts),
    ]
    rooms = _shares([sum(vehicle.capacity) for vehicle in problem.vehicles])
    if problem.dimensions:
        asked = [sum(job.demand[k] for job in problem.jobs) for k in range(len(problem.dimensions))]
        there = [sum(vehicle.capacity[k] for vehicle in problem.vehicles) for k in range(len(problem.dimensions))]
        scarce = max(range(len(asked)), key=lambda k: asked[k] / max(there[k], 1))
        loads[0] = _shares([sum(problem.jobs[job].demand[scarce] for i in g for job in i.jobs) for g in groups])
        rooms = _shares([vehicle.capacity[scarce] for vehicle in problem.vehicles])
    each = 1 / max(len(problem.vehicles), 1)
    return [(a + b) / 2 for a, b in zip(*loads, strict=True)], [(room + each) / 2 for room in rooms]


def _shares(amounts: Sequence[int]) -> list[float]:
    total = sum(amounts)
    return [amount / total if total else 1 / max(len(amounts), 1) for amount in amounts]


def _rehome(problem: Problem, groups: list[list[_Item]], crews: list[list[int]]) -> None:
    """Move single jobs that no vehicle of their group may take to the first group that has one."""
    known: dict[tuple[object, ...], list[int]] = {}
    for number, group in enumerate(groups):
        for item in [item for item in group if item.vehicle is None]:
            job = problem.jobs[item.jobs[0]]
            wish = (job.vehicles, job.skills)
            if wish not in known:
                vehicles = [[problem.vehicles[index] for index in crew] for crew in crews]
                known[wish] = [k for k, crew in enumerate(vehicles) if any(may_take(each, job) for each in crew)]
            able = known[wish]
            if able and number not in able:
                group.remove(item)
                groups[able[0]].append(item)


def _part(problem: Problem, plan: Plan, group: list[_Item], crew: list[int]) -> Part:
    jobs = [problem.jobs[index] for index in sorted(job for item in group for job in item.jobs)]
    vehicles = [problem.vehicles[index] for index in sorted(crew)]
    return part_of(problem, plan, jobs, vehicles)


def part_of(problem: Problem, plan: Plan, jobs: Sequence[Job], vehicles: Sequence[Vehicle]) -> Part:
    """These jobs and vehicles as a problem of its own, with its own numbers for the places."""
    visited = {visit.place for job in jobs for _, visit in job.visits()}
    ends = {place for vehicle in vehicles for place in (vehicle.start, vehicle.end) if place is not None}
    places = tuple(sorted(visited | ends))
    at = {place: index for index, place in enumerate(places)}
    small = Problem(
        travel=problem.travel.among(places),
        vehicles=tuple(_moved_vehicle(vehicle, at) for vehicle in vehicles),
        jobs=tuple(replace(job, pickup=_moved(job.pickup, at), delivery=_moved(job.delivery, at)) for job in jobs),
        depots=tuple(replace(depot, place=at[depot.place]) for depot in problem.depots if depot.place in at),
        dimensions=problem.dimensions,
        objective=problem.objective,
    )
    seats, numbers = {vehicle.id for vehicle in vehicles}, {job.id for job in jobs}
    start = Plan(
        routes=tuple(_lowered(route, at) for route in plan.routes if route.vehicle in seats),
        unassigned=tuple(each for each in plan.unassigned if each.job in numbers),
    )
    return Part(problem=small, places=places, start=start)


def _moved(visit: Visit | None, at: dict[int, int]) -> Visit | None:
    return replace(visit, place=at[visit.place]) if visit else None


def _moved_vehicle(vehicle: Vehicle, at: dict[int, int]) -> Vehicle:
    return replace(vehicle, start=at[vehicle.start], end=None if vehicle.end is None else at[vehicle.end])


def _lowered(route: Route, at: dict[int, int]) -> Route:
    return replace(route, stops=tuple(replace(stop, place=at[stop.place]) for stop in route.stops))
