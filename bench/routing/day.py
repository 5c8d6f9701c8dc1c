"""A generated, reproducible working day with vans of one depot."""

import numpy as np

from haulier.solvers.routing.problem import (
    RoutingJob,
    RoutingObjective,
    RoutingProblem,
    RoutingVehicle,
    TimeWindow,
    VisitRequest,
)
from haulier.solvers.routing.travel import Matrix, TravelMatrices

SEED = 20_260_101
SIDE_M = 80_000
TOWN_COUNT = 24
HOUR = 3600
METRES_PER_SECOND = 11
DETOUR_FACTOR = 1.3
"""Ratio of road length to straight-line distance."""
ORDERS_PER_VAN = 40


def made_up_day(orders: int) -> RoutingProblem:
    """Return a day of orders of 1 to 25 kg with three minutes of service each.

    Two in five have a window of two or four hours, and every fifth is outside the towns. There is a van of one tonne
    and eight hours for every 60 orders.
    """
    random = np.random.default_rng(SEED)
    towns = random.uniform(0.1, 0.9, (TOWN_COUNT, 2)) * SIDE_M
    near = towns[random.integers(0, TOWN_COUNT, orders)] + random.normal(0, 2_500, (orders, 2))
    spots = np.where(random.random((orders, 1)) < 0.2, random.uniform(0, SIDE_M, (orders, 2)), near)
    places = np.vstack([[SIDE_M / 2, SIDE_M / 2], spots])
    opens, length = random.integers(8, 15, orders), random.choice([2, 4], orders)
    tight, weights = random.random(orders) < 0.4, random.integers(1, 26, orders)
    jobs = [
        RoutingJob(
            id=n + 1, demand=(int(weights[n]),), delivery=_visit(n + 1, int(opens[n]), int(length[n]), bool(tight[n]))
        )
        for n in range(orders)
    ]
    shift = TimeWindow(8 * HOUR, 17 * HOUR)
    vans = [_van(n + 1, shift) for n in range(-(-orders // ORDERS_PER_VAN))]
    metres = _metres(places)
    return RoutingProblem(
        travel=TravelMatrices((metres / METRES_PER_SECOND).astype(np.int32), metres),
        vehicles=tuple(vans),
        jobs=tuple(jobs),
        dimensions=("kg",),
        objective=RoutingObjective(cost=0, distance_m=1),
    )


def impossible_day(orders: int) -> RoutingProblem:
    """Return a day on which every order exceeds the capacity of all vans."""
    usual = made_up_day(orders)
    heavy = tuple(RoutingJob(id=job.id, demand=(5000,), delivery=job.delivery) for job in usual.jobs)
    return RoutingProblem(
        travel=usual.travel, vehicles=usual.vehicles, jobs=heavy, dimensions=("kg",), objective=usual.objective
    )


def empty_day() -> RoutingProblem:
    """Return a day without orders."""
    usual = made_up_day(1)
    return RoutingProblem(
        travel=usual.travel, vehicles=usual.vehicles, jobs=(), dimensions=("kg",), objective=usual.objective
    )


def _van(number: int, shift: TimeWindow) -> RoutingVehicle:
    return RoutingVehicle(id=number, start=0, end=0, shift=shift, capacity=(1000,), max_time_s=8 * HOUR)


def _visit(place: int, opens: int, length: int, tight: bool) -> VisitRequest:
    windows = (TimeWindow(opens * HOUR, (opens + length) * HOUR),) if tight else ()
    return VisitRequest(place=place, service_s=180, windows=windows)


def _metres(places: Matrix) -> Matrix:
    """Return the distances row by row, which saves memory."""
    found = np.empty((len(places), len(places)), dtype=np.int32)
    for number, here in enumerate(places):
        found[number] = np.hypot(*(places - here).T) * DETOUR_FACTOR
    return found
