"""Cost of building loadable routes: `python -m bench.route_loading`.

The problem is a day of stops around a depot, each with one to four boxes of parcel sizes, and vans of 3.4 x 1.7 x 1.9 m
with a rear door and axles. It is solved twice: with weights and volumes only, and with loading constraints. Seconds
cover a build from problem to plan; plans with loading constraints are checked again.
"""

import argparse
from random import Random
from time import perf_counter

import numpy as np
from msgspec.structs import replace

from haulier.solvers.loading.problem import Axle, Axles, LoadSpace
from haulier.solvers.route_loading.build import build_loadable_routes
from haulier.solvers.route_loading.loads import Parcel, RouteLoads
from haulier.solvers.route_loading.repair import LoadableRepair
from haulier.solvers.routing.build import build_routes
from haulier.solvers.routing.engine import SearchBudget
from haulier.solvers.routing.plan import RoutingPlan
from haulier.solvers.routing.plan_check import check_plan
from haulier.solvers.routing.problem import (
    RoutingJob,
    RoutingObjective,
    RoutingProblem,
    RoutingVehicle,
    TimeWindow,
    VisitRequest,
)
from haulier.solvers.routing.travel import TravelMatrices

AXLES = Axles(
    front=Axle(position_mm=-900, limit_g=1_850_000, tare_g=1_200_000, least_g=500_000),
    rear=Axle(position_mm=2600, limit_g=2_400_000, tare_g=900_000),
)
VAN = LoadSpace(id="van", inner=(3400, 1700, 1900), payload_g=1_200_000, axles=AXLES)
DAY = TimeWindow(8 * 3600, 18 * 3600)
METRES_PER_S = 10
WORKERS = 2


def make_day(stops: int, vans: int, longest_mm: int, seed: int) -> tuple[RoutingProblem, RouteLoads]:
    """Return a problem and its boxes; `longest_mm` limits the edges of boxes."""
    random = Random(seed)
    spots = [(0, 0)] + [(random.randint(-20_000, 20_000), random.randint(-20_000, 20_000)) for _ in range(stops)]
    at = np.array(spots)
    metres = np.rint(np.hypot(*(at[:, None] - at[None, :]).transpose(2, 0, 1))).astype(np.int64)
    parcels: dict[int, tuple[Parcel, ...]] = {}
    jobs: list[RoutingJob] = []
    for job in range(1, stops + 1):
        parcels[job] = tuple(_box(random, longest_mm) for _ in range(random.choice((1, 1, 1, 2, 3, 4))))
        volume = sum(-(-a * b * c // 1000) for a, b, c, _ in parcels[job])
        demand = (sum(box[3] for box in parcels[job]), volume)
        jobs.append(RoutingJob(id=job, delivery=VisitRequest(place=job, service_s=240), demand=demand))
    room = VAN.inner[0] * VAN.inner[1] * VAN.inner[2] // 1000
    vehicles = tuple(
        RoutingVehicle(id=number, start=0, end=0, shift=DAY, capacity=(VAN.payload_g, room), cost_per_km=100)
        for number in range(1, vans + 1)
    )
    problem = RoutingProblem(
        travel=TravelMatrices(metres // METRES_PER_S, metres),
        vehicles=vehicles,
        jobs=tuple(jobs),
        dimensions=("weight_g", "volume_cm3"),
        objective=RoutingObjective(cost=1, distance_m=0.01, duration_s=0.03, vehicles=5000),
    )
    return problem, RouteLoads(bodies={vehicle.id: VAN for vehicle in vehicles}, parcels=parcels)


def _box(random: Random, longest_mm: int) -> Parcel:
    length, width, height = (
        random.randrange(80, most, 5) for most in (longest_mm, longest_mm * 3 // 4, longest_mm // 2)
    )
    return length, width, height, max(200, length * width * height // 6000)


def _told(name: str, seconds: float, plan: RoutingPlan, unloadable: int) -> None:
    stops = sum(len(route.stops) for route in plan.routes)
    metres = sum(route.distance_m for route in plan.routes)
    row = (name, f"{seconds:.2f}", len(plan.routes), stops, len(plan.unassigned), round(metres / 1000), unloadable)
    print("|", " | ".join(map(str, row)), "|", flush=True)


def compare(stops: int, vans: int, longest_mm: int, seconds: float, seed: int) -> None:
    """Build the same day twice and print a row for each."""
    problem, loads = make_day(stops, vans, longest_mm, seed)
    budget = SearchBudget(seconds=seconds)
    began = perf_counter()
    today = build_routes(problem, budget=budget, seed=seed, workers=WORKERS).plan
    plain_s = perf_counter() - began
    repair = LoadableRepair(problem, loads)
    _told(f"{stops} stops, boxes to {longest_mm} mm, by volume", plain_s, today, _changed(repair, today))
    began = perf_counter()
    plan = build_loadable_routes(problem, loads, budget=budget, seed=seed, workers=WORKERS)
    seconds_taken = perf_counter() - began
    if faults := check_plan(problem, plan):
        raise RuntimeError(str(faults))
    _told(
        f"the same, so that it can be loaded: x {seconds_taken / plain_s:.2f}",
        seconds_taken,
        plan,
        _changed(repair, plan),
    )


def _changed(repair: LoadableRepair, plan: RoutingPlan) -> int:
    """Return the number of routes in a plan that cannot be loaded."""
    alone = (replace(plan, routes=(route,), unassigned=()) for route in plan.routes)
    return sum(repair.repair_loads(each) is not each for each in alone)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--stops", type=int, help="only days with this number of stops")
    asked = parser.parse_args()
    print(
        "| day | seconds | routes | stops | left out | km | routes that cannot be loaded |\n|---|---|---|---|---|---|---|"
    )
    for stops, vans, longest_mm in ((30, 4, 600), (150, 10, 500), (150, 10, 1000), (400, 24, 700)):
        if asked.stops in (None, stops):
            compare(stops, vans, longest_mm, asked.seconds, asked.seed)


if __name__ == "__main__":
    main()
